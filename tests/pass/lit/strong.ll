; Strong accesses are bracketed. Op = kind | order << 4 | scope << 8 | space << 12 | flags |
; log2(element bytes) << 20.
; RUN: %instrument %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; O3: relaxed (1), device (3), 4 bytes (2): 2 | 1 << 4 | 3 << 8 | 2 << 20
; CHECK-LABEL: @rmw
; CHECK: call void @__scopesan_atomic_before(ptr %p, i32 4, i32 2097938, i32 {{.*}})
; CHECK-NEXT: %old = atomicrmw add
; CHECK-NEXT: [[V:%.*]] = zext i32 %old to i64
; CHECK: call void @__scopesan_atomic_after(ptr %p, i32 4, i32 2097938, i32 {{.*}}, i32 1, i64 [[V]])
define i32 @rmw(ptr %p) {
  %old = atomicrmw add ptr %p, i32 1 seq_cst
  ret i32 %old
}

; CHECK-LABEL: @rmw_float
; CHECK: [[B:%.*]] = bitcast double %old to i64
; CHECK: call void @__scopesan_atomic_after(ptr %p, i32 8, i32 3146514, i32 {{.*}}, i32 1, i64 [[B]])
define double @rmw_float(ptr %p) {
  %old = atomicrmw fadd ptr %p, double 1.0 seq_cst
  ret double %old
}

; O5: wrote = success.
; CHECK-LABEL: @cas
; CHECK: call void @__scopesan_atomic_before(ptr %p, i32 4, i32 2097939, i32
; CHECK-NEXT: %x = cmpxchg
; CHECK-NEXT: [[OK:%.*]] = extractvalue { i32, i1 } %x, 1
; CHECK-NEXT: [[WROTE:%.*]] = zext i1 [[OK]] to i32
; CHECK-NEXT: [[OLD:%.*]] = extractvalue { i32, i1 } %x, 0
; CHECK-NEXT: [[V:%.*]] = zext i32 [[OLD]] to i64
; CHECK: call void @__scopesan_atomic_after(ptr %p, i32 4, i32 2097939, i32 {{.*}}, i32 [[WROTE]], i64 [[V]])
define i32 @cas(ptr %p) {
  %x = cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst
  %old = extractvalue { i32, i1 } %x, 0
  ret i32 %old
}

; acq_rel (4), system (4): 3 | 4 << 4 | 4 << 8 | 2 << 20
; CHECK-LABEL: @cas_acq_rel
; CHECK: call void @__scopesan_atomic_before(ptr %p, i32 4, i32 2098243, i32
define i1 @cas_acq_rel(ptr %p) {
  %x = cmpxchg ptr %p, i32 1, i32 2 acq_rel acquire
  %ok = extractvalue { i32, i1 } %x, 1
  ret i1 %ok
}

; acquire load (2, system): 0 | 2 << 4 | 4 << 8 | 2 << 20
; release store (3, block): 1 | 3 << 4 | 1 << 8 | 2 << 20
; CHECK-LABEL: @load_store
; CHECK: call void @__scopesan_atomic_before(ptr %p, i32 4, i32 2098208, i32
; CHECK: call void @__scopesan_atomic_after(ptr %p, i32 4, i32 2098208, i32 {{.*}}, i32 0, i64
; CHECK: call void @__scopesan_atomic_before(ptr %q, i32 4, i32 2097457, i32
; CHECK: call void @__scopesan_atomic_after(ptr %q, i32 4, i32 2097457, i32 {{.*}}, i32 1, i64 0)
define void @load_store(ptr %p, ptr %q) {
  %v = load atomic i32, ptr %p acquire, align 4
  store atomic i32 %v, ptr %q syncscope("block") release, align 4
  ret void
}

; O3: seq_cst is fence.sc (5 | 5 << 4 | 4 << 8) and then acquire or release.
; CHECK-LABEL: @seq_cst
; CHECK: call void @__scopesan_fence(i32 1109, i32
; CHECK: call void @__scopesan_atomic_before(ptr %p, i32 4, i32 2098208, i32
; CHECK: call void @__scopesan_fence(i32 1109, i32
; CHECK: call void @__scopesan_atomic_before(ptr %p, i32 4, i32 2098225, i32
define void @seq_cst(ptr %p) {
  %v = load atomic i32, ptr %p seq_cst, align 4
  store atomic i32 %v, ptr %p seq_cst, align 4
  ret void
}

; O2: volatile is relaxed.sys with its bit: 0 | 1 << 4 | 4 << 8 | 1 << 16 | 2 << 20
; CHECK-LABEL: @volatile
; CHECK: call void @__scopesan_atomic_before(ptr %p, i32 4, i32 2163728, i32
; CHECK: call void @__scopesan_atomic_before(ptr %p, i32 16, i32 2163729, i32
; CHECK: call void @__scopesan_atomic_after(ptr %p, i32 16, i32 2163729, i32 {{.*}}, i32 1, i64 0)
define void @volatile(ptr %p) {
  %v = load volatile i32, ptr %p
  store volatile <4 x float> zeroinitializer, ptr %p
  ret void
}

; atomicAdd_block, atomicCAS_system
; CHECK-LABEL: @nvvm
; CHECK: call void @__scopesan_atomic_before(ptr %p, i32 4, i32 2097426, i32
; CHECK-NEXT: call i32 @llvm.nvvm.atomic.add.gen.i.cta
; CHECK: call void @__scopesan_atomic_before(ptr %p, i32 4, i32 2098195, i32
; CHECK-NEXT: [[OLD:%.*]] = call i32 @llvm.nvvm.atomic.cas.gen.i.sys
; CHECK-NEXT: [[SAME:%.*]] = icmp eq i32 [[OLD]], 5
; CHECK-NEXT: [[WROTE:%.*]] = zext i1 [[SAME]] to i32
; CHECK: call void @__scopesan_atomic_after(ptr %p, i32 4, i32 2098195, i32 {{.*}}, i32 [[WROTE]], i64
define void @nvvm(ptr %p) {
  %a = call i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr %p, i32 1)
  %b = call i32 @llvm.nvvm.atomic.cas.gen.i.sys.i32.p0(ptr %p, i32 5, i32 6)
  ret void
}

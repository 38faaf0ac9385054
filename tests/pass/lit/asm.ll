; Inline PTX: each effect gets its calls around the statement.
; RUN: %instrument %s 2>&1 | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-NOT: note:

; CHECK-LABEL: @weak
; CHECK: call void @__scopesan_read(ptr %p, i32 4, i32
; CHECK: call void @__scopesan_write(ptr [[P:%.*]], i32 16, i32
define void @weak(ptr %p, i64 %a) {
  %v = call i32 asm "ld.global.cg.s32 $0, [$1];", "=r,l"(ptr %p)
  call void asm sideeffect "st.v2.b64 [$0+16], {$1, $2};", "l,l,l"(i64 %a, i64 1, i64 2)
  ret void
}

; CHECK-LABEL: @release_acquire
; CHECK: call void @__scopesan_atomic_before(ptr %p, i32 4, i32 2097969, i32
; CHECK-NEXT: call void asm sideeffect "st.release.gpu.b32
; CHECK: call void @__scopesan_atomic_after(ptr %p, i32 4, i32 2097969, i32 {{.*}}, i32 1, i64 0)
; CHECK: call void @__scopesan_atomic_before(ptr %p, i32 4, i32 2097952, i32
; CHECK-NEXT: %v = call i32 asm sideeffect "ld.acquire.gpu.b32
; CHECK: call void @__scopesan_atomic_after(ptr %p, i32 4, i32 2097952, i32 {{.*}}, i32 0, i64
define void @release_acquire(ptr %p) {
  call void asm sideeffect "st.release.gpu.b32 [$0],$1;", "l,r,~{memory}"(ptr %p, i32 1)
  %v = call i32 asm sideeffect "ld.acquire.gpu.b32 $0,[$1];", "=r,l,~{memory}"(ptr %p)
  ret void
}

; CHECK-LABEL: @cas
; CHECK: %old = call i32 asm sideeffect
; CHECK: [[SAME:%.*]] = icmp eq i32 %old, %e
; CHECK: [[WROTE:%.*]] = zext i1 [[SAME]] to i32
; CHECK: call void @__scopesan_atomic_after(ptr %p, i32 4, i32 2097955, i32 {{.*}}, i32 [[WROTE]], i64
define i32 @cas(ptr %p, i32 %e) {
  %old = call i32 asm sideeffect "atom.cas.acquire.gpu.b32 $0,[$1],$2,$3;", "=r,l,r,r,~{memory}"(ptr %p, i32 %e, i32 5)
  ret i32 %old
}

; 128 bits in two halves: the low one is the value.
; CHECK-LABEL: @cas128
; CHECK: %old = call { i64, i64 } asm sideeffect
; CHECK: [[LOW:%.*]] = extractvalue { i64, i64 } %old, 0
; CHECK-DAG: icmp eq i64 {{.*}}, %e0
; CHECK-DAG: icmp eq i64 {{.*}}, %e1
; CHECK: call void @__scopesan_atomic_after(ptr %p, i32 16, i32 4195091, i32
define void @cas128(ptr %p, i64 %e0, i64 %e1) {
  %old = call { i64, i64 } asm sideeffect "{.reg .b128 a,b,r; mov.b128 a,{$3,$4}; mov.b128 b,{$5,$6}; atom.relaxed.gpu.cas.b128 r,[$2],a,b; mov.b128 {$0,$1},r;}", "=l,=l,l,l,l,l,l"(ptr %p, i64 %e0, i64 %e1, i64 1, i64 2)
  ret void
}

; A shared window address ("r") becomes a generic pointer.
; CHECK-LABEL: @shared
; CHECK: [[W:%.*]] = zext i32 %s to i64
; CHECK: [[S:%.*]] = inttoptr i64 [[W]] to ptr addrspace(3)
; CHECK: [[G:%.*]] = addrspacecast ptr addrspace(3) [[S]] to ptr
; CHECK: call void @__scopesan_write(ptr [[G]], i32 4, i32
define void @shared(i32 %s) {
  call void asm sideeffect "st.shared.u32 [$0], 1;", "r"(i32 %s)
  ret void
}

; "+r": the input tied to an output.
; CHECK-LABEL: @tied
; CHECK: call void @__scopesan_read(ptr %p, i32 4, i32
define void @tied(ptr %p) {
  %x = call { i32, ptr } asm sideeffect "ld.u32 $0, [$1];", "=r,=l,1"(ptr %p)
  ret void
}

; CHECK-LABEL: @private
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @private() {
  %a = alloca i32
  %i = ptrtoint ptr %a to i64
  call void asm sideeffect "st.u32 [$0], 1;", "l"(ptr %a)
  call void asm sideeffect "st.u32 [$0], 1;", "l"(i64 %i)
  call void asm sideeffect "st.local.u32 [$0], 1;", "r"(i32 5)
  %v = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  ret void
}

; CHECK-LABEL: @barriers
; CHECK: call void @__scopesan_block_barrier_before(i32 4, i32 1, i32 64, i32
; CHECK: call void asm sideeffect "bar.sync 1, 64;"
; CHECK: call void @__scopesan_block_barrier_after(i32 0, i32 1, i32 64, i32
; CHECK: call void @__scopesan_block_barrier_before(i32 5, i32 %id, i32 %n, i32
; CHECK-NEXT: call void asm sideeffect "bar.arrive
; CHECK-NOT: barrier_after
; CHECK: call void @__scopesan_warp_barrier_before(i32 %n, i32
; CHECK: call void asm sideeffect "bar.warp.sync
; CHECK: call void @__scopesan_warp_barrier_after(i32 %n, i32
define void @barriers(i32 %id, i32 %n) {
  call void asm sideeffect "bar.sync 1, 64;", "~{memory}"()
  call void asm sideeffect "bar.arrive $0, $1;", "r,r,~{memory}"(i32 %id, i32 %n)
  call void asm sideeffect "bar.warp.sync $0;", "r"(i32 %n)
  ret void
}

; Program order: what follows an acquire is reported after it.
; CHECK-LABEL: @order
; CHECK: call void @__scopesan_fence(i32 853, i32
; CHECK: call void @__scopesan_atomic_before(ptr %p
; CHECK: call i32 asm sideeffect
; CHECK: call void @__scopesan_atomic_after(ptr %p
; CHECK: call void @__scopesan_fence(i32 805, i32
; CHECK: call void @__scopesan_write(ptr %q, i32 4, i32
define void @order(ptr %p, ptr %q) {
  %v = call i32 asm sideeffect "fence.sc.gpu; ld.relaxed.gpu.u32 $0, [$1]; fence.acquire.gpu; st.u32 [$2], 1;", "=r,l,l"(ptr %p, ptr %q)
  ret void
}

; O3: what clang 22 emits for atomicCAS and atomicAdd gets its CUDA meaning; what means seq_cst stays.
; RUN: %opt-scopesan -passes=scopesan-normalise %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; atomicCAS: the success flag is never read.
; CHECK-LABEL: @legacy_cas
; CHECK: cmpxchg ptr %p, i32 1, i32 2 syncscope("device") monotonic monotonic
define i32 @legacy_cas(ptr %p) {
  %x = cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst
  %old = extractvalue { i32, i1 } %x, 0
  ret i32 %old
}

; CHECK-LABEL: @legacy_cas16
; CHECK: cmpxchg ptr %p, i16 1, i16 2 syncscope("device") monotonic monotonic
define i16 @legacy_cas16(ptr %p) {
  %x = cmpxchg ptr %p, i16 1, i16 2 seq_cst seq_cst
  %old = extractvalue { i16, i1 } %x, 0
  ret i16 %old
}

; __atomic_compare_exchange_n(..., __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
; CHECK-LABEL: @written_seq_cst
; CHECK: cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst
define i1 @written_seq_cst(ptr %p) {
  %x = cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst
  %ok = extractvalue { i32, i1 } %x, 1
  ret i1 %ok
}

; CHECK-LABEL: @written_acq_rel
; CHECK: cmpxchg ptr %p, i32 1, i32 2 acq_rel acquire
define i32 @written_acq_rel(ptr %p) {
  %x = cmpxchg ptr %p, i32 1, i32 2 acq_rel acquire
  %old = extractvalue { i32, i1 } %x, 0
  ret i32 %old
}

; The back end prints relaxed.gpu for these whatever the order.
; CHECK-LABEL: @native_rmw
; CHECK: atomicrmw add ptr %p, i32 1 syncscope("device") monotonic
; CHECK: atomicrmw fadd ptr %p, float 1.000000e+00 syncscope("device") monotonic
; CHECK: atomicrmw xchg ptr %p, i64 1 syncscope("device") monotonic
; CHECK: atomicrmw umax ptr %p, i32 1 syncscope("device") monotonic
; CHECK: atomicrmw uinc_wrap ptr %p, i32 1 syncscope("device") monotonic
define void @native_rmw(ptr %p) {
  %a = atomicrmw add ptr %p, i32 1 seq_cst
  %b = atomicrmw fadd ptr %p, float 1.0 seq_cst
  %c = atomicrmw xchg ptr %p, i64 1 acq_rel
  %d = atomicrmw umax ptr %p, i32 1 syncscope("block") release
  %e = atomicrmw uinc_wrap ptr %p, i32 1 seq_cst
  ret void
}

; Expanded to loops that honour the order.
; CHECK-LABEL: @expanded_rmw
; CHECK: atomicrmw add ptr %p, i8 1 acq_rel
; CHECK: atomicrmw nand ptr %p, i32 1 seq_cst
define void @expanded_rmw(ptr %p) {
  %a = atomicrmw add ptr %p, i8 1 acq_rel
  %b = atomicrmw nand ptr %p, i32 1 seq_cst
  ret void
}

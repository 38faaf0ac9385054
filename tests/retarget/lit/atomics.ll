; RUN: %codegen --emit-ll %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @atomics.dev
; CHECK: call void @__scopesan_atomic_before
; CHECK-NEXT: atomicrmw add ptr %p, i32 1 monotonic, align 4
; CHECK: cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic, align 4
; CHECK: load atomic i32, ptr %p monotonic, align 4
; CHECK: store atomic i32 1, ptr %p monotonic, align 4
; CHECK: fence seq_cst
; CHECK: [[OLD:%.*]] = load volatile <2 x half>, ptr %p, align 4
; CHECK: [[NEW:%.*]] = fadd <2 x half> [[OLD]],
; CHECK: store volatile <2 x half> [[NEW]], ptr %p, align 4
; CHECK: atomicrmw fadd ptr %p, float 1.000000e+00 monotonic, align 4
define ptx_kernel void @atomics(ptr %p) {
  call void @__scopesan_atomic_before(ptr %p, i32 4, i32 0, i32 0)
  %1 = atomicrmw add ptr %p, i32 1 seq_cst
  %2 = cmpxchg ptr %p, i32 0, i32 1 syncscope("device") acq_rel acquire
  %3 = load atomic i32, ptr %p syncscope("block") acquire, align 4
  store atomic i32 1, ptr %p syncscope("cluster") release, align 4
  fence syncscope("device") seq_cst
  %4 = atomicrmw fadd ptr %p, <2 x half> <half 1.0, half 1.0> seq_cst
  %5 = atomicrmw fadd ptr %p, float 1.0 seq_cst
  ret void
}
declare void @__scopesan_atomic_before(ptr, i32, i32, i32)

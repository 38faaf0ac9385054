; O6: loads that the back end turns into ld.global.nc carry bit 18 in their site.
; RUN: %instrument %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; 2 << 20 | 1 << 18, with global 1 << 12 where the text says so; not for other arguments or functions.
; CHECK: [{ i32, i32, i32, i32 } { i32 0, i32 2363392, i32 4,
; CHECK-SAME: { i32 0, i32 2359296, i32 4,
; CHECK-SAME: { i32 0, i32 2363392, i32 4,
; CHECK-SAME: { i32 0, i32 2097152, i32 4,
; CHECK-SAME: { i32 1, i32 2097152, i32 4,
define ptx_kernel void @kernel(ptr noalias readonly %ro, ptr %rw) {
  %g = addrspacecast ptr %rw to ptr addrspace(1)
  %a = load i32, ptr addrspace(1) %g, !invariant.load !0
  %b = load i32, ptr %ro
  %c = call i32 asm "ld.global.nc.s32 $0, [$1];", "=r,l"(ptr %rw)
  %d = load i32, ptr %rw
  ret void
}

define void @function(ptr noalias readonly %ro) {
  %a = load i32, ptr %ro
  ret void
}
!0 = !{}

; Facts that are true on the GPU only must be gone, and no device function may shadow a library routine.
; RUN: %codegen --emit-ll %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: target triple = "x86_64-
; CHECK-NOT: noalias
; CHECK: define internal void @kernel.dev(ptr noundef %{{.*}}) #[[KERNEL:[0-9]+]]
; CHECK: call float @sinf.dev(
; CHECK: load i32, ptr %{{[^,]*}}, align 4{{$}}
; CHECK: define internal float @sinf.dev(
; CHECK: declare void @__scopesan_read(ptr, i32, i32)
; CHECK: define internal void @entry.kernel(ptr
; CHECK: attributes #[[KERNEL]] = { nounwind "probe-stack"="inline-asm" "target-cpu"="x86-64-v{{[23]}}" }
define ptx_kernel void @kernel(ptr noundef noalias readonly captures(none) %p) #0 {
  %f = call float @sinf(float 1.0) #0
  call void @__scopesan_read(ptr readonly captures(none) %p, i32 4, i32 1)
  %v = load i32, ptr %p, align 4, !alias.scope !0, !noalias !0
  %g = sitofp i32 %v to float
  %h = call float @sinf(float %g)
  ret void
}
define linkonce_odr hidden float @sinf(float %x) comdat {
  ret float %x
}
$sinf = comdat any
declare void @__scopesan_read(ptr captures(none), i32, i32) memory(none)
attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind willreturn memory(argmem: read) "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" }
!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2}

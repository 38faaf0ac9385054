; What cannot be executed stops the kernel at that point and never the compilation.
; RUN: %codegen --emit-ll %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-DAG: c"tcgen05.wait::ld.sync.aligned in: tcgen05.wait::ld.sync.aligned;\00"
; CHECK-DAG: c"llvm.nvvm.istypep.sampler\00"
; CHECK-DAG: {{.*}} in: not ptx at all (\00"
; CHECK-LABEL: define internal void @kernel.dev
; CHECK: call void @__scopesan_cpu_unsupported
; CHECK: call void @__scopesan_cpu_unsupported
; CHECK: call void @__scopesan_cpu_unsupported
define ptx_kernel void @kernel(ptr %out) {
  call void asm sideeffect "tcgen05.wait::ld.sync.aligned;", "~{memory}"()
  %a = call i32 asm "not ptx at all (", "=r,r"(i32 1)
  store i32 %a, ptr %out
  %b = call i1 @llvm.nvvm.istypep.sampler(i64 0)
  store i1 %b, ptr %out
  ret void
}
declare i1 @llvm.nvvm.istypep.sampler(i64)

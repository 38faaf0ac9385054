; RUN: %codegen --emit-ll %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @kernel.dev
; CHECK: call i32 @__scopesan_cpu_vprintf(ptr %p, ptr %p)
; CHECK: call ptr @__scopesan_cpu_malloc(i64 8)
; CHECK: call void @__scopesan_cpu_free(ptr
; CHECK: call ptr @_Znwm.dev(i64 4)
; CHECK: call void @_ZdlPvm.dev(ptr
; CHECK: store i32 0, ptr %p
; CHECK: call void @__scopesan_cpu_assertfail(ptr %p, ptr %p, i32 1, ptr %p, i64 1)
; CHECK-LABEL: define internal ptr @_Znwm.dev
; CHECK: call ptr @__scopesan_cpu_malloc(
; CHECK: declare void @__scopesan_cpu_assertfail(ptr, ptr, i32, ptr, i64) #[[ASSERT:[0-9]+]]
; CHECK: attributes #[[ASSERT]] = { {{.*}}noreturn
define ptx_kernel void @kernel(ptr %p) {
  %1 = call i32 @vprintf(ptr %p, ptr %p)
  %2 = call noalias ptr @malloc(i64 8)
  call void @free(ptr %2)
  %3 = call ptr @_Znwm(i64 4)
  call void @_ZdlPvm(ptr %3, i64 4)
  %4 = call i32 @__nvvm_reflect(ptr @.str)
  store i32 %4, ptr %p
  call void @__assertfail(ptr %p, ptr %p, i32 1, ptr %p, i64 1)
  ret void
}
@.str = private constant [4 x i8] c"abc\00"
declare i32 @vprintf(ptr, ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare ptr @_Znwm(i64)
declare void @_ZdlPvm(ptr, i64)
declare i32 @__nvvm_reflect(ptr)
declare void @__assertfail(ptr, ptr, i32, ptr, i64)

; A variable has one offset in all kernels that reach it; kernels that share nothing overlap.
; RUN: %codegen --emit-ll %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"
@a = internal addrspace(3) global [256 x i32] undef
@b = internal addrspace(3) global [256 x i32] undef
@common = internal addrspace(3) global [16 x i32] undef
@dynamic = external addrspace(3) global [0 x i8]

; CHECK-NOT: addrspace(3) global
; CHECK: c"a\00"
; CHECK: @kernels = {{.*}} ptr @entry.first, i32 2176, i32 0, {{.*}} ptr @entry.second, i32 2176, i32 0, {{.*}} ptr @entry.third, i32 1024, i32 0,

; CHECK-LABEL: define internal void @first.dev
; CHECK: %thread = load ptr, ptr @__scopesan_cpu_current, {{.*}}!invariant.load
; CHECK: %a = getelementptr i8, ptr %{{.*}}, i64 1024
; CHECK-LABEL: define internal void @second.dev
; CHECK: %b = getelementptr i8, ptr %{{.*}}, i64 1024
; CHECK-LABEL: define internal void @helper.dev
; CHECK-DAG: %common = getelementptr i8, ptr %{{.*}}, i64 2048
; CHECK-DAG: %dynamic = getelementptr i8, ptr %{{.*}}, i64 2176
define ptx_kernel void @first() {
  store i32 1, ptr addrspace(3) @a
  call void @helper()
  ret void
}
define ptx_kernel void @second() {
  store i32 1, ptr addrspace(3) @b
  call void @helper()
  ret void
}
define ptx_kernel void @third() {
  ret void
}
define void @helper() {
  store i32 1, ptr addrspace(3) @common
  store i8 1, ptr addrspace(3) @dynamic
  ret void
}

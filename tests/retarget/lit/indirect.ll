; An indirect call reaches every function whose address is taken.
; RUN: %codegen --emit-ll %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"
@table = addrspace(1) externally_initialized global [1 x ptr] [ptr @target]
@hidden = internal addrspace(3) global [4 x i32] undef
@own = internal addrspace(3) global [4 x i32] undef

; CHECK: @[[NAME:.*]] = internal constant {{.*}} c"hidden\00"
; CHECK: @shared.variables = internal constant [2 x
; CHECK-DAG: %own = getelementptr i8, ptr %{{.*}}, i64 1040
; CHECK-DAG: %hidden = getelementptr i8, ptr %{{.*}}, i64 1024
define ptx_kernel void @kernel() {
  store i32 1, ptr addrspace(3) @own
  %f = load ptr, ptr addrspace(1) @table
  call void %f()
  ret void
}
define void @target() {
  store i32 1, ptr addrspace(3) @hidden
  ret void
}

; P5: private and constant memory is never checked.
; RUN: %instrument %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

%struct.S = type { [8 x i32] }
@table = internal addrspace(1) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]

; CHECK-LABEL: define ptx_kernel void @private
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define ptx_kernel void @private(ptr byval(%struct.S) align 4 %s, i64 %i, i1 %c) {
  %a = alloca [8 x i32]
  %b = alloca [8 x i32]
  %e = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %e
  %f = getelementptr i32, ptr %s, i64 %i
  %v = load i32, ptr %f
  %g = getelementptr i32, ptr addrspacecast (ptr addrspace(1) @table to ptr), i64 %i
  %x = load i32, ptr %g
  %sel = select i1 %c, ptr %a, ptr %b
  store volatile i32 %x, ptr %sel
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %s, i64 32, i1 false)
  call void @llvm.lifetime.end.p0(ptr %a)
  ret void
}

; One possible target is not private.
; CHECK-LABEL: @maybe
; CHECK: call void @__scopesan_read(ptr %sel, i32 4,
; CHECK: call void @__scopesan_write_range(ptr %p, i64 32,
; CHECK-NOT: call void @__scopesan
define void @maybe(ptr %p, i1 %c) {
  %a = alloca [8 x i32]
  %sel = select i1 %c, ptr %a, ptr %p
  %v = load i32, ptr %sel
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %a, i64 32, i1 false)
  ret void
}

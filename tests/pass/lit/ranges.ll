; memcpy, memmove and memset report ranges; the source first.
; RUN: %instrument %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @ranges
; CHECK: call void @__scopesan_read_range(ptr %q, i64 %n, i32
; CHECK: call void @__scopesan_write_range(ptr %p, i64 %n, i32
; CHECK-NEXT: call void @llvm.memcpy
; CHECK: call void @__scopesan_read_range(ptr %q, i64 40, i32
; CHECK: call void @__scopesan_write_range(ptr %p, i64 40, i32
; CHECK: [[N:%.*]] = zext i32 %m to i64
; CHECK: call void @__scopesan_write_range(ptr %p, i64 [[N]], i32
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @ranges(ptr %p, ptr %q, i64 %n, i32 %m) {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 40, i1 false)
  call void @llvm.memset.p0.i32(ptr %p, i8 0, i32 %m, i1 false)
  ret void
}

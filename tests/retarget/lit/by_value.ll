; A parameter that lies in memory is handed on by its address, copied only for a kernel that writes it.
; RUN: %codegen --emit-ll %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"
%pair = type { i64, i64 }

; CHECK: define internal void @entry.reads(ptr %0)
; CHECK: [[SLOT:%.*]] = getelementptr inbounds ptr, ptr %0, i64 0
; CHECK-NEXT: [[AT:%.*]] = load ptr, ptr [[SLOT]]
; CHECK-NEXT: [[SLOT:%.*]] = getelementptr inbounds ptr, ptr %0, i64 1
; CHECK-NEXT: [[OUT:%.*]] = load ptr, ptr [[SLOT]]
; CHECK-NEXT: [[TO:%.*]] = load ptr, ptr [[OUT]]
; CHECK-NEXT: call void @reads.dev(ptr align 8 [[AT]], ptr [[TO]])
define ptx_kernel void @reads(ptr readonly byval(%pair) align 8 captures(none) %p, ptr %to) {
  %v = load i64, ptr %p
  store i64 %v, ptr %to
  ret void
}
; CHECK: define internal void @entry.writes(ptr %0)
; CHECK: [[SLOT:%.*]] = getelementptr inbounds ptr, ptr %0, i64 0
; CHECK-NEXT: [[AT:%.*]] = load ptr, ptr [[SLOT]]
; CHECK-NEXT: call void @writes.dev(ptr byval(%pair) align 8 [[AT]])
define ptx_kernel void @writes(ptr byval(%pair) align 8 %p) {
  store i64 1, ptr %p
  ret void
}

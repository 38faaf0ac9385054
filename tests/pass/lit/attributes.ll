; Promises that the inserted calls would break are dropped; convergence is kept everywhere.
; RUN: %instrument %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define i32 @read(ptr %p) [[A:#[0-9]+]]
define i32 @read(ptr readonly captures(none) %p) #0 {
  %v = load i32, ptr %p
  ret i32 %v
}
; CHECK: call i32 @read(ptr %p)
; CHECK-NOT: memory(
; CHECK: attributes [[A]] = { convergent nounwind }
define i32 @caller(ptr %p) {
  %v = call i32 @read(ptr readonly captures(none) %p) #0
  ret i32 %v
}
attributes #0 = { nounwind willreturn nosync nofree norecurse memory(argmem: read) }

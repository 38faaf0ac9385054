; Host code without -scopesan-host leaves its unit's name for the report of a program that has other units with it.
; RUN: %opt-scopesan -passes=scopesan %s | FileCheck %s
source_filename = "plain.cpp"
target triple = "x86_64-pc-linux-gnu"

; CHECK: @__scopesan_plain = private constant [10 x i8] c"plain.cpp\00", section "scopesan_plain", align 1
; CHECK: @llvm.used = appending global {{.*}} @__scopesan_plain

; CHECK-LABEL: define void @f
; CHECK-NEXT: store i32
define void @f(ptr %p) {
  store i32 1, ptr %p
  ret void
}

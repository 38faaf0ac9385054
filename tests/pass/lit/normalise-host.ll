; Only device modules are touched.
; RUN: %opt-scopesan -passes=scopesan-normalise,scopesan-instrument,scopesan < %s | FileCheck %s
; CHECK-NOT: __scopesan
; CHECK: cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst
target triple = "x86_64-pc-linux-gnu"
define i32 @f(ptr %p) {
  %x = cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst
  %old = extractvalue { i32, i1 } %x, 0
  ret i32 %old
}

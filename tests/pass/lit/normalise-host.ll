; Only device code is touched; without -scopesan-host the host's unit leaves its name (host_plain.ll).
; RUN: %opt-scopesan -passes=scopesan-normalise,scopesan-instrument,scopesan < %s | FileCheck %s
; RUN: %opt-scopesan -passes=scopesan-normalise,scopesan-instrument < %s | FileCheck --check-prefix=EARLY %s
; EARLY-NOT: __scopesan
; EARLY: cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst
; CHECK-COUNT-2: @__scopesan_plain
; CHECK-NOT: __scopesan
; CHECK: cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst
; CHECK-NOT: __scopesan
target triple = "x86_64-pc-linux-gnu"
define i32 @f(ptr %p) {
  %x = cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst
  %old = extractvalue { i32, i1 } %x, 0
  ret i32 %old
}

; Guards that asm operands decide are evaluated outside; the others are X1.
; RUN: %instrument %s 2>%t.err | FileCheck %s
; RUN: FileCheck --check-prefix=NOTE %s < %t.err
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @store_if
; CHECK: [[C:%.*]] = icmp ne i32 %c, 0
; CHECK-NEXT: br i1 [[C]], label %[[THEN:.*]], label %[[REST:.*]]
; CHECK: [[THEN]]:
; CHECK: call void @__scopesan_write(ptr %p, i32 4, i32
; CHECK: br label %[[REST]]
; CHECK: [[REST]]:
; CHECK-NEXT: call void asm sideeffect
define void @store_if(ptr %p, i32 %c) {
  call void asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $2, 0; @p st.global.u32 [$0], $1; }", "l,r,r"(ptr %p, i32 1, i32 %c)
  ret void
}

; CHECK-LABEL: @acquire_unless
; CHECK: icmp slt i64 %a, %b
; CHECK: xor i1
; CHECK: call void @__scopesan_atomic_before(ptr %p
; CHECK: call i32 asm sideeffect
; CHECK: icmp slt i64 %a, %b
; CHECK: call void @__scopesan_atomic_after(ptr %p
define void @acquire_unless(ptr %p, i64 %a, i64 %b) {
  %v = call i32 asm sideeffect "{ .reg .pred p; setp.lt.s64 p, $2, $3; @!p ld.acquire.gpu.u32 $0, [$1]; }", "=r,l,l,l"(ptr %p, i64 %a, i64 %b)
  ret void
}

; A branch over statements is their condition.
; CHECK-LABEL: @branch_over
; CHECK: [[C:%.*]] = icmp ne i32 %c, 0
; CHECK-NEXT: [[NOT:%.*]] = xor i1 [[C]], true
; CHECK-NEXT: br i1 [[NOT]]
; CHECK: call void @__scopesan_write(ptr %p, i32 4, i32
; CHECK: call void @__scopesan_write(ptr %q, i32 8, i32
; CHECK: call void asm sideeffect
define void @branch_over(ptr %p, ptr %q, i32 %c) {
  call void asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $2, 0; @p bra L${:uid}; st.global.u32 [$0], 1; L${:uid}: st.u64 [$1], 2; }", "l,l,r"(ptr %p, ptr %q, i32 %c)
  ret void
}

; NOTE: note: ScopeSan: condition computed inside the asm statement (X1 incomplete): @q st.u32 [$0], 1
; CHECK-LABEL: @unresolvable
; CHECK: call void @__scopesan_unmodelled(i32
; CHECK-NEXT: call void asm sideeffect
define void @unresolvable(ptr %p, i32 %x) {
  call void asm sideeffect "{ .reg .pred p, q; setp.ne.u32 p, $1, 0; vote.sync.any.pred q, p, -1; @q st.u32 [$0], 1; }", "l,r"(ptr %p, i32 %x)
  ret void
}

; NOTE: condition computed inside the asm statement (X1 incomplete): ld.acquire.gpu.u32 $0, [$1]
; CHECK-LABEL: @loop
; CHECK: call void @__scopesan_unmodelled(i32
define void @loop(ptr %p) {
  %v = call i32 asm sideeffect "{ .reg .pred p; L${:uid}: ld.acquire.gpu.u32 $0, [$1]; setp.eq.u32 p, $0, 0; @p bra L${:uid}; }", "=r,l"(ptr %p)
  ret void
}

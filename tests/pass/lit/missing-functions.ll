; Tables of abstract classes name functions that no device library has.
; RUN: %opt-scopesan -passes=scopesan-normalise %s | FileCheck %s
; RUN: %opt-scopesan -passes=scopesan-normalise %s | llc -mcpu=sm_90 | FileCheck %s --check-prefix=PTX
target triple = "nvptx64-nvidia-cuda"

@table = addrspace(1) constant [2 x ptr] [ptr @__cxa_pure_virtual, ptr @__cxa_deleted_virtual]

; CHECK: define weak void @__cxa_pure_virtual()
; CHECK: call void @llvm.trap()
; PTX: .weak .func __cxa_pure_virtual()
; PTX: trap;
declare void @__cxa_pure_virtual()

; CHECK: define void @__cxa_deleted_virtual()
; CHECK-NEXT: ret void
define void @__cxa_deleted_virtual() {
  ret void
}

; CHECK-NOT: @__cxa_guard_acquire

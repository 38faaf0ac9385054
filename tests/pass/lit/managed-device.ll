; __managed__ variables of a device module: marked for the back end, also with the pass disabled.
; RUN: %opt-scopesan -passes=scopesan-mark %s | FileCheck %s
; RUN: %opt-scopesan -passes=scopesan-mark -scopesan-enable=0 %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: @m = addrspace(1) externally_initialized global i32 5
; CHECK-NOT: section
; CHECK: @e = external addrspace(1) global i32
; CHECK: @plain = addrspace(1) externally_initialized global i32 0
@m = addrspace(1) externally_initialized global i32 5, section "scopesan_managed"
@e = external addrspace(1) global i32, section "scopesan_managed"
@plain = addrspace(1) externally_initialized global i32 0
; CHECK: !nvvm.annotations = !{[[M:![0-9]+]], [[E:![0-9]+]]}
; CHECK: [[M]] = !{ptr addrspace(1) @m, !"managed", i32 1}
; CHECK: [[E]] = !{ptr addrspace(1) @e, !"managed", i32 1}

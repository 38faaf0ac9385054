; clang emits a kernel before it knows that host code names a static variable or function, and then defines that under
; another name: uses of the first name must mean the definition.
;
; RUN: %opt-scopesan -passes=scopesan-normalise %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@_ZL5table = external addrspace(1) global [4 x i32]
@_ZL5table__static__0123456789abcdef = addrspace(1) externally_initialized global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@_ZN12_GLOBAL__N_13varE = external addrspace(1) global i32
@_ZN12_GLOBAL__N_13varE__intern__0123456789abcdef = addrspace(1) externally_initialized global i32 7
@other = external addrspace(1) global i32
@_ZL3two = external addrspace(1) global i32
@_ZL3two2__static__0123456789abcdef = addrspace(1) global i32 0

; CHECK-NOT: @_ZL5table = 
; CHECK-NOT: @_ZN12_GLOBAL__N_13varE = 
; CHECK-DAG: @other = external
; CHECK-DAG: @_ZL3two = external
; CHECK: load i32, ptr addrspace(1) getelementptr {{.*}}@_ZL5table__static__0123456789abcdef
; CHECK: load i32, ptr addrspace(1) @_ZN12_GLOBAL__N_13varE__intern__0123456789abcdef
; CHECK: load i32, ptr addrspace(1) @other
; CHECK: load i32, ptr addrspace(1) @_ZL3two
; CHECK: call void @_ZL6helperv__static__0123456789abcdef()
define void @kernel(ptr addrspace(1) %p) {
  %a = load i32, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @_ZL5table, i64 12)
  %b = load i32, ptr addrspace(1) @_ZN12_GLOBAL__N_13varE
  %c = load i32, ptr addrspace(1) @other
  %d = load i32, ptr addrspace(1) @_ZL3two
  call void @_ZL6helperv()
  %ab = add i32 %a, %b
  %cd = add i32 %c, %d
  %r = add i32 %ab, %cd
  store i32 %r, ptr addrspace(1) %p
  ret void
}

declare void @_ZL6helperv()
define void @_ZL6helperv__static__0123456789abcdef() {
  ret void
}

; O1: plain loads and stores report before they happen, with a generic address.
; RUN: %instrument %s | FileCheck %s
; RUN: %instrument %s | FileCheck --check-prefix=DECL %s
target triple = "nvptx64-nvidia-cuda"

; DECL-DAG: @__scopesan_site_base = addrspace(1) externally_initialized global i32 0
; DECL-DAG: declare void @__scopesan_read(ptr, i32, i32) [[CONVERGENT:#[0-9]+]]
; DECL-DAG: attributes [[CONVERGENT]] = { convergent nounwind }

; CHECK-LABEL: @load_store
; CHECK: [[BASE:%.*]] = load i32, ptr addrspace(1) @__scopesan_site_base, align 4, !invariant.load
; CHECK: call void @__scopesan_read(ptr %p, i32 4, i32 [[BASE]])
; CHECK-NEXT: load i32, ptr %p
; CHECK: [[BASE:%.*]] = load i32, ptr addrspace(1) @__scopesan_site_base
; CHECK-NEXT: [[SITE:%.*]] = add i32 [[BASE]], 1
; CHECK-NEXT: call void @__scopesan_write(ptr %q, i32 4, i32 [[SITE]])
; CHECK-NEXT: store i32 %v, ptr %q
define void @load_store(ptr %p, ptr %q) {
  %v = load i32, ptr %p
  store i32 %v, ptr %q
  ret void
}

; CHECK-LABEL: @sizes
; CHECK: call void @__scopesan_read(ptr %p, i32 1,
; CHECK: call void @__scopesan_read(ptr %p, i32 16,
; CHECK: call void @__scopesan_read(ptr %p, i32 12,
; CHECK: call void @__scopesan_write(ptr %p, i32 1,
define void @sizes(ptr %p) {
  %a = load i8, ptr %p
  %b = load <4 x float>, ptr %p
  %d = load <3 x i32>, ptr %p, align 4
  %e = trunc i8 %a to i1
  store i1 %e, ptr %p
  ret void
}

@shared = internal addrspace(3) global [32 x i32] poison
@global = addrspace(1) global i32 0

; CHECK-LABEL: @spaces
; CHECK: [[S:%.*]] = load i32, ptr addrspace(1) @__scopesan_site_base
; CHECK: call void @__scopesan_write(ptr addrspacecast (ptr addrspace(3) @shared to ptr), i32 4,
; CHECK: call void @__scopesan_write(ptr addrspacecast (ptr addrspace(1) @global to ptr), i32 4,
; CHECK: [[P:%.*]] = addrspacecast ptr addrspace(7) %c to ptr
; CHECK: call void @__scopesan_write(ptr [[P]], i32 4,
define void @spaces(ptr addrspace(7) %c) {
  store i32 1, ptr addrspace(3) @shared
  store i32 1, ptr addrspace(1) @global
  store i32 1, ptr addrspace(7) %c
  ret void
}

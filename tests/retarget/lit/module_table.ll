; RUN: %codegen --emit-ll %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"
@__scopesan_site_base = addrspace(1) global i32 0
@__scopesan_module = addrspace(1) constant { i32, i32, i32, i32, ptr, ptr, ptr, ptr } { i32 4, i32 0, i32 0, i32 0, ptr null, ptr null, ptr null, ptr addrspacecast (ptr addrspace(1) @__scopesan_site_base to ptr) }
@value = addrspace(1) externally_initialized global i64 3
@_ZL9constants = internal addrspace(4) externally_initialized constant [2 x float] [float 1.0, float 2.0]
@plain = internal addrspace(1) global i32 0
@shared = addrspace(1) externally_initialized global i32 0
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @kernel, ptr null, ptr null, i32 1, ptr null }], section "llvm.metadata"
!nvvm.annotations = !{!0}
!0 = !{ptr addrspace(1) @shared, !"managed", i32 1}

; CHECK: @_ZL9constants.dev = internal addrspace(4) externally_initialized global [2 x float]
; CHECK-NOT: llvm.global.annotations
; Size, constant, managed.
; CHECK: @variables = internal constant [3 x {{.*}}i64 8, i32 0, i32 0 }{{.*}}i64 8, i32 1, i32 0 }{{.*}}i64 4, i32 0, i32 1 }]
; CHECK: @site.tables = internal constant [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @__scopesan_module.dev to ptr)]
; CHECK: @scopesan_cpu_module = constant { i32, i32, i32, i32, ptr, ptr, ptr } { i32 {{[0-9]+}}, i32 1, i32 3, i32 1, ptr @kernels, ptr @variables, ptr @site.tables }
; CHECK-LABEL: define internal void @entry.kernel(ptr %0)
; CHECK: [[SLOT:%.*]] = getelementptr inbounds ptr, ptr %0, i64 1
; CHECK: [[P:%.*]] = load ptr, ptr [[SLOT]]
; CHECK: [[BYTE:%.*]] = load i8, ptr [[P]]
; CHECK: trunc i8 [[BYTE]] to i1
; CHECK: call void @kernel.dev(ptr byval([3 x i32]) align 8 %{{.*}}, i1 zeroext %{{.*}})
define ptx_kernel void @kernel(ptr byval([3 x i32]) align 8 %a, i1 zeroext %b) {
  ret void
}

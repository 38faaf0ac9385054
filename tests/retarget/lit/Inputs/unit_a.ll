; Uses a function and a variable of unit_b.
source_filename = "unit_a.cu"
target triple = "nvptx64-nvidia-cuda"
@__scopesan_site_base = addrspace(1) externally_initialized global i32 0
@__scopesan_module = addrspace(1) constant { i32, i32, i32, i32, ptr, ptr, ptr, ptr } { i32 1, i32 0, i32 0, i32 0, ptr null, ptr null, ptr null, ptr addrspacecast (ptr addrspace(1) @__scopesan_site_base to ptr) }
@total = external addrspace(1) global i32

declare i32 @helper(i32)
define ptx_kernel void @kernelA(ptr %out) {
  %site = load i32, ptr addrspace(1) @__scopesan_site_base
  call void @__scopesan_read(ptr %out, i32 4, i32 %site)
  %v = call i32 @helper(i32 3)
  store i32 %v, ptr addrspace(1) @total
  ret void
}
declare void @__scopesan_read(ptr, i32, i32)
!llvm.module.flags = !{!0}
!0 = !{i32 4, !"nvvm-reflect-ftz", i32 0}

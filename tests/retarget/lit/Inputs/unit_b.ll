; Module flags may differ between units.
source_filename = "unit_b.cu"
target triple = "nvptx64-nvidia-cuda"
@__scopesan_site_base = addrspace(1) externally_initialized global i32 0
@__scopesan_module = addrspace(1) constant { i32, i32, i32, i32, ptr, ptr, ptr, ptr } { i32 1, i32 0, i32 0, i32 0, ptr null, ptr null, ptr null, ptr addrspacecast (ptr addrspace(1) @__scopesan_site_base to ptr) }
@total = addrspace(1) externally_initialized global i32 100

define i32 @helper(i32 %x) {
  %v = add i32 %x, 1
  ret i32 %v
}
define ptx_kernel void @kernelB() {
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 4, !"nvvm-reflect-ftz", i32 1}

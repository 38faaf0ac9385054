; O6: reads of constant variables that the host may write. The GPU does not record them: there the
; kernel table says which variables a kernel may read.
; RUN: %instrument %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@coef = addrspace(4) externally_initialized constant [4 x i32] zeroinitializer
@elsewhere = external addrspace(4) constant i32
@table = internal addrspace(4) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@fixed = addrspace(1) externally_initialized constant i32 7

; CHECK-LABEL: define ptx_kernel void @named
; CHECK: call void @__scopesan_proxy_access(ptr {{.*}}, i32 4, i32 0, i32 7, i32
; CHECK: load i32, ptr addrspace(4) @coef
; CHECK: call void @__scopesan_proxy_access(ptr {{.*}}, i32 4, i32 0, i32 7, i32
; CHECK: load i32, ptr addrspace(4) @elsewhere
; CHECK: call void @__scopesan_proxy_access(ptr {{.*}}, i32 4, i32 0, i32 7, i32
; CHECK: load i32, ptr addrspace(1) @fixed
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define ptx_kernel void @named(i64 %i) {
  %a = load i32, ptr addrspace(4) @coef
  %b = load i32, ptr addrspace(4) @elsewhere
  %c = load i32, ptr addrspace(1) @fixed
  %e = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @table to ptr), i64 %i
  %d = load i32, ptr %e
  ret void
}

; Vectors, volatile reads, copies, pointers into constant memory, inline PTX.
; CHECK-LABEL: define ptx_kernel void @forms
; CHECK: call void @__scopesan_proxy_access(ptr {{.*}}, i32 16, i32 0, i32 7, i32
; CHECK: load <4 x i32>
; CHECK: call void @__scopesan_proxy_access(ptr {{.*}}, i32 4, i32 0, i32 7, i32
; CHECK: load volatile i32
; CHECK: call void @__scopesan_proxy_access(ptr {{.*}}, i32 12, i32 0, i32 7, i32
; CHECK: call void @llvm.memcpy
; CHECK: call void @__scopesan_proxy_access(ptr {{.*}}, i32 4, i32 0, i32 7, i32
; CHECK: load i32, ptr addrspace(4) %p
; CHECK: call void @__scopesan_proxy_access(ptr {{.*}}, i32 4, i32 0, i32 7, i32
; CHECK: asm
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define ptx_kernel void @forms(ptr addrspace(4) %p) {
  %l = alloca [4 x i32]
  %a = load <4 x i32>, ptr addrspace(4) @coef
  %b = load volatile i32, ptr addrspace(4) @coef
  call void @llvm.memcpy.p0.p4.i64(ptr %l, ptr addrspace(4) @coef, i64 12, i1 false)
  %c = load i32, ptr addrspace(4) %p
  %d = call i32 asm "ld.const.u32 $0, [$1];", "=r,l"(ptr addrspace(4) %p)
  ret void
}

; What may be constant memory and may be something else is checked as that.
; CHECK-LABEL: define ptx_kernel void @either
; CHECK: call void @__scopesan_read(ptr
; CHECK: load i32, ptr
define ptx_kernel void @either(ptr %p, i1 %c) {
  %s = select i1 %c, ptr addrspacecast (ptr addrspace(4) @coef to ptr), ptr %p
  %v = load i32, ptr %s
  ret void
}

declare void @llvm.memcpy.p0.p4.i64(ptr, ptr addrspace(4), i64, i1)

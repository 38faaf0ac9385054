; O6: reads that the back end turns into ld.global.nc go through the non-coherent proxy (3), and no
; others do. What the back end really does is checked beside it.
; RUN: %instrument %s | FileCheck --implicit-check-not='call void @__scopesan_read' --implicit-check-not='call void @__scopesan_proxy' %s
; RUN: llc -mcpu=sm_90 -O2 %s -o - | grep -v ld.param | FileCheck --check-prefix=PTX --implicit-check-not='ld.{{[gb]}}' %s
target triple = "nvptx64-nvidia-cuda"

; The site says so too: 2 << 20 | 1 << 18 and global 1 << 12.
; CHECK: [{ i32, i32, i32, i32 } { i32 0, i32 2363392, i32 4,

; CHECK-LABEL: @invariant(
; CHECK: call void @__scopesan_proxy_access(ptr {{.*}}, i32 4, i32 0, i32 3, i32
; PTX-LABEL: .func invariant(
; PTX: ld.global.nc.b32
define void @invariant(ptr addrspace(1) %g, ptr %out) {
  %a = load i32, ptr addrspace(1) %g, !invariant.load !0
  store volatile i32 %a, ptr %out
  ret void
}

; CHECK-LABEL: @readonly(
; CHECK: call void @__scopesan_proxy_access(ptr %ro, i32 4, i32 0, i32 3, i32
; CHECK: call void @__scopesan_proxy_access(ptr {{.*}}, i32 16, i32 0, i32 3, i32
; PTX-LABEL: .entry readonly(
; PTX: ld.global.nc.b32
; PTX: ld.global.nc.v4.b32
define ptx_kernel void @readonly(ptr noalias readonly %ro, ptr %out, i64 %i) {
  %a = load i32, ptr %ro
  store volatile i32 %a, ptr %out
  %g = getelementptr i32, ptr %ro, i64 %i
  %b = load <4 x i32>, ptr %g
  store volatile <4 x i32> %b, ptr %out
  ret void
}

; CHECK-LABEL: @loop(
; CHECK: call void @__scopesan_proxy_access(ptr %p, i32 4, i32 0, i32 3, i32
; PTX-LABEL: .entry loop(
; PTX: ld.global.nc.b32
define ptx_kernel void @loop(ptr noalias readonly %x, ptr %out, i32 %n) {
entry:
  br label %loop
loop:
  %p = phi ptr [ %x, %entry ], [ %q, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = load i32, ptr %p
  store volatile i32 %a, ptr %out
  %q = getelementptr i32, ptr %p, i64 1
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}

; One of two arguments may be written.
; CHECK-LABEL: @mixed(
; CHECK: call void @__scopesan_read(ptr %p, i32 4, i32
; PTX-LABEL: .entry mixed(
; PTX: ld.global.b32
define ptx_kernel void @mixed(ptr noalias readonly %x, ptr noalias %y, ptr %out, i1 %q) {
  %p = select i1 %q, ptr %x, ptr %y
  %a = load i32, ptr %p
  store volatile i32 %a, ptr %out
  ret void
}

; CHECK-LABEL: @may_alias(
; CHECK: call void @__scopesan_read(ptr %x, i32 4, i32
; PTX-LABEL: .entry may_alias(
; PTX: ld.global.b32
define ptx_kernel void @may_alias(ptr readonly %x, ptr %out) {
  %a = load i32, ptr %x
  store volatile i32 %a, ptr %out
  ret void
}

; Only kernels promise it.
; CHECK-LABEL: @function(
; CHECK: call void @__scopesan_read(ptr %ro, i32 4, i32
; CHECK: call void @__scopesan_read(ptr %x, i32 4, i32
; PTX-LABEL: .func function(
; PTX: ld.b32
; PTX: ld.b32
define void @function(ptr noalias readonly %ro, ptr %x, ptr %out) {
  %a = load i32, ptr %ro
  store volatile i32 %a, ptr %out
  %b = load i32, ptr %x, !invariant.load !0
  store volatile i32 %b, ptr %out
  ret void
}

; A pointer to global memory, whatever its type says.
; CHECK-LABEL: @known_global(
; CHECK: call void @__scopesan_proxy_access(ptr %x, i32 4, i32 0, i32 3, i32
; CHECK: call void @__scopesan_proxy_access(ptr %p, i32 4, i32 0, i32 3, i32
; CHECK: call void @__scopesan_proxy_access(ptr %h, i32 4, i32 0, i32 3, i32
; PTX-LABEL: .entry known_global(
; PTX: ld.global.nc.b32
; PTX: ld.global.nc.b32
; PTX: ld.global.nc.b32
define ptx_kernel void @known_global(ptr %x, ptr byval({ ptr, ptr }) %s, ptr addrspace(1) %y, ptr %out) {
  %a = load i32, ptr %x, !invariant.load !0
  store volatile i32 %a, ptr %out
  %p = load ptr, ptr %s
  %b = load i32, ptr %p, !invariant.load !0
  store volatile i32 %b, ptr %out
  %g = addrspacecast ptr addrspace(1) %y to ptr
  %h = getelementptr i32, ptr %g, i64 5
  %c = load i32, ptr %h, !invariant.load !0
  store volatile i32 %c, ptr %out
  ret void
}

; What a pointer in memory points to is unknown.
; CHECK-LABEL: @loaded(
; CHECK: call void @__scopesan_proxy_access(ptr %x, i32 8, i32 0, i32 3, i32
; CHECK: call void @__scopesan_read(ptr %p, i32 4, i32
; PTX-LABEL: .entry loaded(
; PTX: ld.global.nc.b64
; PTX: ld.b32
define ptx_kernel void @loaded(ptr noalias readonly %x, ptr %out) {
  %p = load ptr, ptr %x
  %a = load i32, ptr %p, !invariant.load !0
  store volatile i32 %a, ptr %out
  ret void
}

; CHECK-LABEL: @unoptimized(
; CHECK: call void @__scopesan_read(ptr %x, i32 4, i32
; PTX-LABEL: .entry unoptimized(
; PTX: ld.b32
define ptx_kernel void @unoptimized(ptr noalias readonly %x, ptr %out) noinline optnone {
  %a = load i32, ptr %x
  store volatile i32 %a, ptr %out
  ret void
}

; Copies become loops from 128 bytes on.
; CHECK-LABEL: @copies(
; CHECK: call void @__scopesan_read_range(ptr %x, i64 8, i32
; CHECK: call void @__scopesan_proxy_access(ptr %x, i32 128, i32 0, i32 3, i32
; CHECK: [[N:%.*]] = trunc i64 %n to i32
; CHECK: call void @__scopesan_proxy_access(ptr %x, i32 [[N]], i32 0, i32 3, i32
; PTX-LABEL: .entry copies(
; PTX: ld.global.b64
; PTX: ld.global.nc.b8
; PTX: ld.global.nc.b8
define ptx_kernel void @copies(ptr noalias readonly align 8 %x, ptr align 8 %out, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %out, ptr align 8 %x, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %x, i64 128, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %x, i64 %n, i1 false)
  ret void
}

; The instruction by name, and ldu.
; CHECK-LABEL: @named(
; CHECK: call void @__scopesan_proxy_access(ptr %x, i32 4, i32 0, i32 3, i32
; CHECK: call void @__scopesan_proxy_access(ptr {{.*}}, i32 4, i32 0, i32 3, i32
; PTX-LABEL: .entry named(
; PTX: ld.global.nc.s32
; PTX: ldu.global
define ptx_kernel void @named(ptr %x, ptr addrspace(1) %g, ptr %out) {
  %a = call i32 asm "ld.global.nc.s32 $0, [$1];", "=r,l"(ptr %x)
  store volatile i32 %a, ptr %out
  %b = call i32 @llvm.nvvm.ldu.global.i.i32.p1(ptr addrspace(1) %g, i32 4)
  store volatile i32 %b, ptr %out
  ret void
}
!0 = !{}

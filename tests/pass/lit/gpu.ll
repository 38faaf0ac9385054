; The module's own code for the GPU: entry points of gpu_abi.def, exits, site table, device runtime.
; RUN: %opt-scopesan -passes=scopesan %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; Without a runtime the code stays plain.
; RUN: %opt-scopesan -passes=scopesan -scopesan-device-runtime=%t.none %s | FileCheck --check-prefix=PLAIN %s
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [16 x float] undef, align 4

; CHECK-DAG: @__scopesan_gpu_sites_base_[[HASH:[0-9a-f]+]] = weak_odr {{.*}}addrspace(1) externally_initialized global i32 0
; CHECK-DAG: @__scopesan_gpu_sites_[[HASH]] = weak_odr addrspace(1) constant {{.*}}c"\7FScopeSan\0DSITE\0A\1A
; CHECK-DAG: @__scopesan_gpu_state = weak_odr {{.*}}addrspace(1)
; CHECK-DAG: @llvm.used = {{.*}}@__scopesan_gpu_state

; PLAIN-NOT: @__scopesan_gpu
; PLAIN-NOT: call void @__scopesan_

; CHECK: define ptx_kernel void @kernel({{.*}} #[[CAPPED:[0-9]+]]
; Its threads enter themselves under the kernel's id, gpu::kernelId("kernel"), before all else.
; CHECK-NEXT: call void @__scopesan_gpu_enter(i32 580800216)
; CHECK: call void @__scopesan_gpu_shared(ptr {{.*}}@tile{{.*}}, i32 64,
; CHECK: call void @__scopesan_atomic_before(
; CHECK: %[[OLD:.*]] = atomicrmw add
; CHECK: %[[NEW:.*]] = add i32 %[[OLD]], 3
; CHECK: %[[WIDE:.*]] = zext i32 %[[NEW]] to i64
; Wrote, written known, value known.
; CHECK: call void @__scopesan_gpu_atomic_after(ptr %p, i32 4, {{.*}} i32 7, i64 %{{.*}}, i64 %[[WIDE]])
; A store reads nothing.
; CHECK: call void @__scopesan_gpu_atomic_after(ptr %p, i32 4, {{.*}} i32 3, i64 0, i64 7)
; CHECK: call void @__scopesan_gpu_exit()
; CHECK-NEXT: ret void
define ptx_kernel void @kernel(ptr %p) {
  %old = atomicrmw add ptr %p, i32 3 seq_cst
  store atomic i32 7, ptr %p syncscope("device") release, align 4
  store float 1.0, ptr addrspace(3) @tile
  ret void
}

; Sums of floating-point numbers are rounded as in memory, whatever made the operand.
; CHECK: define ptx_kernel void @sums(
; CHECK: %[[FOLD:.*]] = atomicrmw fadd ptr %p
; CHECK: %[[FNEW:.*]] = call float @llvm.nvvm.add.rn.f(float %[[FOLD]], float %x)
; CHECK: %[[FBITS:.*]] = bitcast float %[[FNEW]] to i32
; CHECK: %[[FWIDE:.*]] = zext i32 %[[FBITS]] to i64
; CHECK: call void @__scopesan_gpu_atomic_after(ptr %p, i32 4, {{.*}} i32 7, i64 %{{.*}}, i64 %[[FWIDE]])
; CHECK: %[[DOLD:.*]] = atomicrmw fadd ptr %q
; CHECK: call double @llvm.nvvm.add.rn.d(double %[[DOLD]], double 1.000000e+00)
; In inline PTX.
; CHECK: call float @llvm.nvvm.add.rn.f(
; Of 16-bit numbers the sum is not known.
; CHECK: atomicrmw fadd ptr %h
; CHECK: call void @__scopesan_gpu_atomic_after(ptr %h, i32 2, {{.*}} i32 5, i64 %{{.*}}, i64 0)
define ptx_kernel void @sums(ptr %p, ptr %q, ptr %h, float %a, float %b) {
  %x = fmul float %a, %b
  %f = atomicrmw fadd ptr %p, float %x syncscope("device") monotonic
  %d = atomicrmw fadd ptr %q, double 1.0 syncscope("device") monotonic
  %g = call float asm sideeffect "atom.add.f32 $0, [$1], $2;", "=f,l,f,~{memory}"(ptr %p, float %a)
  %e = atomicrmw fadd ptr %h, half 1.0 syncscope("device") monotonic
  ret void
}

; Device functions do not end their thread.
; CHECK: define void @helper(
; CHECK-NOT: call void @__scopesan_gpu_{{enter|exit}}
; CHECK: ret void
define void @helper(ptr %p) {
  store i32 1, ptr %p
  ret void
}

; CHECK: define internal void @__scopesan_write(
; CHECK: attributes #[[CAPPED]] = { {{.*}}"nvvm.maxnreg"="64"

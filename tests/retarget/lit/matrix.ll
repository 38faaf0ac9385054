; Matrix instructions: fragments in memory of the lane, the form as a constant; what has no form here
; stops the kernel by name.
; RUN: %codegen --emit-ll %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-DAG: c"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 in: 
; CHECK-DAG: c"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 in: 
; CHECK-DAG: c"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes in: 

; CHECK-LABEL: define internal void @mma.dev
; CHECK: call void @__scopesan_cpu_mma(i64 {{[0-9]+}}, ptr
define ptx_kernel void @mma(ptr %p, i32 %x, float %c) {
  %d = call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {$0,$1,$2,$3}, {$4,$4,$4,$4}, {$4,$4}, {$5,$5,$5,$5};", "=f,=f,=f,=f,r,f"(i32 %x, float %c)
  %v = extractvalue { float, float, float, float } %d, 3
  store float %v, ptr %p
  ret void
}

; CHECK-LABEL: define internal void @wmma.dev
; CHECK: call void @__scopesan_cpu_wmma_load(i64 {{[0-9]+}}, i32 0, ptr {{.*}}, ptr %p, i32 %n, i32 0)
; CHECK: call void @__scopesan_cpu_mma(i64
; CHECK: call void @__scopesan_cpu_wmma_store(i64 {{[0-9]+}}, ptr {{.*}}, ptr %p, i32 8, i32 0)
define ptx_kernel void @wmma(ptr %p, i32 %n) {
  %a = call double @llvm.nvvm.wmma.m8n8k4.load.a.row.stride.f64.p0(ptr %p, i32 %n)
  %d = call { double, double } @llvm.nvvm.wmma.m8n8k4.mma.row.col.f64(double %a, double %a, double %a, double %a)
  %d0 = extractvalue { double, double } %d, 0
  %d1 = extractvalue { double, double } %d, 1
  call void @llvm.nvvm.wmma.m8n8k4.store.d.row.f64.p0(ptr %p, double %d0, double %d1)
  ret void
}

; CHECK-LABEL: define internal void @small.dev
; CHECK: call void @__scopesan_cpu_wmma_load(i64 {{[0-9]+}}, i32 0, ptr {{.*}}, ptr %p, i32 %n, i32 0)
; CHECK: call void @__scopesan_cpu_wmma_load(i64 {{[0-9]+}}, i32 1, ptr {{.*}}, ptr %p, i32 %n, i32 1)
; CHECK: call void @__scopesan_cpu_mma(i64
; CHECK: call void @__scopesan_cpu_wmma_store(i64 {{[0-9]+}}, ptr {{.*}}, ptr %p, i32 %n, i32 0)
define ptx_kernel void @small(ptr %p, i32 %n) {
  %a = call i32 @llvm.nvvm.wmma.m8n8k32.load.a.row.stride.s4.p0(ptr %p, i32 %n)
  %b = call i32 @llvm.nvvm.wmma.m8n8k32.load.b.col.stride.s4.p0(ptr %p, i32 %n)
  %d = call { i32, i32 } @llvm.nvvm.wmma.m8n8k32.mma.row.col.s4(i32 %a, i32 %b, i32 0, i32 0)
  %d0 = extractvalue { i32, i32 } %d, 0
  %d1 = extractvalue { i32, i32 } %d, 1
  call void @llvm.nvvm.wmma.m8n8k32.store.d.row.stride.s32.p0(ptr %p, i32 %d0, i32 %d1, i32 %n)
  ret void
}

; CHECK-LABEL: define internal void @groups.dev
; CHECK: call void @__scopesan_cpu_wgmma_commit()
; CHECK: call void @__scopesan_cpu_wgmma_wait(i32 1)
define ptx_kernel void @groups() {
  call void @llvm.nvvm.wgmma.fence.sync.aligned()
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 1)
  ret void
}

; CHECK-LABEL: define internal void @wgmma.dev
; CHECK: call void @__scopesan_cpu_wgmma(i64 {{[0-9]+}}, ptr {{.*}}, ptr null, i64 %a, i64 %b, i32 1)
; CHECK: call void @__scopesan_cpu_wgmma_commit()
; CHECK: call void @__scopesan_cpu_wgmma_wait(i32 0)
define ptx_kernel void @wgmma(ptr %p, i64 %a, i64 %b, float %x) {
  %d = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 1, 1, -1, 0, 0;", "=f,=f,=f,=f,l,l,0,1,2,3"(i64 %a, i64 %b, float %x, float %x, float %x, float %x)
  call void asm sideeffect "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", "~{memory}"()
  %v = extractvalue { float, float, float, float } %d, 3
  store float %v, ptr %p
  ret void
}

; CHECK-LABEL: define internal void @tensor.dev
; CHECK: call void @__scopesan_cpu_tensor_copy(ptr {{.*}}, ptr {{.*}}, ptr {{.*}}, ptr {{.*}}, i32 2, i32 0, i32 0, i32 0)
; CHECK: call void @__scopesan_cpu_tensor_copy(ptr {{.*}}, ptr {{.*}}, ptr null, ptr {{.*}}, i32 1, i32 1, i32 1, i32 0)
define ptx_kernel void @tensor(i32 %s, i64 %map, i32 %x, i32 %m) {
  call void asm sideeffect "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$2, 4}], [$3];", "r,l,r,r"(i32 %s, i64 %map, i32 %x, i32 %m)
  call void asm sideeffect "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [$1, {$2}], [$0];", "r,l,r"(i32 %s, i64 %map, i32 %x)
  ret void
}

; Field and ordinal, then the value; a copy of a map between two meetings of the warp.
; CHECK-LABEL: define internal void @maps.dev
; CHECK: call void @__scopesan_cpu_tensormap_replace(ptr {{.*}}, i32 0, i32 0, i64 %v)
; CHECK: [[N:%.*]] = zext i32 %n to i64
; CHECK: call void @__scopesan_cpu_tensormap_replace(ptr {{.*}}, i32 3, i32 1, i64 [[N]])
; CHECK: call void @llvm.memcpy{{.*}}, i64 128, i1 false)
define ptx_kernel void @maps(ptr %p, i32 %s, i64 %v, i32 %n) {
  call void asm sideeffect "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [$0], $1;", "r,l"(i32 %s, i64 %v)
  call void asm sideeffect "tensormap.replace.tile.global_dim.global.b1024.b32 [$0], 1, $1;", "l,r"(ptr %p, i32 %n)
  call void asm sideeffect "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;", "l,r"(ptr %p, i32 %s)
  ret void
}

; CHECK-LABEL: define internal void @missing.dev
; CHECK: call void @__scopesan_cpu_unsupported(
define ptx_kernel void @missing(i32 %x, float %c, i64 %map) {
  %d = call float asm sideeffect "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {$0,$0,$0,$0,$0,$0,$0,$0}, {$1,$1}, {$1,$1}, {$2,$2,$2,$2,$2,$2,$2,$2};", "=f,r,f"(i32 %x, float %c)
  %e = call float asm sideeffect "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0,$0,$0,$0}, {$1,$1}, {$1,$1}, {$2,$2,$2,$2}, $1, 0;", "=f,r,f"(i32 %x, float %c)
  call void asm sideeffect "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [$0], [$1, {$0,$0,$0}], [$0], {$0};", "r,l"(i32 %x, i64 %map)
  ret void
}
declare double @llvm.nvvm.wmma.m8n8k4.load.a.row.stride.f64.p0(ptr, i32)
declare { double, double } @llvm.nvvm.wmma.m8n8k4.mma.row.col.f64(double, double, double, double)
declare void @llvm.nvvm.wmma.m8n8k4.store.d.row.f64.p0(ptr, double, double)

; Matrices in memory (wmma), in shared memory by descriptor (wgmma), tensor copies.
; RUN: %instrument %s | FileCheck %s
; RUN: %opt-scopesan -passes=scopesan %s -o %t.ll
; RUN: FileCheck --check-prefix=GPU %s < %t.ll
target triple = "nvptx64-nvidia-cuda"

; Lane i reads row i: 16 rows of 16 halves, %n halves apart.
; CHECK-LABEL: @load
; CHECK: %[[L:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK: %[[C:.*]] = icmp ult i32 %[[L]], 16
; CHECK: br i1 %[[C]]
; CHECK: %[[M:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK: %[[LANE:.*]] = zext i32 %[[M]] to i64
; CHECK: %[[N:.*]] = sext i32 %n to i64
; CHECK: %[[E:.*]] = mul i64 %[[LANE]], %[[N]]
; CHECK: %[[BITS:.*]] = mul i64 %[[E]], 16
; CHECK: %[[BYTES:.*]] = lshr i64 %[[BITS]], 3
; CHECK: %[[A:.*]] = getelementptr i8, ptr %p, i64 %[[BYTES]]
; CHECK: call void @__scopesan_read(ptr %[[A]], i32 32, i32
; CHECK: call {{.*}} @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0(
define void @load(ptr %p, i32 %n) {
  %f = call { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0(ptr %p, i32 %n)
  ret void
}

; The stride of a store is its last operand.
; CHECK-LABEL: @store
; CHECK: sext i32 %n to i64
; CHECK: call void @__scopesan_write(ptr {{.*}}, i32 64, i32
define void @store(ptr %p, float %x, i32 %n) {
  call void @llvm.nvvm.wmma.m16n16k16.store.d.row.stride.f32.p0(ptr %p, float %x, float %x, float %x, float %x, float %x, float %x, float %x, float %x, i32 %n)
  ret void
}

; Rows of 32 numbers of 4 bits, and of 128 bits: 16 bytes by 8 lanes.
; CHECK-LABEL: @small
; CHECK: icmp ult i32 {{.*}}, 8
; CHECK: call void @__scopesan_read(ptr {{.*}}, i32 16, i32
; CHECK: call {{.*}} @llvm.nvvm.wmma.m8n8k32.load.a.row.stride.s4.p0(
; CHECK: call void @__scopesan_read(ptr {{.*}}, i32 16, i32
; CHECK: call {{.*}} @llvm.nvvm.wmma.m8n8k128.load.b.col.b1.p0(
; CHECK: call void @__scopesan_write(ptr {{.*}}, i32 32, i32
define void @small(ptr %p, i32 %n) {
  %a = call i32 @llvm.nvvm.wmma.m8n8k32.load.a.row.stride.s4.p0(ptr %p, i32 %n)
  %b = call i32 @llvm.nvvm.wmma.m8n8k128.load.b.col.b1.p0(ptr %p)
  call void @llvm.nvvm.wmma.m8n8k32.store.d.row.stride.s32.p0(ptr %p, i32 %a, i32 %b, i32 %n)
  ret void
}

; The groups of a warpgroup order nothing by themselves.
; CHECK-LABEL: @groups
; CHECK-NOT: @__scopesan
; CHECK: ret void
define void @groups() {
  call void @llvm.nvvm.wgmma.fence.sync.aligned()
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0)
  ret void
}

; CHECK-LABEL: @warpgroup
; CHECK: call void @__scopesan_wgmma(i32 {{[0-9]+}}, i32
; CHECK-NEXT: asm sideeffect "wgmma.mma_async
; CHECK-NOT: @__scopesan
; CHECK: ret void
; GPU-LABEL: @warpgroup
; GPU-NOT: @__scopesan_unmodelled(
; GPU: call void @__scopesan_gpu_wgmma(i64 %a, i64 %b, i32 2568, i32 0, i32 0, i32
; GPU: call void @__scopesan_gpu_wgmma_commit(
; GPU: wgmma.wait_group
; GPU: call void @__scopesan_gpu_wgmma_wait(i32 0, i32
define void @warpgroup(i64 %a, i64 %b, float %x) {
  %d = call { float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 1, 1, 1, 0, 0;", "=f,=f,=f,=f,l,l,0,1,2,3"(i64 %a, i64 %b, float %x, float %x, float %x, float %x)
  call void asm sideeffect "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", "~{memory}"()
  ret void
}

; CHECK-LABEL: @tensor
; CHECK: call void @__scopesan_tensor_copy(i32 {{[0-9]+}}, i32
; CHECK-NEXT: asm sideeffect "cp.async.bulk.tensor.1d.shared
; GPU-LABEL: @tensor(
; GPU-NOT: @__scopesan_unmodelled(
; GPU: call void @__scopesan_gpu_tensor_copy(ptr %map, ptr {{.*}}, ptr {{.*}}, i32 %x, i32 0, i32 0, i32 0, i32 0, i32 65536, i32 0, i32
define void @tensor(i32 %s, ptr %map, i32 %x, i32 %m) {
  call void asm sideeffect "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$2}], [$3];", "r,l,r,r"(i32 %s, ptr %map, i32 %x, i32 %m)
  ret void
}

; What the map was, and what it has become.
; CHECK-LABEL: @change
; CHECK: call void @__scopesan_write(ptr {{.*}}, i32 128, i32
; CHECK-NOT: @__scopesan
; CHECK: ret void
; GPU-LABEL: @change(
; GPU: call void @__scopesan_gpu_tensormap_before(ptr {{.*}}, i32 2, i32 1, i64
; GPU: tensormap.replace
; GPU: call void @__scopesan_gpu_tensormap_after(
define void @change(ptr %map, i32 %x) {
  call void asm sideeffect "tensormap.replace.tile.box_dim.global.b1024.b32 [$0], 1, $1;", "l,r"(ptr %map, i32 %x)
  ret void
}
declare { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0(ptr, i32)
declare void @llvm.nvvm.wmma.m16n16k16.store.d.row.stride.f32.p0(ptr, float, float, float, float, float, float, float, float, i32)

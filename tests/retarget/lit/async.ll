; What the engine is told of copies: addresses, sizes, barriers, reductions and masks.
; RUN: %codegen --emit-ll %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @copies.dev
; CHECK: call void @__scopesan_cpu_cp_async(ptr %{{.*}}, ptr %{{.*}}, i32 16, i32 16)
; CHECK: call void @__scopesan_cpu_cp_async(ptr %{{.*}}, ptr %{{.*}}, i32 4, i32 %size)
; CHECK: call void @__scopesan_cpu_cp_async_commit()
; CHECK: call void @__scopesan_cpu_cp_async_wait(i32 1)
; CHECK: call void @__scopesan_cpu_cp_async_wait(i32 -1)
; CHECK: call void @__scopesan_cpu_bulk_copy(ptr %{{.*}}, ptr %{{.*}}, i64 %{{.*}}, ptr %{{.*}}, i32 0, i32 0)
; CHECK: call void @__scopesan_cpu_bulk_copy(ptr %{{.*}}, ptr %{{.*}}, i64 %{{.*}}, ptr %{{.*}}, i32 0, i32 3)
; CHECK: call void @__scopesan_cpu_bulk_copy(ptr %{{.*}}, ptr %{{.*}}, i64 %{{.*}}, ptr null, i32 0, i32 0)
; CHECK: call void @__scopesan_cpu_bulk_commit()
; CHECK: call void @__scopesan_cpu_bulk_wait(i32 2, i32 1)
; CHECK: call void @__scopesan_cpu_bulk_wait(i32 0, i32 0)
; CHECK: call void @__scopesan_cpu_cp_async_mbarrier_arrive(ptr %{{.*}}, i32 1)
; CHECK: call void @__scopesan_cpu_griddep_launch()
; CHECK: call void @__scopesan_cpu_griddep_wait()
define ptx_kernel void @copies(ptr addrspace(3) %s, ptr addrspace(1) %g, i32 %size, ptr addrspace(7) %c, i16 %mask) {
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %s, ptr addrspace(1) %g)
  call void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3) %s, ptr addrspace(1) %g, i32 %size)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 1)
  call void @llvm.nvvm.cp.async.wait.all()
  call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(7) %c, ptr addrspace(3) %s, ptr addrspace(1) %g, i32 %size, i16 3, i64 0, i1 false, i1 false)
  call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(7) %c, ptr addrspace(3) %s, ptr addrspace(1) %g, i32 %size, i16 3, i64 0, i1 true, i1 false)
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(ptr addrspace(1) %g, ptr addrspace(3) %s, i32 %size, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.commit.group()
  call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 2)
  call void @llvm.nvvm.cp.async.bulk.wait.group(i32 0)
  call void @llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared(ptr addrspace(3) %s)
  call void @llvm.nvvm.griddepcontrol.launch.dependents()
  call void @llvm.nvvm.griddepcontrol.wait()
  ret void
}

; CHECK-LABEL: define internal void @asm_copies.dev
; CHECK: call void @__scopesan_cpu_bulk_copy(ptr %{{.*}}, ptr %{{.*}}, i64 64, ptr null, i32 1025, i32 0)
; CHECK: call void @__scopesan_cpu_bulk_copy(ptr %{{.*}}, ptr %{{.*}}, i64 64, ptr %{{.*}}, i32 2, i32 0)
; CHECK: call void @__scopesan_cpu_bulk_copy(ptr %{{.*}}, ptr %{{.*}}, i64 64, ptr %{{.*}}, i32 0, i32 5)
; CHECK: call void @__scopesan_cpu_bulk_copy(ptr %{{.*}}, ptr %{{.*}}, i64 64, ptr null, i32 0, i32 -65536)
; CHECK: call void @__scopesan_cpu_store_async(ptr %{{.*}}, ptr %{{.*}}, i32 16, ptr %{{.*}}, i32 0)
; CHECK: call void @__scopesan_cpu_store_async(ptr %{{.*}}, ptr %{{.*}}, i32 8, ptr %{{.*}}, i32 513)
; CHECK: call void @__scopesan_cpu_bulk_wait(i32 1, i32 1)
define ptx_kernel void @asm_copies(i64 %a, i64 %b, i32 %m, i64 %v) {
  call void asm sideeffect "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [$0], [$1], 64;", "l,l,~{memory}"(i64 %a, i64 %b)
  call void asm sideeffect "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.u32 [$0], [$1], 64, [$2];", "l,l,r,~{memory}"(i64 %a, i64 %b, i32 %m)
  call void asm sideeffect "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [$0], [$1], 64, [$2], 5, $1;", "l,l,r,~{memory}"(i64 %a, i64 %b, i32 %m)
  call void asm sideeffect "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [$0], [$1], 64, $1, 0;", "l,l,~{memory}"(i64 %a, i64 %b)
  call void asm sideeffect "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [$0], {$3, $3}, [$2];", "l,l,r,l,~{memory}"(i64 %a, i64 %b, i32 %m, i64 %v)
  call void asm sideeffect "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [$0], $3, [$2];", "l,l,r,l,~{memory}"(i64 %a, i64 %b, i32 %m, i64 %v)
  call void asm sideeffect "cp.async.bulk.wait_group.read 1;", "~{memory}"()
  ret void
}
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare void @llvm.nvvm.cp.async.wait.all()
declare void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(7), ptr addrspace(3), ptr addrspace(1), i32, i16, i64, i1, i1)
declare void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(ptr addrspace(1), ptr addrspace(3), i32, i64, i1)
declare void @llvm.nvvm.cp.async.bulk.commit.group()
declare void @llvm.nvvm.cp.async.bulk.wait.group.read(i32)
declare void @llvm.nvvm.cp.async.bulk.wait.group(i32)
declare void @llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared(ptr addrspace(3))
declare void @llvm.nvvm.griddepcontrol.launch.dependents()
declare void @llvm.nvvm.griddepcontrol.wait()

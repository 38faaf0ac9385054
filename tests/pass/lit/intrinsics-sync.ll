; Intrinsics of cluster barriers, fences, mbarriers and dependent launches: the effects of their PTX.
; RUN: %instrument %s 2>&1 | FileCheck --implicit-check-not=note: --implicit-check-not='call void @__scopesan' %s
target triple = "nvptx64-nvidia-cuda"

; S9
; CHECK-LABEL: @cluster(
; CHECK: call void @__scopesan_cluster_arrive(i32 0, i32 {{.*}})
; CHECK: call void @llvm.nvvm.barrier.cluster.arrive(
; CHECK: call void @__scopesan_cluster_arrive(i32 0, i32 {{.*}})
; CHECK: call void @llvm.nvvm.barrier.cluster.arrive.aligned(
; CHECK: call void @__scopesan_cluster_arrive(i32 1, i32 {{.*}})
; CHECK: call void @llvm.nvvm.barrier.cluster.arrive.relaxed(
; CHECK: call void @__scopesan_cluster_arrive(i32 1, i32 {{.*}})
; CHECK: call void @llvm.nvvm.barrier.cluster.arrive.relaxed.aligned(
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call void @llvm.nvvm.barrier.cluster.wait(
; CHECK: call void @__scopesan_cluster_wait(i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call void @llvm.nvvm.barrier.cluster.wait.aligned(
; CHECK: call void @__scopesan_cluster_wait(i32 {{.*}})
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @cluster() {
  call void @llvm.nvvm.barrier.cluster.arrive()
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.arrive.relaxed()
  call void @llvm.nvvm.barrier.cluster.arrive.relaxed.aligned()
  call void @llvm.nvvm.barrier.cluster.wait()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  ret void
}

; S1, S13
; CHECK-LABEL: @fences(
; CHECK: call void @__scopesan_fence(i32 16785973, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.mbarrier_init.release.cluster(
; CHECK: call void @__scopesan_fence(i32 8757, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.release.sync_restrict.space.cta.scope.cluster(
; CHECK: call void @__scopesan_fence(i32 12837, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.acquire.sync_restrict.space.cluster.scope.cluster(
; CHECK: call void @__scopesan_proxy_fence(i32 2, i32 0, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.alias(
; CHECK: call void @__scopesan_proxy_fence(i32 0, i32 0, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.async(
; CHECK: call void @__scopesan_proxy_fence(i32 0, i32 1, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.async.global(
; CHECK: call void @__scopesan_proxy_fence(i32 0, i32 2, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.async.shared_cta(
; CHECK: call void @__scopesan_proxy_fence(i32 0, i32 3, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.async.shared_cluster(
; CHECK: call void @__scopesan_proxy_fence(i32 0, i32 2, i32 {{.*}})
; CHECK: call void @__scopesan_fence(i32 8757, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.async_generic.release.sync_restrict.space.cta.scope.cluster(
; CHECK: call void @__scopesan_fence(i32 12837, i32 {{.*}})
; CHECK: call void @__scopesan_proxy_fence(i32 0, i32 3, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.async_generic.acquire.sync_restrict.space.cluster.scope.cluster(
; CHECK: call void @__scopesan_tensormap_fence(ptr null, i32 0, i32 309, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.tensormap_generic.release.cta(
; CHECK: call void @__scopesan_tensormap_fence(ptr %p, i32 128, i32 293, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.tensormap_generic.acquire.cta(
; CHECK: call void @__scopesan_tensormap_fence(ptr null, i32 0, i32 565, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.tensormap_generic.release.cluster(
; CHECK: call void @__scopesan_tensormap_fence(ptr %p, i32 128, i32 549, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.tensormap_generic.acquire.cluster(
; CHECK: call void @__scopesan_tensormap_fence(ptr null, i32 0, i32 821, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.tensormap_generic.release.gpu(
; CHECK: call void @__scopesan_tensormap_fence(ptr %p, i32 128, i32 805, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.tensormap_generic.acquire.gpu(
; CHECK: call void @__scopesan_tensormap_fence(ptr null, i32 0, i32 1077, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.tensormap_generic.release.sys(
; CHECK: call void @__scopesan_tensormap_fence(ptr %p, i32 128, i32 1061, i32 {{.*}})
; CHECK: call void @llvm.nvvm.fence.proxy.tensormap_generic.acquire.sys(
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @fences(ptr %p) {
  call void @llvm.nvvm.fence.mbarrier_init.release.cluster()
  call void @llvm.nvvm.fence.release.sync_restrict.space.cta.scope.cluster()
  call void @llvm.nvvm.fence.acquire.sync_restrict.space.cluster.scope.cluster()
  call void @llvm.nvvm.fence.proxy.alias()
  call void @llvm.nvvm.fence.proxy.async()
  call void @llvm.nvvm.fence.proxy.async.global()
  call void @llvm.nvvm.fence.proxy.async.shared_cta()
  call void @llvm.nvvm.fence.proxy.async.shared_cluster()
  call void @llvm.nvvm.fence.proxy.async_generic.release.sync_restrict.space.cta.scope.cluster()
  call void @llvm.nvvm.fence.proxy.async_generic.acquire.sync_restrict.space.cluster.scope.cluster()
  call void @llvm.nvvm.fence.proxy.tensormap_generic.release.cta()
  call void @llvm.nvvm.fence.proxy.tensormap_generic.acquire.cta(ptr %p, i32 128)
  call void @llvm.nvvm.fence.proxy.tensormap_generic.release.cluster()
  call void @llvm.nvvm.fence.proxy.tensormap_generic.acquire.cluster(ptr %p, i32 128)
  call void @llvm.nvvm.fence.proxy.tensormap_generic.release.gpu()
  call void @llvm.nvvm.fence.proxy.tensormap_generic.acquire.gpu(ptr %p, i32 128)
  call void @llvm.nvvm.fence.proxy.tensormap_generic.release.sys()
  call void @llvm.nvvm.fence.proxy.tensormap_generic.acquire.sys(ptr %p, i32 128)
  ret void
}

; S14
; CHECK-LABEL: @dependent_launch(
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call void @llvm.nvvm.griddepcontrol.wait(
; CHECK: call void @__scopesan_griddep_wait(i32 {{.*}})
; CHECK: call void @__scopesan_griddep_launch(i32 {{.*}})
; CHECK: call void @llvm.nvvm.griddepcontrol.launch.dependents(
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @dependent_launch() {
  call void @llvm.nvvm.griddepcontrol.wait()
  call void @llvm.nvvm.griddepcontrol.launch.dependents()
  ret void
}

; S10
; CHECK-LABEL: @mbarrier_generic(
; CHECK: call void @__scopesan_mbarrier_init(ptr {{[^,]*}}, i32 %n, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.init(
; CHECK: call void @__scopesan_mbarrier_inval(ptr {{[^,]*}}, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.inval(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 0, i32 0, i32 3146034, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 0, i32 36700466, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.noComplete(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 0, i32 1, i32 3146034, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.drop(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 1, i32 36700466, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.drop.noComplete(
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.test.wait(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3146016, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_cp_async_mbarrier_arrive(ptr {{[^,]*}}, i32 0, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.mbarrier.arrive(
; CHECK: call void @__scopesan_cp_async_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.mbarrier.arrive.noinc(
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @mbarrier_generic(ptr %b, i32 %n, i64 %s) {
  call void @llvm.nvvm.mbarrier.init(ptr %b, i32 %n)
  call void @llvm.nvvm.mbarrier.inval(ptr %b)
  %r2 = call i64 @llvm.nvvm.mbarrier.arrive(ptr %b)
  %r3 = call i64 @llvm.nvvm.mbarrier.arrive.noComplete(ptr %b, i32 %n)
  %r4 = call i64 @llvm.nvvm.mbarrier.arrive.drop(ptr %b)
  %r5 = call i64 @llvm.nvvm.mbarrier.arrive.drop.noComplete(ptr %b, i32 %n)
  %r6 = call i1 @llvm.nvvm.mbarrier.test.wait(ptr %b, i64 %s)
  call void @llvm.nvvm.cp.async.mbarrier.arrive(ptr %b)
  call void @llvm.nvvm.cp.async.mbarrier.arrive.noinc(ptr %b)
  ret void
}

; CHECK-LABEL: @mbarrier_shared(
; CHECK: call void @__scopesan_mbarrier_init(ptr {{[^,]*}}, i32 %n, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.init.shared(
; CHECK: call void @__scopesan_mbarrier_inval(ptr {{[^,]*}}, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.inval.shared(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 0, i32 0, i32 3154226, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.shared(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 0, i32 36708658, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.noComplete.shared(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 0, i32 1, i32 3154226, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.drop.shared(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 1, i32 36708658, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.drop.noComplete.shared(
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.test.wait.shared(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154208, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_cp_async_mbarrier_arrive(ptr {{[^,]*}}, i32 0, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.mbarrier.arrive.shared(
; CHECK: call void @__scopesan_cp_async_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared(
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @mbarrier_shared(ptr addrspace(3) %b, i32 %n, i64 %s) {
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %b, i32 %n)
  call void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3) %b)
  %r2 = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) %b)
  %r3 = call i64 @llvm.nvvm.mbarrier.arrive.noComplete.shared(ptr addrspace(3) %b, i32 %n)
  %r4 = call i64 @llvm.nvvm.mbarrier.arrive.drop.shared(ptr addrspace(3) %b)
  %r5 = call i64 @llvm.nvvm.mbarrier.arrive.drop.noComplete.shared(ptr addrspace(3) %b, i32 %n)
  %r6 = call i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3) %b, i64 %s)
  call void @llvm.nvvm.cp.async.mbarrier.arrive.shared(ptr addrspace(3) %b)
  call void @llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared(ptr addrspace(3) %b)
  ret void
}

; CHECK-LABEL: @pending(
; CHECK: call i32 @llvm.nvvm.mbarrier.pending.count(
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @pending(i64 %s) {
  %r0 = call i32 @llvm.nvvm.mbarrier.pending.count(i64 %s)
  ret void
}

; CHECK-LABEL: @mbarrier_cta_cta(
; CHECK: call void @__scopesan_mbarrier_expect_tx(ptr {{[^,]*}}, i32 %n, i32 3154194, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.expect.tx.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_complete_tx(ptr {{[^,]*}}, i32 %n, i32 3154194, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.complete.tx.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 0, i32 3154226, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 0, i32 3154226, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 1, i32 3154226, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.drop.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 1, i32 3154226, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.drop.expect.tx.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 0, i32 3154194, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.relaxed.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 0, i32 3154194, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.relaxed.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 1, i32 3154194, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.drop.relaxed.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 1, i32 3154194, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.drop.expect.tx.relaxed.scope.cta.space.cta(
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.test.wait.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154208, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.test.wait.parity.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154208, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154208, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.tl.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154208, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154208, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.parity.tl.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154208, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.test.wait.relaxed.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154192, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.test.wait.parity.relaxed.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154192, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.relaxed.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154192, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.tl.relaxed.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154192, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.parity.relaxed.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154192, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.parity.tl.relaxed.scope.cta.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154192, i32 {{.*}}, i32 {{.*}})
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @mbarrier_cta_cta(ptr addrspace(3) %b, i32 %n, i64 %s) {
  call void @llvm.nvvm.mbarrier.expect.tx.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n)
  call void @llvm.nvvm.mbarrier.complete.tx.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n)
  %r2 = call i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n)
  %r3 = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n)
  %r4 = call i64 @llvm.nvvm.mbarrier.arrive.drop.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n)
  %r5 = call i64 @llvm.nvvm.mbarrier.arrive.drop.expect.tx.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n)
  %r6 = call i64 @llvm.nvvm.mbarrier.arrive.relaxed.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n)
  %r7 = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.relaxed.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n)
  %r8 = call i64 @llvm.nvvm.mbarrier.arrive.drop.relaxed.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n)
  %r9 = call i64 @llvm.nvvm.mbarrier.arrive.drop.expect.tx.relaxed.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n)
  %r10 = call i1 @llvm.nvvm.mbarrier.test.wait.scope.cta.space.cta(ptr addrspace(3) %b, i64 %s)
  %r11 = call i1 @llvm.nvvm.mbarrier.test.wait.parity.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n)
  %r12 = call i1 @llvm.nvvm.mbarrier.try.wait.scope.cta.space.cta(ptr addrspace(3) %b, i64 %s)
  %r13 = call i1 @llvm.nvvm.mbarrier.try.wait.tl.scope.cta.space.cta(ptr addrspace(3) %b, i64 %s, i32 %n)
  %r14 = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n)
  %r15 = call i1 @llvm.nvvm.mbarrier.try.wait.parity.tl.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n, i32 %n)
  %r16 = call i1 @llvm.nvvm.mbarrier.test.wait.relaxed.scope.cta.space.cta(ptr addrspace(3) %b, i64 %s)
  %r17 = call i1 @llvm.nvvm.mbarrier.test.wait.parity.relaxed.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n)
  %r18 = call i1 @llvm.nvvm.mbarrier.try.wait.relaxed.scope.cta.space.cta(ptr addrspace(3) %b, i64 %s)
  %r19 = call i1 @llvm.nvvm.mbarrier.try.wait.tl.relaxed.scope.cta.space.cta(ptr addrspace(3) %b, i64 %s, i32 %n)
  %r20 = call i1 @llvm.nvvm.mbarrier.try.wait.parity.relaxed.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n)
  %r21 = call i1 @llvm.nvvm.mbarrier.try.wait.parity.tl.relaxed.scope.cta.space.cta(ptr addrspace(3) %b, i32 %n, i32 %n)
  ret void
}

; CHECK-LABEL: @mbarrier_cta_cluster(
; CHECK: call void @__scopesan_mbarrier_expect_tx(ptr {{[^,]*}}, i32 %n, i32 3158290, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.expect.tx.scope.cta.space.cluster(
; CHECK: call void @__scopesan_mbarrier_complete_tx(ptr {{[^,]*}}, i32 %n, i32 3158290, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.complete.tx.scope.cta.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 0, i32 3158322, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.scope.cta.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 0, i32 3158322, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 1, i32 3158322, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.drop.scope.cta.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 1, i32 3158322, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.drop.expect.tx.scope.cta.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 0, i32 3158290, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.relaxed.scope.cta.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 0, i32 3158290, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.expect.tx.relaxed.scope.cta.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 1, i32 3158290, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.drop.relaxed.scope.cta.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 1, i32 3158290, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.drop.expect.tx.relaxed.scope.cta.space.cluster(
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @mbarrier_cta_cluster(ptr addrspace(7) %c, i32 %n, i64 %s) {
  call void @llvm.nvvm.mbarrier.expect.tx.scope.cta.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.complete.tx.scope.cta.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.scope.cta.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.drop.scope.cta.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.drop.expect.tx.scope.cta.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.relaxed.scope.cta.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.expect.tx.relaxed.scope.cta.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.drop.relaxed.scope.cta.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.drop.expect.tx.relaxed.scope.cta.space.cluster(ptr addrspace(7) %c, i32 %n)
  ret void
}

; CHECK-LABEL: @mbarrier_cluster_cta(
; CHECK: call void @__scopesan_mbarrier_expect_tx(ptr {{[^,]*}}, i32 %n, i32 3154450, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.expect.tx.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_complete_tx(ptr {{[^,]*}}, i32 %n, i32 3154450, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.complete.tx.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 0, i32 3154482, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 0, i32 3154482, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 1, i32 3154482, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.drop.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 1, i32 3154482, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.drop.expect.tx.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 0, i32 3154450, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.relaxed.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 0, i32 3154450, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.relaxed.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 1, i32 3154450, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.drop.relaxed.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 1, i32 3154450, i32 {{.*}})
; CHECK: call i64 @llvm.nvvm.mbarrier.arrive.drop.expect.tx.relaxed.scope.cluster.space.cta(
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.test.wait.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154464, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.test.wait.parity.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154464, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154464, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.tl.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154464, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154464, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.parity.tl.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154464, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.test.wait.relaxed.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154448, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.test.wait.parity.relaxed.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154448, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.relaxed.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154448, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.tl.relaxed.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154448, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.parity.relaxed.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154448, i32 {{.*}}, i32 {{.*}})
; CHECK: call void @__scopesan_waiting(i32
; CHECK: call i1 @llvm.nvvm.mbarrier.try.wait.parity.tl.relaxed.scope.cluster.space.cta(
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{[^,]*}}, i32 3154448, i32 {{.*}}, i32 {{.*}})
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @mbarrier_cluster_cta(ptr addrspace(3) %b, i32 %n, i64 %s) {
  call void @llvm.nvvm.mbarrier.expect.tx.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n)
  call void @llvm.nvvm.mbarrier.complete.tx.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n)
  %r2 = call i64 @llvm.nvvm.mbarrier.arrive.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n)
  %r3 = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n)
  %r4 = call i64 @llvm.nvvm.mbarrier.arrive.drop.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n)
  %r5 = call i64 @llvm.nvvm.mbarrier.arrive.drop.expect.tx.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n)
  %r6 = call i64 @llvm.nvvm.mbarrier.arrive.relaxed.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n)
  %r7 = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.relaxed.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n)
  %r8 = call i64 @llvm.nvvm.mbarrier.arrive.drop.relaxed.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n)
  %r9 = call i64 @llvm.nvvm.mbarrier.arrive.drop.expect.tx.relaxed.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n)
  %r10 = call i1 @llvm.nvvm.mbarrier.test.wait.scope.cluster.space.cta(ptr addrspace(3) %b, i64 %s)
  %r11 = call i1 @llvm.nvvm.mbarrier.test.wait.parity.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n)
  %r12 = call i1 @llvm.nvvm.mbarrier.try.wait.scope.cluster.space.cta(ptr addrspace(3) %b, i64 %s)
  %r13 = call i1 @llvm.nvvm.mbarrier.try.wait.tl.scope.cluster.space.cta(ptr addrspace(3) %b, i64 %s, i32 %n)
  %r14 = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n)
  %r15 = call i1 @llvm.nvvm.mbarrier.try.wait.parity.tl.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n, i32 %n)
  %r16 = call i1 @llvm.nvvm.mbarrier.test.wait.relaxed.scope.cluster.space.cta(ptr addrspace(3) %b, i64 %s)
  %r17 = call i1 @llvm.nvvm.mbarrier.test.wait.parity.relaxed.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n)
  %r18 = call i1 @llvm.nvvm.mbarrier.try.wait.relaxed.scope.cluster.space.cta(ptr addrspace(3) %b, i64 %s)
  %r19 = call i1 @llvm.nvvm.mbarrier.try.wait.tl.relaxed.scope.cluster.space.cta(ptr addrspace(3) %b, i64 %s, i32 %n)
  %r20 = call i1 @llvm.nvvm.mbarrier.try.wait.parity.relaxed.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n)
  %r21 = call i1 @llvm.nvvm.mbarrier.try.wait.parity.tl.relaxed.scope.cluster.space.cta(ptr addrspace(3) %b, i32 %n, i32 %n)
  ret void
}

; CHECK-LABEL: @mbarrier_cluster_cluster(
; CHECK: call void @__scopesan_mbarrier_expect_tx(ptr {{[^,]*}}, i32 %n, i32 3158546, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.expect.tx.scope.cluster.space.cluster(
; CHECK: call void @__scopesan_mbarrier_complete_tx(ptr {{[^,]*}}, i32 %n, i32 3158546, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.complete.tx.scope.cluster.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 0, i32 3158578, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.scope.cluster.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 0, i32 3158578, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cluster.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 1, i32 3158578, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.drop.scope.cluster.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 1, i32 3158578, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.drop.expect.tx.scope.cluster.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 0, i32 3158546, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.relaxed.scope.cluster.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 0, i32 3158546, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.expect.tx.relaxed.scope.cluster.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 %n, i32 0, i32 1, i32 3158546, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.drop.relaxed.scope.cluster.space.cluster(
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{[^,]*}}, i32 1, i32 %n, i32 1, i32 3158546, i32 {{.*}})
; CHECK: call void @llvm.nvvm.mbarrier.arrive.drop.expect.tx.relaxed.scope.cluster.space.cluster(
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @mbarrier_cluster_cluster(ptr addrspace(7) %c, i32 %n, i64 %s) {
  call void @llvm.nvvm.mbarrier.expect.tx.scope.cluster.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.complete.tx.scope.cluster.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.scope.cluster.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cluster.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.drop.scope.cluster.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.drop.expect.tx.scope.cluster.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.relaxed.scope.cluster.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.expect.tx.relaxed.scope.cluster.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.drop.relaxed.scope.cluster.space.cluster(ptr addrspace(7) %c, i32 %n)
  call void @llvm.nvvm.mbarrier.arrive.drop.expect.tx.relaxed.scope.cluster.space.cluster(ptr addrspace(7) %c, i32 %n)
  ret void
}

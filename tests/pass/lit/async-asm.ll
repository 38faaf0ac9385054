; Entry points for inline PTX: arguments from operands, results, guards, loops and mapped addresses.
; RUN: %instrument %s 2>%t.err | FileCheck --implicit-check-not='call void @__scopesan' %s
; RUN: FileCheck --check-prefix=NOTE --implicit-check-not=note: %s < %t.err
target triple = "nvptx64-nvidia-cuda"

; Windows of shared memory become generic pointers; the call comes before the operation.
; CHECK-LABEL: @arrive
; CHECK: [[W:%.*]] = zext i32 %b to i64
; CHECK: [[S:%.*]] = inttoptr i64 [[W]] to ptr addrspace(3)
; CHECK: [[G:%.*]] = addrspacecast ptr addrspace(3) [[S]] to ptr
; CHECK: call void @__scopesan_mbarrier_init(ptr [[G]], i32 %n, i32
; CHECK-NEXT: asm sideeffect "mbarrier.init
; CHECK: inttoptr i64 {{.*}} to ptr addrspace(3)
; CHECK: call void @__scopesan_mbarrier_arrive(ptr {{.*}}, i32 1, i32 %n, i32 0, i32 3154226, i32
; CHECK-NEXT: asm sideeffect "mbarrier.arrive.expect_tx
; CHECK: [[C:%.*]] = inttoptr i64 {{.*}} to ptr addrspace(7)
; CHECK: [[CG:%.*]] = addrspacecast ptr addrspace(7) [[C]] to ptr
; CHECK: call void @__scopesan_mbarrier_arrive(ptr [[CG]], i32 1, i32 0, i32 0, i32 3158578, i32
define void @arrive(i32 %b, i32 %n) {
  call void asm sideeffect "mbarrier.init.shared.b64 [$0], $1;", "r,r,~{memory}"(i32 %b, i32 %n)
  %s = call i64 asm sideeffect "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 $0, [$1], $2;", "=l,r,r,~{memory}"(i32 %b, i32 %n)
  call void asm sideeffect "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [$0];", "r,~{memory}"(i32 %b)
  ret void
}

; A wait is reported after it happened, with its result; its place before.
; CHECK-LABEL: @wait
; CHECK: call void @__scopesan_waiting(i32
; CHECK-NEXT: [[P:%.*]] = call i32 asm sideeffect
; CHECK: [[D:%.*]] = icmp eq i32 [[P]], 1
; CHECK: [[Z:%.*]] = zext i1 [[D]] to i32
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{.*}}, i32 3154208, i32 {{.*}}, i32 [[Z]])
; CHECK: call void @__scopesan_waiting(i32
; CHECK-NEXT: [[H:%.*]] = call i16 asm sideeffect
; CHECK: icmp eq i16 [[H]], 0
; CHECK: call void @__scopesan_mbarrier_wait(
define void @wait(i32 %b, i32 %parity) {
  %p = call i32 asm sideeffect "{\0A\09.reg .pred P1;\0A\09mbarrier.try_wait.parity.shared::cta.b64 P1, [$1], $2;\0A\09selp.b32 $0, 1, 0, P1;\0A\09}", "=r,r,r,~{memory}"(i32 %b, i32 %parity)
  %q = call i16 asm sideeffect "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [$1], $2; selp.u16 $0, 1, 0, !p; }", "=h,r,r"(i32 %b, i32 %parity)
  ret void
}

; CHECK-LABEL: @wait_loop
; CHECK: call void @__scopesan_waiting(i32
; CHECK-NEXT: asm sideeffect
; CHECK: call void @__scopesan_mbarrier_wait(ptr {{.*}}, i32 3154208, i32 {{.*}}, i32 1)
define void @wait_loop(i32 %b, i32 %parity) {
  call void asm sideeffect "{\0A.reg .pred P1;\0ALAB_WAIT:\0Ambarrier.try_wait.parity.shared::cta.b64 P1, [$0], $1;\0A@P1 bra DONE;\0Abra LAB_WAIT;\0ADONE:\0A}", "r,r"(i32 %b, i32 %parity)
  ret void
}

; The rank that mapa gets is an operand: the address is mapped again for the call.
; CHECK-LABEL: @mapped
; CHECK: icmp eq i32 %yes, 1
; CHECK: br i1
; CHECK: [[S:%.*]] = inttoptr i64 {{.*}} to ptr addrspace(3)
; CHECK: [[M:%.*]] = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) [[S]], i32 %rank)
; CHECK: [[G:%.*]] = addrspacecast ptr addrspace(7) [[M]] to ptr
; CHECK: call void @__scopesan_mbarrier_arrive(ptr [[G]], i32 1, i32 0, i32 0,
; CHECK: [[R:%.*]] = call ptr @llvm.nvvm.mapa(ptr %p, i32 2)
; CHECK: call void @__scopesan_write(ptr [[R]], i32 4, i32
define void @mapped(i32 %b, i32 %rank, i32 %yes, ptr %p) {
  call void asm sideeffect "{ .reg .pred p; .reg .b32 r; setp.eq.u32 p, $2, 1; @p mapa.shared::cluster.u32 r, $0, $1; @p mbarrier.arrive.shared::cluster.b64 _, [r]; }", "r,r,r"(i32 %b, i32 %rank, i32 %yes)
  call void asm sideeffect "{ .reg .b64 r; mapa.u64 r, $0, 2; st.u32 [r], 1; }", "l"(ptr %p)
  ret void
}

; CHECK-LABEL: @cp_async
; CHECK: call void @__scopesan_cp_async(ptr {{.*}}, ptr %g, i32 16, i32 16, i32
; CHECK-NEXT: asm sideeffect "cp.async.cg
; CHECK: call void @__scopesan_cp_async(ptr {{.*}}, ptr %g, i32 4, i32 %n, i32
; CHECK: [[IGNORE:%.*]] = icmp ne i32 %n, 0
; CHECK: [[BYTES:%.*]] = select i1 [[IGNORE]], i32 0, i32 8
; CHECK: call void @__scopesan_cp_async(ptr {{.*}}, ptr %g, i32 8, i32 [[BYTES]], i32
; CHECK: icmp ne i32 %n, 0
; CHECK: br i1
; CHECK: call void @__scopesan_cp_async(ptr {{.*}}, ptr %g, i32 16, i32 16, i32
; CHECK: call void @__scopesan_cp_async_commit(i32
; CHECK-NEXT: asm sideeffect "cp.async.commit_group;"
; CHECK: asm sideeffect "cp.async.wait_group $0;"
; CHECK: call void @__scopesan_cp_async_wait(i32 1, i32
; CHECK: asm sideeffect "cp.async.wait_all;"
; CHECK: call void @__scopesan_cp_async_wait(i32 -1, i32
; CHECK: call void @__scopesan_cp_async_mbarrier_arrive(ptr {{.*}}, i32 1, i32
define void @cp_async(i32 %s, ptr %g, i32 %n) {
  call void asm sideeffect "cp.async.cg.shared.global.L2::128B [$0], [$1], 16;", "r,l"(i32 %s, ptr %g)
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], $2, $3;", "r,l,n,r"(i32 %s, ptr %g, i32 4, i32 %n)
  call void asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $2, 0; cp.async.ca.shared.global [$0], [$1], 8, p; }", "r,l,r"(i32 %s, ptr %g, i32 %n)
  call void asm sideeffect "{ .reg .pred p; setp.ne.b32 p, $2, 0; @p cp.async.cg.shared.global [$0], [$1], 16; }", "r,l,r"(i32 %s, ptr %g, i32 %n)
  call void asm sideeffect "cp.async.commit_group;", ""()
  call void asm sideeffect "cp.async.wait_group $0;", "n"(i32 1)
  call void asm sideeffect "cp.async.wait_all;", ""()
  call void asm sideeffect "cp.async.mbarrier.arrive.noinc.shared.b64 [$0];", "r"(i32 %s)
  ret void
}

; CHECK-LABEL: @bulk
; CHECK: [[N:%.*]] = zext i32 %n to i64
; CHECK: call void @__scopesan_bulk_copy(ptr {{.*}}, ptr %g, i64 [[N]], ptr {{.*}}, i32 12294, i32 0, i32
; CHECK-NEXT: asm sideeffect "cp.async.bulk.shared::cluster.global
; CHECK: [[M:%.*]] = zext i16 %m to i32
; CHECK: call void @__scopesan_bulk_copy(ptr {{.*}}, ptr %g, i64 {{.*}}, ptr {{.*}}, i32 12294, i32 [[M]], i32
; CHECK: [[M:%.*]] = zext i16 %m to i32
; CHECK: [[O:%.*]] = xor i32 [[M]], -1
; CHECK: [[H:%.*]] = shl i32 [[O]], 16
; CHECK: call void @__scopesan_bulk_copy(ptr %g, ptr {{.*}}, i64 64, ptr null, i32 4102, i32 [[H]], i32
; CHECK: call void @__scopesan_bulk_copy(ptr %g, ptr {{.*}}, i64 64, ptr null, i32 2102036, i32 0, i32
; CHECK: call void @__scopesan_bulk_commit(i32
; CHECK: asm sideeffect "cp.async.bulk.wait_group.read
; CHECK: call void @__scopesan_bulk_wait(i32 0, i32 1, i32
; CHECK: call void @__scopesan_store_async(ptr {{.*}}, i32 8, ptr {{.*}}, i32 2109441, i32
; CHECK: call void @__scopesan_store_async(ptr {{.*}}, i32 4, ptr {{.*}}, i32 2109972, i32
define void @bulk(i32 %s, ptr %g, i32 %n, i32 %b, i16 %m) {
  call void asm sideeffect "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];", "r,l,r,r"(i32 %s, ptr %g, i32 %n, i32 %b)
  call void asm sideeffect "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [$0], [$1], $2, [$3], $4;", "r,l,r,r,h"(i32 %s, ptr %g, i32 %n, i32 %b, i16 %m)
  call void asm sideeffect "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [$0], [$1], $2, $3;", "l,r,r,h"(ptr %g, i32 %s, i32 64, i16 %m)
  call void asm sideeffect "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [$0], [$1], $2;", "l,r,r"(ptr %g, i32 %s, i32 64)
  call void asm sideeffect "cp.async.bulk.commit_group;", ""()
  call void asm sideeffect "cp.async.bulk.wait_group.read $0;", "n"(i32 0)
  call void asm sideeffect "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [$0], {$1, $2}, [$3];", "r,r,r,r"(i32 %s, i32 1, i32 2, i32 %b)
  call void asm sideeffect "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [$0], $1, [$2];", "r,r,r"(i32 %s, i32 1, i32 %b)
  ret void
}

; CHECK-LABEL: @cluster
; CHECK: call void @__scopesan_fence(i32 {{.*}}, i32
; CHECK: call void @__scopesan_proxy_fence(i32 0, i32 2, i32
; CHECK: call void @__scopesan_cluster_arrive(i32 0, i32
; CHECK: call void @__scopesan_waiting(i32
; CHECK-NEXT: asm sideeffect "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
; CHECK: call void @__scopesan_cluster_wait(i32
; CHECK: call void @__scopesan_griddep_launch(i32
; CHECK-NEXT: asm sideeffect "griddepcontrol.launch_dependents;"
; CHECK: call void @__scopesan_waiting(i32
; CHECK-NEXT: asm sideeffect "griddepcontrol.wait;"
; CHECK: call void @__scopesan_griddep_wait(i32
; CHECK: call void @__scopesan_tensormap_fence(ptr %map, i32 128, i32 805, i32
define void @cluster(ptr %map) {
  call void asm sideeffect "fence.mbarrier_init.release.cluster;", ""()
  call void asm sideeffect "fence.proxy.async.shared::cta;", ""()
  call void asm sideeffect "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;", ""()
  call void asm sideeffect "griddepcontrol.launch_dependents;", ""()
  call void asm sideeffect "griddepcontrol.wait;", ""()
  call void asm sideeffect "fence.proxy.tensormap::generic.acquire.gpu [$0], $1;", "l,n"(ptr %map, i32 128)
  ret void
}

; Only the lanes whose addresses count read.
; CHECK-LABEL: @matrices
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK: [[FIRST:%.*]] = icmp ult i32 [[LANE]], 16
; CHECK: br i1 [[FIRST]]
; CHECK: call void @__scopesan_read(ptr {{.*}}, i32 16, i32
; CHECK: asm sideeffect "ldmatrix
; CHECK: icmp ult i32 {{.*}}, 8
; CHECK: icmp ne i32 %q, 0
; CHECK: and i1
; CHECK: call void @__scopesan_write(ptr {{.*}}, i32 16, i32
; CHECK: call void @__scopesan_write_range(ptr {{.*}}, i64 %n, i32
define void @matrices(i32 %s, i32 %q, i64 %n) {
  %r = call { i32, i32 } asm sideeffect "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {$0, $1}, [$2];", "=r,=r,r"(i32 %s)
  call void asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $2, 0; @p stmatrix.sync.aligned.m8n8.x1.shared.b16 [$0], {$1}; }", "r,r,r"(i32 %s, i32 1, i32 %q)
  call void asm sideeffect "st.bulk.weak.shared::cta [$0], $1, 0;", "r,l"(i32 %s, i64 %n)
  ret void
}

; X1: what depends on values of the text.
; NOTE: note: ScopeSan: operand computed inside the asm statement (X1 incomplete): mbarrier.arrive.shared.b64 _, [a]
; NOTE: note: ScopeSan: operand computed inside the asm statement (X1 incomplete): mbarrier.test_wait.shared.b64 p, [$0], $1
; NOTE: note: ScopeSan: operand computed inside the asm statement (X1 incomplete): cp.async.ca.shared.global [$0], [$1], 8, p
; NOTE: note: ScopeSan: condition computed inside the asm statement (X1 incomplete): @p cp.async.bulk.commit_group
; NOTE: note: ScopeSan: operand computed inside the asm statement (X1 incomplete): cp.async.ca.shared.global [$0], [$1], 8, $2
; CHECK-LABEL: @unresolved
; CHECK: call void @__scopesan_unmodelled(
; CHECK: call void @__scopesan_unmodelled_after(
; CHECK: call void @__scopesan_unmodelled(
; CHECK: call void @__scopesan_unmodelled_after(
; CHECK: call void @__scopesan_unmodelled(
; CHECK: call void @__scopesan_unmodelled_after(
; CHECK: call void @__scopesan_unmodelled(
; CHECK: call void @__scopesan_unmodelled_after(
; CHECK: call void @__scopesan_unmodelled(
; CHECK: call void @__scopesan_unmodelled_after(
define void @unresolved(i32 %s, ptr %g, float %f, i1 %c) {
  call void asm sideeffect "{ .reg .b32 a; mul.lo.u32 a, $0, 8; mbarrier.arrive.shared.b64 _, [a]; }", "r"(i32 %s)
  call void asm sideeffect "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [$0], $1; }", "r,l"(i32 %s, i64 1)
  call void asm sideeffect "{ .reg .pred p; setp.lt.f32 p, $2, 0f00000000; cp.async.ca.shared.global [$0], [$1], 8, p; }", "r,l,f"(i32 %s, ptr %g, float %f)
  call void asm sideeffect "{ .reg .pred p; elect.sync _|p, -1; @p cp.async.bulk.commit_group; }", ""()
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 8, $2;", "r,l,b"(i32 %s, ptr %g, i1 %c)
  ret void
}

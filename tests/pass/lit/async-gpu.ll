; The GPU's own code: an arrival or copy must be reported before others can see it.
; RUN: %opt-scopesan -passes=scopesan -scopesan-emit-instrumented=%t.cpu.ll %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: FileCheck --check-prefix=CPU %s < %t.cpu.ll
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define void @late
; CHECK: asm sideeffect "barrier.cluster.wait
; CHECK: call void @__scopesan_cluster_wait(
; CHECK: call void @__scopesan_unmodelled(
; CHECK-NOT: call void @__scopesan_mbarrier_arrive
; CHECK: ret void
; CPU-LABEL: define void @late
; CPU: call void @__scopesan_cluster_wait(
; CPU: call void @__scopesan_mbarrier_arrive(
; CPU-NOT: unmodelled
; CPU: ret void
define void @late(i32 %b) {
  call void asm sideeffect "barrier.cluster.wait.aligned; mbarrier.arrive.shared.b64 _, [$0];", "r"(i32 %b)
  ret void
}

; CHECK-LABEL: define void @two_barriers
; CHECK: call void @__scopesan_block_barrier_before(i32 0, i32 1,
; CHECK: asm sideeffect "bar.sync 1; bar.sync 2;"
; CHECK: call void @__scopesan_block_barrier_after(i32 0, i32 1,
; CHECK: call void @__scopesan_unmodelled(
; CHECK-NOT: call void @__scopesan_block_barrier_before
; CHECK: ret void
; CPU-LABEL: define void @two_barriers
; CPU: call void @__scopesan_block_barrier_before(i32 8, i32 2,
define void @two_barriers() {
  call void asm sideeffect "bar.sync 1; bar.sync 2;", ""()
  ret void
}

; What only its own thread can tell may come later there. The CPU needs the announcement before.
; CHECK-LABEL: define void @own
; CHECK: call void @__scopesan_cp_async_wait(
; CHECK: call void @__scopesan_cp_async(
; CHECK: call void @__scopesan_cp_async_commit(
; CHECK: ret void
; CPU-LABEL: define void @own
; CPU: call void @__scopesan_cp_async_wait(
; CPU: call void @__scopesan_unmodelled(
; CPU-NOT: call void @__scopesan_cp_async(
; CPU: call void @__scopesan_cp_async_commit(
define void @own(i32 %s, ptr %g) {
  call void asm sideeffect "cp.async.wait_all; cp.async.ca.shared.global [$0], [$1], 4; cp.async.commit_group;", "r,l"(i32 %s, ptr %g)
  ret void
}

; Both are announced before the statement, in its order.
; CHECK-LABEL: define void @two_copies
; CHECK: call void @__scopesan_cp_async(
; CHECK: call void @__scopesan_cp_async(
; CHECK: asm sideeffect
; CPU-LABEL: define void @two_copies
; CPU: call void @__scopesan_cp_async(
; CPU: call void @__scopesan_cp_async(
; CPU-NOT: unmodelled
; CPU: asm sideeffect
; CPU: ret void
define void @two_copies(i32 %s, ptr %g) {
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 4; cp.async.ca.shared.global [$0+4], [$1+4], 4;", "r,l"(i32 %s, ptr %g)
  ret void
}

; The device runtime has all of them.
; CHECK: define internal void @__scopesan_cluster_wait(
; CHECK: define internal void @__scopesan_cp_async(

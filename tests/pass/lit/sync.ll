; Fences (O4) and barriers (S7, S8).
; RUN: %instrument %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; fence.sc of block, device, system: 5 | 5 << 4 | scope << 8; acq_rel fence at device scope.
; CHECK-LABEL: @fences
; CHECK: call void @__scopesan_fence(i32 341, i32
; CHECK-NEXT: call void @llvm.nvvm.membar.cta()
; CHECK: call void @__scopesan_fence(i32 853, i32
; CHECK-NEXT: call void @llvm.nvvm.membar.gl()
; CHECK: call void @__scopesan_fence(i32 1109, i32
; CHECK-NEXT: call void @llvm.nvvm.membar.sys()
; CHECK: call void @__scopesan_fence(i32 837, i32
; CHECK-NEXT: fence syncscope("device") acq_rel
; CHECK-NOT: call void @__scopesan_fence
; CHECK: fence syncscope("singlethread")
define void @fences() {
  call void @llvm.nvvm.membar.cta()
  call void @llvm.nvvm.membar.gl()
  call void @llvm.nvvm.membar.sys()
  fence syncscope("device") acq_rel
  fence syncscope("singlethread") seq_cst
  ret void
}

; CHECK-LABEL: @sync_all
; CHECK: call void @__scopesan_block_barrier_before(i32 4, i32 0, i32 0, i32 [[S:%.*]])
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: call void @__scopesan_block_barrier_after(i32 0, i32 0, i32 0, i32
define void @sync_all() {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

; The old name is the same barrier.
; CHECK-LABEL: @old_name
; CHECK: call void @__scopesan_block_barrier_before(i32 4, i32 0, i32 0, i32
define void @old_name() {
  call void @llvm.nvvm.barrier0()
  ret void
}

; CHECK-LABEL: @counts
; CHECK: call void @__scopesan_block_barrier_before(i32 0, i32 %id, i32 64, i32
; CHECK: call void @__scopesan_block_barrier_after(i32 0, i32 %id, i32 64, i32
; CHECK: call void @__scopesan_block_barrier_before(i32 1, i32 2, i32 %n, i32
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.arrive.count(i32 2, i32 %n)
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @counts(i32 %id, i32 %n) {
  call void @llvm.nvvm.barrier.cta.sync.count(i32 %id, i32 64)
  call void @llvm.nvvm.barrier.cta.arrive.count(i32 2, i32 %n)
  ret void
}

; CHECK-LABEL: @reductions
; CHECK: call void @__scopesan_block_barrier_before(i32 6, i32 0, i32 0, i32
; CHECK: call void @__scopesan_block_barrier_after(i32 2, i32 0, i32 0, i32
; CHECK: call void @__scopesan_block_barrier_before(i32 2, i32 1, i32 32, i32
define void @reductions(i1 %p) {
  %a = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %p)
  %b = call i1 @llvm.nvvm.barrier.cta.red.or.count(i32 1, i32 32, i1 %p)
  ret void
}

; CHECK-LABEL: @warp
; CHECK: call void @__scopesan_warp_barrier_before(i32 %m, i32
; CHECK-NEXT: call void @llvm.nvvm.bar.warp.sync(i32 %m)
; CHECK: call void @__scopesan_warp_barrier_after(i32 %m, i32
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @warp(i32 %m) {
  call void @llvm.nvvm.bar.warp.sync(i32 %m)
  %a = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %m, i32 1, i32 31)
  %b = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 true)
  call void @llvm.nvvm.nanosleep(i32 5)
  ret void
}

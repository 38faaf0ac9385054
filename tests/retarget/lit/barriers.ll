; RUN: %codegen --emit-ll %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @barriers.dev
; CHECK: call void @__scopesan_block_barrier_before(i32 0, i32 0, i32 0, i32 7)
; CHECK-NEXT: call i32 @__scopesan_cpu_bar_sync(i32 0, i32 0, i32 0, i32 0)
; CHECK-NEXT: call void @__scopesan_block_barrier_after(i32 0, i32 0, i32 0, i32 7)
; CHECK: call i32 @__scopesan_cpu_bar_sync(i32 3, i32 64, i32 0, i32 0)
; CHECK: call void @__scopesan_cpu_bar_arrive(i32 3, i32 64)
; CHECK: call i32 @__scopesan_cpu_bar_sync(i32 0, i32 0, i32 3, i32 %
; CHECK: call void @__scopesan_cpu_cluster_arrive()
; CHECK: call void @__scopesan_cpu_cluster_wait()
; The asm forms.
; CHECK: call i32 @__scopesan_cpu_bar_sync(i32 1, i32 32, i32 0, i32 0)
; CHECK: call void @__scopesan_cpu_bar_arrive(i32 2, i32 96)
; CHECK: call void @__scopesan_cpu_yield()
; CHECK: call void @__scopesan_cpu_yield()
; CHECK: declare void @__scopesan_block_barrier_before(i32, i32, i32, i32) #[[LOAD:[0-9]+]]
; CHECK: attributes #[[LOAD]] = { nonlazybind }
define ptx_kernel void @barriers(ptr %out, i1 %p) {
  call void @__scopesan_block_barrier_before(i32 0, i32 0, i32 0, i32 7)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @__scopesan_block_barrier_after(i32 0, i32 0, i32 0, i32 7)
  call void @llvm.nvvm.barrier.cta.sync.count(i32 3, i32 64)
  call void @llvm.nvvm.barrier.cta.arrive.count(i32 3, i32 64)
  %r = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 %p)
  store i1 %r, ptr %out
  call void @llvm.nvvm.barrier.cluster.arrive()
  call void @llvm.nvvm.barrier.cluster.wait()
  call void asm sideeffect "bar.sync 1, 32;", "~{memory}"()
  call void asm sideeffect "barrier.cta.arrive 2, $0;", "r"(i32 96)
  call void @llvm.nvvm.nanosleep(i32 20)
  call void asm sideeffect "nanosleep.u32 $0;", "r"(i32 20)
  ret void
}
declare void @__scopesan_block_barrier_before(i32, i32, i32, i32)
declare void @__scopesan_block_barrier_after(i32, i32, i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.arrive.count(i32, i32)
declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32, i1)
declare void @llvm.nvvm.barrier.cluster.arrive()
declare void @llvm.nvvm.barrier.cluster.wait()
declare void @llvm.nvvm.nanosleep(i32)

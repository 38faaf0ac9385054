; RUN: %codegen --emit-ll %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @warp.dev
; CHECK: [[S:%.*]] = call i64 @__scopesan_cpu_warp(i32 3, i32 -1, i64 %{{.*}}, i32 4, i32 31)
; CHECK: [[P:%.*]] = call i32 @__scopesan_cpu_warp_predicate()
; CHECK: icmp ne i32 [[P]], 0
; CHECK: [[B:%.*]] = call i64 @__scopesan_cpu_warp(i32 9, i32 255, i64 %{{.*}}, i32 0, i32 0)
; CHECK: trunc i64 [[B]] to i32
; CHECK: call i64 @__scopesan_cpu_warp(i32 1, i32 3, i64 0, i32 0, i32 0)
; CHECK: call i32 @__scopesan_cpu_activemask(i32 1)
; CHECK: call i32 @__scopesan_cpu_activemask(i32 2)
; CHECK-NOT: llvm.nvvm
define ptx_kernel void @warp(ptr %out, i32 %v, i1 %p) {
  %s = call { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32 -1, i32 %v, i32 4, i32 31)
  %s0 = extractvalue { i32, i1 } %s, 0
  store i32 %s0, ptr %out
  %b = call i32 @llvm.nvvm.vote.ballot.sync(i32 255, i1 %p)
  store i32 %b, ptr %out
  call void @llvm.nvvm.bar.warp.sync(i32 3)
  %m = call i32 @llvm.nvvm.activemask()
  store i32 %m, ptr %out
  %n = call i32 @llvm.nvvm.activemask()
  store i32 %n, ptr %out
  ret void
}
declare { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.activemask()

; Annotations of frontend/compat/attributes.h become what the back ends read.
; RUN: %opt-scopesan -passes=scopesan-mark %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@c2 = private constant [22 x i8] c"scopesan.cluster_dims\00", section "llvm.metadata"
@r = private constant [17 x i8] c"scopesan.maxnreg\00", section "llvm.metadata"
@b = private constant [20 x i8] c"scopesan.block_size\00", section "llvm.metadata"
@other = private constant [6 x i8] c"other\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"
@two = private constant { i32 } { i32 2 }
@six = private constant { i32, i32, i32, i32, i32, i32 } { i32 128, i32 2, i32 1, i32 4, i32 1, i32 1 }
@llvm.global.annotations = appending global [5 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr @cluster, ptr @c2, ptr @file, i32 1, ptr @two },
  { ptr, ptr, ptr, i32, ptr } { ptr @registers, ptr @r, ptr @file, i32 1, ptr @two },
  { ptr, ptr, ptr, i32, ptr } { ptr @block, ptr @b, ptr @file, i32 1, ptr @six },
  { ptr, ptr, ptr, i32, ptr } { ptr @plain, ptr @other, ptr @file, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @unsaid, ptr @c2, ptr @file, i32 1, ptr null }], section "llvm.metadata"

; CHECK: define ptx_kernel void @cluster() [[CLUSTER:#[0-9]+]]
define ptx_kernel void @cluster() {
  ret void
}
; CHECK: define ptx_kernel void @registers() [[REGISTERS:#[0-9]+]]
define ptx_kernel void @registers() {
  ret void
}
; CHECK: define ptx_kernel void @block() [[BLOCK:#[0-9]+]]
define ptx_kernel void @block() {
  ret void
}
; CHECK: define ptx_kernel void @plain() {
define ptx_kernel void @plain() {
  ret void
}
; The launch must name the size: nothing to say.
; CHECK: define ptx_kernel void @unsaid() {
define ptx_kernel void @unsaid() {
  ret void
}
; CHECK: attributes [[CLUSTER]] = { "nvvm.cluster_dim"="2,1,1" }
; CHECK: attributes [[REGISTERS]] = { "nvvm.maxnreg"="2" }
; CHECK: attributes [[BLOCK]] = { "nvvm.blocksareclusters" "nvvm.cluster_dim"="4,1,1" "nvvm.reqntid"="128,2,1" }

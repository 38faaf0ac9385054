; Accesses of shared memory that no other access between the same two barriers can race with are not
; checked.
; RUN: %opt-scopesan -passes=scopesan -scopesan-gpu-mode=auto %s | FileCheck %s
; RUN: %opt-scopesan -passes=scopesan -scopesan-gpu-mode=mixed %s | FileCheck --check-prefix=MIXED %s
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [256 x float] undef, align 4
@rows = internal addrspace(3) global [32 x [33 x float]] undef, align 4
@bins = internal addrspace(3) global [64 x i32] undef, align 4
@flag = internal addrspace(3) global i32 undef, align 4

; One store each to a place of its own, if the block is small enough; then only reads.
; CHECK-LABEL: define ptx_kernel void @stored_then_read(
; CHECK: [[X:%.*]] = call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
; CHECK: call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
; CHECK: %apart = 
; CHECK: br i1 %unsure,
; CHECK: atom.relaxed.cta.shared.exch.b64
; CHECK: store float 1.000000e+00, ptr addrspace(3)
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK-NOT: __scopesan_fast_block_word
; CHECK: load float, ptr addrspace(3)
; CHECK: ret void
define ptx_kernel void @stored_then_read(ptr addrspace(1) %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @tile, i32 %t
  store float 1.0, ptr addrspace(3) %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %n = xor i32 %t, 1
  %q = getelementptr float, ptr addrspace(3) @tile, i32 %n
  %x = load float, ptr addrspace(3) %q
  store float %x, ptr addrspace(1) %out
  ret void
}

; Reads beside a write, in a loop around one barrier: both are checked.
; CHECK-LABEL: define ptx_kernel void @read_beside_write(
; CHECK: call void @__scopesan_fast_block_word(
; CHECK: load float, ptr addrspace(3)
; CHECK: call void @__scopesan_fast_block_word(
; CHECK: store float
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: ret void
define ptx_kernel void @read_beside_write(i32 %n) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @tile, i32 %t
  %next = getelementptr i8, ptr addrspace(3) %p, i32 4
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %x = load float, ptr addrspace(3) %next
  store float %x, ptr addrspace(3) %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Reads after the last barrier of a loop meet the writes of its next turn.
; CHECK-LABEL: define ptx_kernel void @read_before_next_write(
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: call void @__scopesan_fast_block_word(
; CHECK: load float, ptr addrspace(3)
; CHECK: ret void
define ptx_kernel void @read_before_next_write(i32 %n, ptr addrspace(1) %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @tile, i32 %t
  %next = getelementptr i8, ptr addrspace(3) %p, i32 4
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  store float 2.0, ptr addrspace(3) %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = load float, ptr addrspace(3) %next
  store float %x, ptr addrspace(1) %out
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Relaxed read-modify-writes of one size do not race with each other; the read after them is alone.
; CHECK-LABEL: define ptx_kernel void @counted(
; CHECK: br i1 %unsure,
; CHECK: store i32 0, ptr addrspace(3)
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK-NOT: __scopesan_fast_block_word
; CHECK: atomicrmw add ptr addrspace(3)
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK-NOT: __scopesan_fast_block_word
; CHECK: load i32, ptr addrspace(3)
; CHECK: ret void
define ptx_kernel void @counted(i32 %n, ptr addrspace(1) %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(3) @bins, i32 %t
  store i32 0, ptr addrspace(3) %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %m = and i32 %n, 63
  %b = getelementptr i32, ptr addrspace(3) @bins, i32 %m
  %old = atomicrmw add ptr addrspace(3) %b, i32 1 syncscope("block") monotonic
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = load i32, ptr addrspace(3) %p
  store i32 %x, ptr addrspace(1) %out
  ret void
}

; A read-modify-write beside a read is checked, and so is the read.
; CHECK-LABEL: define ptx_kernel void @counted_and_read(
; CHECK: call void @__scopesan_fast_block_word(
; CHECK: atomicrmw add ptr addrspace(3)
; CHECK: call void @__scopesan_fast_block_word(
; CHECK: load i32, ptr addrspace(3)
; CHECK: ret void
define ptx_kernel void @counted_and_read(i32 %n, ptr addrspace(1) %out) #0 {
  %m = and i32 %n, 63
  %b = getelementptr i32, ptr addrspace(3) @bins, i32 %m
  %old = atomicrmw add ptr addrspace(3) %b, i32 1 syncscope("block") monotonic
  %x = load i32, ptr addrspace(3) %b
  store i32 %x, ptr addrspace(1) %out
  ret void
}

; Rows that the coordinates of the thread and a constant choose.
; CHECK-LABEL: define ptx_kernel void @rows_of(
; CHECK: call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
; CHECK: br i1 %unsure,
; CHECK: store float 1.000000e+00
; CHECK: br i1 %unsure,
; CHECK: store float 2.000000e+00
; CHECK: ret void
define ptx_kernel void @rows_of() #0 {
  %x = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %y8 = add nuw nsw i32 %y, 8
  %p = getelementptr [33 x float], ptr addrspace(3) @rows, i32 %y, i32 %x
  %q = getelementptr [33 x float], ptr addrspace(3) @rows, i32 %y8, i32 %x
  store float 1.0, ptr addrspace(3) %p
  store float 2.0, ptr addrspace(3) %q
  ret void
}

; Checked always: a place that is not the thread's own, a store that its thread may repeat, stores in
; different patterns, and generic addresses.
; CHECK-LABEL: define ptx_kernel void @everybody(
; CHECK-NOT: unsure
; CHECK: call void @__scopesan_fast_block_word(
; CHECK-NOT: unsure
; CHECK: store i32 1, ptr addrspace(3)
define ptx_kernel void @everybody(i32 %n) #0 {
  %m = and i32 %n, 63
  %b = getelementptr i32, ptr addrspace(3) @bins, i32 %m
  store i32 2, ptr addrspace(3) %b
  store i32 1, ptr addrspace(3) @flag
  ret void
}
; CHECK-LABEL: define ptx_kernel void @repeated(
; CHECK-NOT: unsure
; CHECK: call void @__scopesan_fast_block_word(
; CHECK: ret void
define ptx_kernel void @repeated(i32 %n) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %s = add i32 %t, %i
  %p = getelementptr float, ptr addrspace(3) @tile, i32 %s
  store float 1.0, ptr addrspace(3) %p
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
; CHECK-LABEL: define ptx_kernel void @generic(
; CHECK: call void @__scopesan_fast_
; CHECK: load float, ptr %
define ptx_kernel void @generic(ptr addrspace(1) %where) #0 {
  %p = load ptr, ptr addrspace(1) %where
  %x = load float, ptr %p
  store float %x, ptr addrspace(1) %where
  ret void
}

; A mixed kernel's reads of shared memory between its barriers.
; MIXED-LABEL: define ptx_kernel void @mixed_reads(
; MIXED: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; MIXED-NOT: __scopesan_fast_word
; MIXED: load float, ptr addrspace(3)
; MIXED: ret void
define ptx_kernel void @mixed_reads(ptr addrspace(1) %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @tile, i32 %t
  store float 1.0, ptr addrspace(3) %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = load float, ptr addrspace(3) @tile
  store float %x, ptr addrspace(1) %out
  fence syncscope("device") seq_cst
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

attributes #0 = { "target-cpu"="sm_90" }

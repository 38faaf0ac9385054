; Which kernels take a fast form on the GPU, and what their code calls.
; RUN: %opt-scopesan -passes=scopesan -scopesan-gpu-mode=auto %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: %opt-scopesan -passes=scopesan -scopesan-gpu-mode=mixed %s -o %t.mixed.ll
; RUN: FileCheck --check-prefix=MIXED %s < %t.mixed.ll
; RUN: %opt-scopesan -passes=scopesan -scopesan-gpu-mode=logged %s | FileCheck --check-prefix=LOGGED %s
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [256 x float] undef, align 4
@text = internal addrspace(3) global [64 x i8] undef, align 1
@dynamic = external addrspace(3) global [0 x float], align 4

; The variables of a kernel and their cells are one object.
; CHECK-DAG: @barrier_shared = internal addrspace(3) global [3072 x i8] undef, align 16

; LOGGED-NOT: call {{.*}}@__scopesan_fast

; Accesses meet the shadow in place; what is not settled goes out of line.
; CHECK-LABEL: define ptx_kernel void @weak(
; CHECK-NOT: call void @__scopesan_read(
; CHECK: atom.relaxed.gpu.global.max.u64
; CHECK: call void @__scopesan_fast_unsettled(
; CHECK: load float, ptr
; CHECK: atom.relaxed.gpu.global.exch.b128
; CHECK: store float
; CHECK: call void @__scopesan_fast_leave(
; CHECK-NOT: call void @__scopesan_gpu_exit
; CHECK: ret void
define ptx_kernel void @weak(ptr %a, ptr %b) #0 {
  %x = load float, ptr %b
  store float %x, ptr %a
  ret void
}

; Functions are inlined into their kernel.
; CHECK-LABEL: define ptx_kernel void @calls(
; CHECK-NOT: call void @store_one
; CHECK: atom.relaxed.gpu.global.exch.b128
; CHECK: ret void
define ptx_kernel void @calls(ptr %a) #0 {
  call void @store_one(ptr %a)
  ret void
}
define void @store_one(ptr %a) #0 {
  store float 1.0, ptr %a
  ret void
}

; A relaxed read-modify-write settles on the device, too.
; CHECK-LABEL: define ptx_kernel void @relaxed(
; CHECK-NOT: call void @__scopesan_atomic_before
; CHECK: call void @__scopesan_fast_word(
; CHECK: ret void
define ptx_kernel void @relaxed(ptr %a) #0 {
  %x = atomicrmw add ptr %a, i32 1 syncscope("device") monotonic
  ret void
}

; Block barriers that all threads pass count phases; shared memory has its cells beside it, which are
; cleared before the kernel begins.
; CHECK-LABEL: define ptx_kernel void @barrier(
; CHECK-NOT: call void @__scopesan_block_barrier_before
; CHECK-NOT: call i64 @__scopesan_fast_take_slot(
; CHECK-DAG: st.shared.v2.b64
; CHECK-DAG: barrier.sync.aligned 0;
; CHECK: atom.relaxed.cta.shared.exch.b64
; CHECK: call void @__scopesan_fast_block_word(
; CHECK: store float 1.000000e+00, ptr addrspace(3)
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: ld.relaxed.cta.shared.b64
; CHECK: call void @__scopesan_fast_block_word(
; CHECK: ret void
define ptx_kernel void @barrier(ptr %a) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @tile, i32 %t
  store float 1.0, ptr addrspace(3) %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %q = getelementptr i8, ptr addrspace(3) %p, i32 4
  %x = load float, ptr addrspace(3) %q
  store float %x, ptr %a
  store float %x, ptr addrspace(3) %p
  ret void
}

; Accesses of bytes, and shared memory of a size that only the launch knows: a slot.
; CHECK-LABEL: define ptx_kernel void @bytes(
; CHECK: call i64 @__scopesan_fast_take_slot(
; CHECK: ret void
define ptx_kernel void @bytes() #0 {
  store i8 1, ptr addrspace(3) @text
  ret void
}
; CHECK-LABEL: define ptx_kernel void @sized_by_launch(
; CHECK: call i64 @__scopesan_fast_take_slot(
; CHECK: ret void
define ptx_kernel void @sized_by_launch() #0 {
  store float 1.0, ptr addrspace(3) @dynamic
  store float 1.0, ptr addrspace(3) @tile
  ret void
}

; An early exit of some threads before a barrier: exits give no edge (S7), so the log must tell them.
; CHECK-LABEL: define ptx_kernel void @early_exit(
; CHECK: call void @__scopesan_block_barrier_before(
; CHECK: call void @__scopesan_write(
define ptx_kernel void @early_exit(ptr %a) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %some = icmp ult i32 %t, 100
  br i1 %some, label %body, label %done
body:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float 1.0, ptr %a
  br label %done
done:
  ret void
}

; Divergent code beside the barrier, and a loop of a uniform number of turns.
; CHECK-LABEL: define ptx_kernel void @reduction(
; CHECK-NOT: call void @__scopesan_block_barrier_before(
; CHECK: ret void
define ptx_kernel void @reduction(ptr %a, i32 %n) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %s = phi i32 [ %n, %entry ], [ %half, %next ]
  %some = icmp ult i32 %t, %s
  br i1 %some, label %add, label %next
add:
  store float 1.0, ptr %a
  br label %next
next:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %half = lshr i32 %s, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A loop that threads leave at different times.
; CHECK-LABEL: define ptx_kernel void @uneven(
; CHECK: call void @__scopesan_block_barrier_before(
define ptx_kernel void @uneven(ptr %a) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %s = phi i32 [ %t, %entry ], [ %half, %loop ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %half = lshr i32 %s, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}

; What synchronizes otherwise is logged. In mixed kernels the synchronization is, accesses are not.
; CHECK-LABEL: define ptx_kernel void @release(
; CHECK: call void @__scopesan_atomic_before(
; MIXED-LABEL: define ptx_kernel void @release(
; MIXED: call void @__scopesan_fast_strong_words(
; MIXED: call void @__scopesan_fast_record({{.*}}, i32 noundef 5,
; MIXED: store atomic i32
; MIXED: call void @__scopesan_fast_record({{.*}}, i32 noundef 6,
; MIXED: call void @__scopesan_fast_leave_mixed(
; MIXED: ret void
define ptx_kernel void @release(ptr %a) #0 {
  store atomic i32 1, ptr %a syncscope("device") release, align 4
  ret void
}
; CHECK-LABEL: define ptx_kernel void @fence(
; CHECK: call void @__scopesan_fence(
; MIXED-LABEL: define ptx_kernel void @fence(
; MIXED-NOT: @__scopesan_write
; MIXED: atom.relaxed.gpu.global.exch.b128
; MIXED: store float
; MIXED: call void @__scopesan_fast_record({{.*}}, i32 noundef 7,
; MIXED: call void @llvm.nvvm.membar.gl()
; MIXED: ret void
define ptx_kernel void @fence(ptr %a) #0 {
  store float 1.0, ptr %a
  call void @llvm.nvvm.membar.gl()
  ret void
}
; CHECK-LABEL: define ptx_kernel void @cas(
; CHECK: call void @__scopesan_atomic_before(
define ptx_kernel void @cas(ptr %a) #0 {
  %x = cmpxchg ptr %a, i32 0, i32 1 syncscope("device") monotonic monotonic
  ret void
}
; A block-wide operation on memory that other blocks see.
; CHECK-LABEL: define ptx_kernel void @narrow(
; CHECK: call void @__scopesan_atomic_before(
define ptx_kernel void @narrow(ptr %a) #0 {
  %x = call i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr %a, i32 1)
  ret void
}
; CHECK-LABEL: define ptx_kernel void @warp(
; CHECK: call void @__scopesan_warp_barrier_before(
; MIXED-LABEL: define ptx_kernel void @warp(
; MIXED: redux.sync.max.u32
; MIXED: call void @__scopesan_fast_record({{.*}}, i32 noundef 9,
; MIXED: call void @llvm.nvvm.bar.warp.sync(i32 -1)
; MIXED: ret void
define ptx_kernel void @warp(ptr %a) #0 {
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  store float 1.0, ptr %a
  ret void
}
; CHECK-LABEL: define ptx_kernel void @indirect(
; CHECK: call void @__scopesan_write(
define ptx_kernel void @indirect(ptr %a, ptr %f) #0 {
  store float 1.0, ptr %a
  call void %f()
  ret void
}

; A failing assert ends the context, and the device's counters with it.
; CHECK-LABEL: define ptx_kernel void @assert(
; CHECK: call void @__scopesan_write(
define ptx_kernel void @assert(ptr %a, i1 %bad) #0 {
  store float 1.0, ptr %a
  br i1 %bad, label %fail, label %done
fail:
  call void @__assertfail(ptr %a, ptr %a, i32 1, ptr %a, i64 1)
  unreachable
done:
  ret void
}
declare void @__assertfail(ptr, ptr, i32, ptr, i64)

; No 128-bit atomics before sm_90.
; CHECK-LABEL: define ptx_kernel void @old(
; CHECK: call void @__scopesan_write(
define ptx_kernel void @old(ptr %a) #1 {
  store float 1.0, ptr %a
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.membar.gl()
declare i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr, i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
attributes #0 = { "target-cpu"="sm_90" }
attributes #1 = { "target-cpu"="sm_80" }

; A loop on a way that only some threads take: all meet again before the barrier.
; CHECK-LABEL: define ptx_kernel void @loop_on_a_way(
; CHECK-NOT: call void @__scopesan_block_barrier_before(
; CHECK: ret void
define ptx_kernel void @loop_on_a_way(ptr %a, i32 %n) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %head, label %meet
head:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %after
body:
  store float 1.0, ptr %a
  %j = add i32 %i, 1
  br label %head
after:
  br label %meet
meet:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

; The same with the barrier on that way.
; CHECK-LABEL: define ptx_kernel void @barrier_on_a_way(
; CHECK: call void @__scopesan_block_barrier_before(
define ptx_kernel void @barrier_on_a_way(ptr %a, i32 %n) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %head, label %meet
head:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %meet
body:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float 1.0, ptr %a
  %j = add i32 %i, 1
  br label %head
meet:
  ret void
}

; What all threads load from one place is likely the same. Where the log tells the ends of threads, it is
; found out while the kernel runs.
; CHECK-LABEL: define ptx_kernel void @decided_by_memory(
; CHECK: call void @__scopesan_block_barrier_before(
; MIXED-LABEL: define ptx_kernel void @decided_by_memory(
; MIXED-NOT: call void @__scopesan_block_barrier_before(
; MIXED: call void @__scopesan_fast_diverged(
; MIXED: ret void
define ptx_kernel void @decided_by_memory(ptr %a) #0 {
  fence syncscope("device") seq_cst
  %n = load i32, ptr %a
  %some = icmp eq i32 %n, 0
  br i1 %some, label %body, label %done
body:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float 1.0, ptr %a
  br label %done
done:
  ret void
}

; Not if it was loaded from a place of the thread's own.
; MIXED-LABEL: define ptx_kernel void @decided_by_each(
; MIXED: call void @__scopesan_block_barrier_before(
define ptx_kernel void @decided_by_each(ptr %a) #0 {
  fence syncscope("device") seq_cst
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %a, i32 %t
  %n = load i32, ptr %p
  %some = icmp eq i32 %n, 0
  br i1 %some, label %body, label %done
body:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float 1.0, ptr %a
  br label %done
done:
  ret void
}

; A load that may be repeated is open until the thread does something else.
; MIXED-LABEL: define ptx_kernel void @waits(
; MIXED: call void @__scopesan_fast_poll_changes(
; MIXED: call void @__scopesan_fast_poll_ends(
; MIXED: ret void
define ptx_kernel void @waits(ptr %a, ptr %b) #0 {
entry:
  br label %loop
loop:
  %x = load atomic i32, ptr %a syncscope("device") acquire, align 4
  %again = icmp eq i32 %x, 0
  br i1 %again, label %loop, label %done
done:
  store float 1.0, ptr %b
  ret void
}

; D12: reads that are the only way out of a loop that does nothing else have bit 26 in their op:
; 67108864 = 1 << 26.
; RUN: %instrument %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; A relaxed volatile load of system scope, 4 bytes: 2163728 without the bit.
; CHECK-LABEL: @volatile_flag
; CHECK: @__scopesan_atomic_before(ptr %p, i32 4, i32 69272592,
define void @volatile_flag(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %go = icmp eq i32 %v, 0
  br i1 %go, label %loop, label %done
done:
  ret void
}

; The first of the two reads ends nothing.
; CHECK-LABEL: @rotated
; CHECK: @__scopesan_atomic_before(ptr %p, i32 4, i32 2163728,
; CHECK: @__scopesan_atomic_before(ptr %p, i32 4, i32 69272592,
define void @rotated(ptr %p) {
entry:
  %first = load volatile i32, ptr %p
  %none = icmp eq i32 %first, 0
  br i1 %none, label %loop, label %done
loop:
  %v = load volatile i32, ptr %p
  %go = icmp eq i32 %v, 0
  br i1 %go, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: @acquire
; CHECK: @__scopesan_atomic_before(ptr {{.*}}, i32 4, i32 69206816,
define void @acquire(ptr %p, i32 %wanted) {
entry:
  br label %loop
loop:
  %v = call i32 asm sideeffect "ld.acquire.gpu.b32 $0,[$1];", "=r,l,~{memory}"(ptr %p)
  call void asm sideeffect "fence.acq_rel.gpu;", "~{memory}"()
  call void asm sideeffect "nanosleep.u32 $0;", "r"(i32 20)
  %same = icmp eq i32 %v, %wanted
  br i1 %same, label %done, label %loop
done:
  ret void
}

; A growing pause is no way out.
; CHECK-LABEL: @backoff
; CHECK: @__scopesan_atomic_before(ptr %p, i32 4, i32 69272592,
define void @backoff(ptr %p) {
entry:
  br label %loop
loop:
  %ns = phi i32 [ 8, %entry ], [ %more, %loop ]
  call void @llvm.nvvm.nanosleep(i32 %ns)
  %more = shl i32 %ns, 1
  %v = load volatile i32, ptr %p
  %go = icmp eq i32 %v, 0
  br i1 %go, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: @swap
; CHECK: @__scopesan_atomic_before(ptr %p, i32 4, i32 69207107,
define void @swap(ptr %p) {
entry:
  br label %loop
loop:
  %x = cmpxchg ptr %p, i32 0, i32 1 seq_cst seq_cst
  %got = extractvalue { i32, i1 } %x, 1
  br i1 %got, label %done, label %loop
done:
  ret void
}

; An update of what was read is no wait.
; CHECK-LABEL: @update
; CHECK: @__scopesan_atomic_before(ptr %p, i32 4, i32 2098243,
define void @update(ptr %p) {
entry:
  br label %loop
loop:
  %old = phi i32 [ 0, %entry ], [ %now, %loop ]
  %new = add i32 %old, 1
  %x = cmpxchg ptr %p, i32 %old, i32 %new seq_cst seq_cst
  %now = extractvalue { i32, i1 } %x, 0
  %got = extractvalue { i32, i1 } %x, 1
  br i1 %got, label %done, label %loop
done:
  ret void
}

; CHECK-LABEL: @bounded
; CHECK: @__scopesan_atomic_before(ptr %p, i32 4, i32 2163728,
define void @bounded(ptr %p) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %again ]
  %v = load volatile i32, ptr %p
  %set = icmp ne i32 %v, 0
  br i1 %set, label %done, label %again
again:
  %next = add i32 %n, 1
  %more = icmp ult i32 %next, 100
  br i1 %more, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: @two_flags
; CHECK: @__scopesan_atomic_before(ptr %p, i32 4, i32 2163728,
; CHECK: @__scopesan_atomic_before(ptr %q, i32 4, i32 2163728,
define void @two_flags(ptr %p, ptr %q) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %w = load volatile i32, ptr %q
  %or = or i32 %v, %w
  %go = icmp eq i32 %or, 0
  br i1 %go, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: @writes
; CHECK: @__scopesan_atomic_before(ptr %p, i32 4, i32 2163728,
define void @writes(ptr %p, ptr %q) {
entry:
  br label %loop
loop:
  store i32 1, ptr %q
  %v = load volatile i32, ptr %p
  %go = icmp eq i32 %v, 0
  br i1 %go, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: @other_lanes
; CHECK: @__scopesan_atomic_before(ptr %p, i32 4, i32 2163728,
define void @other_lanes(ptr %p) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %p
  %zero = icmp eq i32 %v, 0
  %go = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %zero)
  br i1 %go, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: @along_a_list
; CHECK: @__scopesan_atomic_before(ptr %at, i32 4, i32 2163728,
define void @along_a_list(ptr %p) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %loop ]
  %next = getelementptr i32, ptr %at, i64 1
  %v = load volatile i32, ptr %at
  %go = icmp eq i32 %v, 0
  br i1 %go, label %loop, label %done
done:
  ret void
}

; Which value was merged, a count decides.
; CHECK-LABEL: @merged
; CHECK: @__scopesan_atomic_before(ptr %p, i32 4, i32 2163728,
define void @merged(ptr %p) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %join ]
  %next = add i32 %n, 1
  %v = load volatile i32, ptr %p
  %late = icmp ugt i32 %n, 100
  br i1 %late, label %enough, label %join
enough:
  br label %join
join:
  %m = phi i32 [ %v, %loop ], [ 1, %enough ]
  %go = icmp eq i32 %m, 0
  br i1 %go, label %loop, label %done
done:
  ret void
}

; An outer loop that does nothing else, around one that counts.
; CHECK-LABEL: @polls_in_rounds
; CHECK: @__scopesan_atomic_before(ptr %p, i32 4, i32 69272592,
define void @polls_in_rounds(ptr %p) {
entry:
  br label %outer
outer:
  br label %inner
inner:
  %n = phi i32 [ 0, %outer ], [ %next, %again ]
  %v = load volatile i32, ptr %p
  %set = icmp ne i32 %v, 0
  br i1 %set, label %done, label %again
again:
  %next = add i32 %n, 1
  %more = icmp ult i32 %next, 16
  br i1 %more, label %inner, label %pause
pause:
  call void @llvm.nvvm.nanosleep(i32 64)
  br label %outer
done:
  ret void
}

declare void @llvm.nvvm.nanosleep(i32)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)

; Loops that may never end, and call nothing that switches threads, let others run (D12).
; RUN: %codegen --emit-ll %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @empty.dev
; CHECK: loop:
; CHECK-NEXT: call void @__scopesan_cpu_yield()
; CHECK-NEXT: br label %loop
define ptx_kernel void @empty() {
  br label %loop
loop:
  br label %loop
}

; CHECK-LABEL: define internal void @volatile_condition.dev
; CHECK: load volatile i32
; CHECK: call void @__scopesan_cpu_yield()
; CHECK-NEXT: br i1
define ptx_kernel void @volatile_condition() {
  %x = alloca i32
  store volatile i32 1, ptr %x
  br label %loop
loop:
  %v = load volatile i32, ptr %x
  %c = icmp eq i32 %v, 0
  br i1 %c, label %end, label %loop
end:
  ret void
}

; Only registers are read that never change.
; CHECK-LABEL: define internal void @register_only.dev
; CHECK: call void @__scopesan_cpu_yield()
define ptx_kernel void @register_only() {
  br label %loop
loop:
  %v = call i32 @llvm.nvvm.read.ptx.sreg.smid()
  br label %loop
}

; A loop that counts ends by itself; one that calls an entry point may switch there.
; CHECK-LABEL: define internal void @counted.dev
; CHECK-NOT: call void @__scopesan_cpu_yield()
; CHECK-LABEL: define internal void @checked.dev
; CHECK-NOT: call void @__scopesan_cpu_yield()
; CHECK: ret void
define ptx_kernel void @counted(i32 %n) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %next = add i32 %i, 1
  %c = icmp eq i32 %next, %n
  br i1 %c, label %end, label %loop
end:
  ret void
}
define ptx_kernel void @checked(ptr %p) {
  br label %loop
loop:
  call void @__scopesan_read(ptr %p, i32 4, i32 1)
  %v = load volatile i32, ptr %p
  %c = icmp eq i32 %v, 0
  br i1 %c, label %end, label %loop
end:
  ret void
}
declare void @__scopesan_read(ptr, i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.smid()

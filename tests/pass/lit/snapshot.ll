; Without the GPU backend the original keeps plain code; it carries the instrumented copy.
; RUN: %opt-scopesan -passes=scopesan -scopesan-gpu=0 -scopesan-emit-instrumented=%t.ll %s -o %t.out.ll
; RUN: FileCheck %s < %t.out.ll
; RUN: FileCheck --check-prefix=COPY %s < %t.ll
target triple = "nvptx64-nvidia-cuda"

; CHECK: @[[SNAPSHOT:__scopesan_snapshot_[0-9a-f]+]] = weak_odr addrspace(1) constant [{{[0-9]+}} x i8] c"\7FScopeSan\0DSNAP\0A\1A\04\00\00\00\00\00\00\00{{.*}}BC\C0\DE
; CHECK: @llvm.used = {{.*}}@[[SNAPSHOT]]
; CHECK: define ptx_kernel void @kernel
; CHECK-NEXT: cmpxchg ptr %p, i32 1, i32 2 syncscope("device") monotonic monotonic
; CHECK-NEXT: atomicrmw add ptr %p, i32 1 seq_cst
; CHECK-NEXT: ret void
; CHECK-NOT: @__scopesan_read

; COPY: define ptx_kernel void @kernel
; COPY: call void @__scopesan_atomic_before
; COPY: cmpxchg ptr %p, i32 1, i32 2 syncscope("device") monotonic monotonic
; COPY: atomicrmw add ptr %p, i32 1 syncscope("device") monotonic
; COPY-NOT: __scopesan_snapshot
define ptx_kernel void @kernel(ptr %p) {
  %x = cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst
  %y = atomicrmw add ptr %p, i32 1 seq_cst
  ret void
}

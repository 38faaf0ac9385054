; X1: never silent, one note per distinct operation, the build goes on.
; RUN: %instrument %s 2>%t.err | FileCheck %s
; RUN: FileCheck --check-prefix=NOTE --implicit-check-not=note: %s < %t.err
; RUN: %instrument -scopesan-notes=0 %s 2>&1 | FileCheck --check-prefix=QUIET %s
; QUIET-NOT: note:
target triple = "nvptx64-nvidia-cuda"

; CHECK: c"\00{{.*}}tcgen05.fence::before_thread_sync\00{{.*}}frobnicate.u32 $0{{.*}}ld.u32 $0, [table]

; NOTE: unmodelled.ll: note: ScopeSan: not modelled yet (X1 incomplete): tcgen05.fence::before_thread_sync
; NOTE: note: ScopeSan: unknown instruction (X1 incomplete): frobnicate.u32 $0
; NOTE: note: ScopeSan: operand computed inside the asm statement (X1 incomplete): ld.u32 $0, [table]
; NOTE: note: ScopeSan: inline asm not understood: {{.*}} (X1 incomplete): this is ? not PTX
; CHECK-LABEL: @asm
; Each operation lies between its two calls: it may have synchronized in either direction.
; CHECK: call void @__scopesan_unmodelled(i32
; CHECK-NEXT: asm sideeffect "tcgen05.fence::before_thread_sync;"
; CHECK: call void @__scopesan_unmodelled_after(i32
; CHECK: call void @__scopesan_unmodelled(i32
; CHECK-NEXT: asm sideeffect "tcgen05.fence::before_thread_sync;"
; CHECK: call void @__scopesan_unmodelled_after(i32
; CHECK: call void @__scopesan_unmodelled(i32
; CHECK-NEXT: asm sideeffect "frobnicate.u32 $0;"
; CHECK: call void @__scopesan_unmodelled_after(i32
; CHECK: call void @__scopesan_unmodelled(i32
; CHECK-NEXT: asm sideeffect "ld.u32 $0, [table];"
; CHECK: call void @__scopesan_unmodelled_after(i32
; CHECK: call void @__scopesan_unmodelled(i32
; CHECK-NEXT: asm sideeffect "this is ? not PTX"
; CHECK: call void @__scopesan_unmodelled_after(i32
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @asm(i32 %x) {
  call void asm sideeffect "tcgen05.fence::before_thread_sync;", ""()
  call void asm sideeffect "tcgen05.fence::before_thread_sync;", ""()
  call void asm sideeffect "frobnicate.u32 $0;", "r"(i32 %x)
  %v = call i32 asm sideeffect "ld.u32 $0, [table];", "=r"()
  call void asm sideeffect "this is ? not PTX", ""()
  ret void
}

; NOTE: note: ScopeSan: not modelled yet (X1 incomplete): call void @llvm.nvvm.tcgen05.fence.before.thread.sync()
; NOTE: note: ScopeSan: texture fetch with a sampler of its own (X1 incomplete): %r = call {{.*}} @llvm.nvvm.tex.1d.v4f32.s32(i64 %t, i64 %t, i32 0)
; NOTE: note: ScopeSan: formatted surface access (X1 incomplete): call void @llvm.nvvm.sust.p.1d.i32.trap(i64 %t, i32 0, i32 0)
; NOTE: note: ScopeSan: not modelled yet (X1 incomplete): call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 4, i1 true)
; CHECK-LABEL: @intrinsics
; CHECK-COUNT-4: call void @__scopesan_unmodelled_after(i32
define void @intrinsics(ptr %p, i64 %t) {
  call void @llvm.nvvm.tcgen05.fence.before.thread.sync()
  %r = call { float, float, float, float } @llvm.nvvm.tex.1d.v4f32.s32(i64 %t, i64 %t, i32 0)
  call void @llvm.nvvm.sust.p.1d.i32.trap(i64 %t, i32 0, i32 0)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 4, i1 true)
  ret void
}

; Texture and surface instructions: the CPU backend is told their places, the GPU backend gets X1.
; RUN: %instrument %s | FileCheck %s
; RUN: %opt-scopesan -passes=scopesan %s -o %t.ll 2> %t.notes
; RUN: FileCheck --check-prefix=GPU %s < %t.ll
; RUN: FileCheck --check-prefix=NOTE %s < %t.notes
target triple = "nvptx64-nvidia-cuda"

; NOTE: note: ScopeSan: texture fetch with a sampler of its own (X1 incomplete): %d = call
; GPU-LABEL: @texts
; GPU-COUNT-5: call void @__scopesan_unmodelled(
; GPU-NOT: @__scopesan_texture
; CHECK-LABEL: @texts
; CHECK: call void @__scopesan_texture(i32 266240, i32
; CHECK-NEXT: asm "tex.1d.v4.f32.s32
; CHECK: call void @__scopesan_texture(i32 266240, i32
; CHECK-NEXT: asm "tld4.r.2d
; CHECK: call void @__scopesan_texture(i32 2101248, i32
; CHECK-NEXT: asm "suld.b.1d
; CHECK: call void @__scopesan_texture(i32 2101249, i32
; CHECK-NEXT: asm sideeffect "sust.b.1d
; CHECK: br i1
; CHECK: call void @__scopesan_texture(i32 1052673, i32
; CHECK: asm sideeffect "{ .reg .pred q;
; CHECK-NOT: @__scopesan
; CHECK: ret void
define void @texts(i64 %t, i32 %x, float %f, i16 %h) {
  %c = call { float, float, float, float } asm "tex.1d.v4.f32.s32 {$0, $1, $2, $3}, [$4, {$5}];", "=f,=f,=f,=f,l,r"(i64 %t, i32 %x)
  %a = call { float, float, float, float } asm "tld4.r.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $5}];", "=f,=f,=f,=f,l,f"(i64 %t, float %f)
  %b = call i32 asm "suld.b.1d.b32.trap $0, [$1, {$2}];", "=r,l,r"(i64 %t, i32 %x)
  call void asm sideeffect "sust.b.1d.b32.trap [$0, {$1}], $1;", "l,r"(i64 %t, i32 %x)
  call void asm sideeffect "{ .reg .pred q; setp.ne.s32 q, $1, 0; @q sust.b.1d.v2.b16.zero [$0, {$1}], {$2, $2}; }", "l,r,h"(i64 %t, i32 %x, i16 %h)
  ret void
}

; CHECK-LABEL: @intrinsics
; CHECK-COUNT-4: call void @__scopesan_texture(i32
; CHECK: call void @__scopesan_unmodelled(i32
; CHECK: ret void
define void @intrinsics(i64 %t, i32 %x, float %f) {
  %a = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %t, i32 0)
  %b = call { float, float, float, float } @llvm.nvvm.tex.unified.2d.array.level.v4f32.f32(i64 %t, i32 %x, float %f, float %f, float %f)
  %c = call i32 @llvm.nvvm.suld.1d.i32.zero(i64 %t, i32 0)
  call void @llvm.nvvm.sust.b.2d.i32.clamp(i64 %t, i32 %x, i32 %x, i32 %x)
  %d = call { float, float, float, float } @llvm.nvvm.tex.2d.v4f32.f32(i64 %t, i64 %t, float %f, float %f)
  ret void
}

; Texture and surface intrinsics become calls of the engine; what it lacks stops the kernel by name.
; RUN: %codegen --emit-ll %s | %FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @intrinsics.dev
; CHECK: call void @__scopesan_cpu_texture(i64 %t, i32 69632, ptr
; CHECK: call void @__scopesan_cpu_texture(i64 %t, i32 69676, ptr
; CHECK: call void @__scopesan_cpu_texture(i64 %t, i32 69801, ptr
; CHECK: call void @__scopesan_cpu_surface_read(i64 %t, i32 34062, ptr
; CHECK: call void @__scopesan_cpu_surface_write(i64 %t, i32 18955, ptr
; CHECK: call void @__scopesan_cpu_unsupported(
; CHECK: unsupported
define ptx_kernel void @intrinsics(i64 %t, i32 %x, float %f, ptr %to) {
  %a = call { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64 %t, i32 %x)
  %b = call { i32, i32, i32, i32 } @llvm.nvvm.tex.unified.2d.array.level.v4u32.f32(i64 %t, i32 %x, float %f, float %f, float %f)
  %c = call { float, float, float, float } @llvm.nvvm.tld4.unified.b.2d.v4f32.f32(i64 %t, float %f, float %f)
  %d = call { i16, i16 } @llvm.nvvm.suld.2d.array.v2i8.clamp(i64 %t, i32 %x, i32 %x, i32 %x)
  call void @llvm.nvvm.sust.b.2d.i16.zero(i64 %t, i32 %x, i32 %x, i16 7)
  %e = call { float, float, float, float } @llvm.nvvm.tex.1d.v4f32.s32(i64 %t, i64 %t, i32 %x)
  %v = extractvalue { float, float, float, float } %a, 1
  store float %v, ptr %to
  %w = extractvalue { i16, i16 } %d, 1
  store i16 %w, ptr %to
  ret void
}
declare { float, float, float, float } @llvm.nvvm.tex.unified.1d.v4f32.s32(i64, i32)
declare { i32, i32, i32, i32 } @llvm.nvvm.tex.unified.2d.array.level.v4u32.f32(i64, i32, float, float, float)
declare { float, float, float, float } @llvm.nvvm.tld4.unified.b.2d.v4f32.f32(i64, float, float)
declare { i16, i16 } @llvm.nvvm.suld.2d.array.v2i8.clamp(i64, i32, i32, i32)
declare void @llvm.nvvm.sust.b.2d.i16.zero(i64, i32, i32, i16)
declare { float, float, float, float } @llvm.nvvm.tex.1d.v4f32.s32(i64, i64, i32)

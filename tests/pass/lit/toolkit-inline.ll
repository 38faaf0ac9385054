; Unoptimised functions of the toolkit are inlined before anything is instrumented, so that each
; access keeps its frame in the program. Recursive ones, the program's own and optimised ones stay.
; RUN: %opt-scopesan -passes=scopesan-mark -scopesan-toolkit=/kit/ %s | FileCheck %s
; RUN: %opt-scopesan -passes=scopesan-mark,always-inline,scopesan-instrument -scopesan-toolkit=/kit/ %s | FileCheck --check-prefix=SITES %s
; RUN: %opt-scopesan -passes=scopesan-mark -scopesan-toolkit=/kit/ -scopesan-enable=0 %s | FileCheck --check-prefix=OFF %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define internal void @store(ptr %p) [[INLINED:#[0-9]+]]
; OFF: define internal void @store(ptr %p) [[LEFT:#[0-9]+]]
define internal void @store(ptr %p) #0 !dbg !5 {
  store i32 1, ptr %p, !dbg !8
  ret void
}
; CHECK: define internal void @outer(ptr %p) [[INLINED]]
define internal void @outer(ptr %p) #0 !dbg !6 {
  call void @store(ptr %p), !dbg !9
  ret void
}
; CHECK: define void @recursive(ptr %p) [[KEPT:#[0-9]+]]
define void @recursive(ptr %p) #0 !dbg !10 {
  call void @recursive(ptr %p), !dbg !11
  ret void
}
; CHECK: define void @own(ptr %p) [[KEPT]]
define void @own(ptr %p) #0 !dbg !12 {
  ret void
}
; CHECK: define void @optimised(ptr %p) [[OPTIMISED:#[0-9]+]]
define void @optimised(ptr %p) #1 !dbg !13 {
  ret void
}
; Two sites, one for each place in the program.
; SITES-LABEL: define ptx_kernel void @kernel(
; SITES: call void @__scopesan_write(
; SITES: call void @__scopesan_write(
; SITES-NOT: call void @outer
; SITES: ret void
define ptx_kernel void @kernel(ptr %p) #0 !dbg !14 {
  call void @outer(ptr %p), !dbg !15
  call void @outer(ptr %p), !dbg !16
  ret void
}
; CHECK: attributes [[INLINED]] = { alwaysinline convergent }
; CHECK: attributes [[KEPT]] = { convergent noinline optnone }
; CHECK: attributes [[OPTIMISED]] = { convergent }
; OFF: attributes [[LEFT]] = { convergent noinline optnone }
attributes #0 = { convergent noinline optnone }
attributes #1 = { convergent }
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "app.cu", directory: "/src")
!2 = !DIFile(filename: "/kit/atomic.h", directory: "")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "store", file: !2, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !0)
!6 = distinct !DISubprogram(name: "outer", file: !2, line: 3, type: !4, spFlags: DISPFlagDefinition, unit: !0)
!8 = !DILocation(line: 2, scope: !5)
!9 = !DILocation(line: 4, scope: !6)
!10 = distinct !DISubprogram(name: "recursive", file: !2, line: 5, type: !4, spFlags: DISPFlagDefinition, unit: !0)
!11 = !DILocation(line: 6, scope: !10)
!12 = distinct !DISubprogram(name: "own", file: !1, line: 7, type: !4, spFlags: DISPFlagDefinition, unit: !0)
!13 = distinct !DISubprogram(name: "optimised", file: !2, line: 8, type: !4, spFlags: DISPFlagDefinition, unit: !0)
!14 = distinct !DISubprogram(name: "kernel", file: !1, line: 9, type: !4, spFlags: DISPFlagDefinition, unit: !0)
!15 = !DILocation(line: 10, scope: !14)
!16 = !DILocation(line: 11, scope: !14)

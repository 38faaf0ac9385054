; An access that the optimizer merged out of two lines has line 0: the site takes the line of what uses the value.
; RUN: %instrument %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: @__scopesan_table{{.*}} = internal addrspace(1) constant [1 x { i32, i32, i32, i32, i32 }] [{ i32, i32, i32, i32, i32 } { i32 {{[0-9]+}}, i32 {{[0-9]+}}, i32 12, i32 9, i32 -1 }]
define i32 @sum(ptr %p) !dbg !4 {
  %v = load i32, ptr %p, !dbg !7
  %w = add i32 %v, 1, !dbg !8
  ret i32 %w, !dbg !9
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "user.cu", directory: "/home/u")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "sum", linkageName: "sum", file: !1, line: 9, unit: !0, type: !5)
!5 = !DISubroutineType(types: !{})
!7 = !DILocation(line: 0, scope: !4)
!8 = !DILocation(line: 12, column: 9, scope: !4)
!9 = !DILocation(line: 13, column: 3, scope: !4)

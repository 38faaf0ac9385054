; The site table: strings and frames once each, inline chains, toolkit bit, value types.
; RUN: %instrument -scopesan-toolkit=/opt/toolkit/include %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; Site: frame, op, bytes, text. Site 1 lies in the toolkit (bit 19); site 2 is site 0's frame again.
; CHECK: @__scopesan_table = internal addrspace(1) constant [3 x { i32, i32, i32, i32 }] [{ i32, i32, i32, i32 } { i32 0, i32 2097152, i32 4, i32 [[I32:[0-9]+]] }, { i32, i32, i32, i32 } { i32 1, i32 2621441, i32 16, i32 [[V4:[0-9]+]] }, { i32, i32, i32, i32 } { i32 0, i32 2097153, i32 4, i32 [[I32]] }]
; Frame: file, func, line, column, parent. Frame 1 is inlined into frame 0's position.
; CHECK: @__scopesan_table{{.*}} = internal addrspace(1) constant [2 x { i32, i32, i32, i32, i32 }] [{ i32, i32, i32, i32, i32 } { i32 1, i32 9, i32 10, i32 5, i32 -1 }, { i32, i32, i32, i32, i32 } { i32 [[FILE:[0-9]+]], i32 [[FUNC:[0-9]+]], i32 20, i32 7, i32 0 }]
; CHECK: c"\00user.cu\00void kernel<int>(int*)\00i32\00/opt/toolkit/include/x.h\00helper(float4*)\00<4 x float>\00"
; CHECK: @__scopesan_module = addrspace(1) constant { i32, i32, i32, i32, ptr, ptr, ptr, ptr } { i32 4, i32 3, i32 2, i32 {{[0-9]+}}, ptr addrspacecast (ptr addrspace(1) @__scopesan_table to ptr)
; CHECK-SAME: ptr addrspacecast (ptr addrspace(1) @__scopesan_site_base to ptr) }
; CHECK: @llvm.compiler.used = {{.*}}@__scopesan_module

; CHECK: call void @__scopesan_read(ptr %p, i32 4, i32 {{.*}}) {{.*}}!dbg [[LOC:![0-9]+]]
; CHECK-NEXT: load i32, ptr %p, align 4, !dbg [[LOC]]
define void @_Z6kernelIiEvPT_(ptr %p) !dbg !4 {
  %v = load i32, ptr %p, !dbg !7
  store <4 x float> zeroinitializer, ptr %p, !dbg !8
  store i32 %v, ptr %p, !dbg !7
  ret void, !dbg !7
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "user.cu", directory: "/home/u")
!2 = !DIFile(filename: "/opt/toolkit/include/x.h", directory: "/home/u")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "kernel<int>", linkageName: "_Z6kernelIiEvPT_", file: !1, line: 9, unit: !0, type: !5)
!5 = !DISubroutineType(types: !{})
!6 = distinct !DISubprogram(name: "helper", linkageName: "_Z6helperP6float4", file: !2, line: 19, unit: !0, type: !5)
!7 = !DILocation(line: 10, column: 5, scope: !4)
!8 = !DILocation(line: 20, column: 7, scope: !6, inlinedAt: !7)

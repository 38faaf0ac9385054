; __managed__ variables of a host module. Uses read the address; the registration that clang wrote
; becomes nvcc's; data that holds the address gets it before main.
; RUN: %opt-scopesan -passes=scopesan-mark %s | FileCheck %s
; RUN: sed -e '/__cuda_gpubin_handle/d' %s | %opt-scopesan -passes=scopesan-mark - | FileCheck --check-prefix=RDC %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK: @m = global i32 undef
; CHECK-NOT: section "scopesan_managed"
@m = global i32 undef, section "scopesan_managed"
@e = external global i32, section "scopesan_managed"
@__cuda_gpubin_handle = internal global ptr null
@name = private constant [2 x i8] c"m\00"
; CHECK: @p = global ptr null
@p = global ptr getelementptr (i8, ptr @m, i64 8)
; CHECK: @s = global { i32, [2 x ptr] } { i32 7, [2 x ptr] [ptr @name, ptr null] }
@s = constant { i32, [2 x ptr] } { i32 7, [2 x ptr] [ptr @name, ptr @m] }
; Tables name the shadow.
; CHECK: @.offloading.entry.m = weak constant { ptr, ptr } { ptr @m, ptr @name }
@.offloading.entry.m = weak constant { ptr, ptr } { ptr @m, ptr @name }, section "llvm_offload_entries"
; CHECK: @llvm.compiler.used = {{.*}} [ptr @m]
@llvm.compiler.used = appending global [1 x ptr] [ptr @m], section "llvm.metadata"
; CHECK: @m.scopesan_managed = global ptr null
; CHECK: @llvm.global_ctors = {{.*}}@__scopesan_managed_initializers
; CHECK: @e.scopesan_managed = external global ptr

declare i32 @__cudaRegisterVar(ptr, ptr, ptr, ptr, i32, i64, i32, i32)
; CHECK-LABEL: define internal void @__cuda_register_globals(
; CHECK: call i32 @__cudaRegisterManagedVar(ptr %h, ptr @m.scopesan_managed, ptr @name, ptr @name, i32 0, i64 4, i32 0, i32 0)
define internal void @__cuda_register_globals(ptr %h) {
  %r = call i32 @__cudaRegisterVar(ptr %h, ptr @m, ptr @name, ptr @name, i32 0, i64 4, i32 0, i32 0)
  ret void
}

; CHECK-LABEL: define i32 @uses(
; CHECK: %[[A:.*]] = call ptr @__scopesan_managed_address(ptr @m.scopesan_managed, ptr @m)
; CHECK: load i32, ptr %[[A]]
; CHECK: %[[B:.*]] = call ptr @__scopesan_managed_address(ptr @e.scopesan_managed, ptr @e)
; CHECK: store i32 %v, ptr %[[B]]
define i32 @uses(i1 %c) {
  %v = load i32, ptr @m
  store i32 %v, ptr @e
  br i1 %c, label %a, label %b
a:
; CHECK: a:
; CHECK: %[[P:.*]] = call ptr @__scopesan_managed_address(ptr @m.scopesan_managed, ptr @m)
; CHECK: br label %b
  br label %b
b:
; CHECK: phi ptr [ %[[P]], %a ], [ null, %0 ]
  %q = phi ptr [ @m, %a ], [ null, %0 ]
  %w = load i32, ptr %q
  ret i32 %w
}

; CHECK-LABEL: define internal void @__scopesan_managed_initializers()
; CHECK: %[[C:.*]] = call ptr @__scopesan_managed_address(ptr @m.scopesan_managed, ptr @m)
; CHECK: %[[D:.*]] = getelementptr i8, ptr %[[C]], i64 8
; CHECK: store ptr %[[D]], ptr @p
; CHECK: %[[F:.*]] = call ptr @__scopesan_managed_address(ptr @m.scopesan_managed, ptr @m)
; CHECK: store ptr %[[F]], ptr getelementptr inbounds (i8, ptr @s, i64 16)

; CHECK-LABEL: define internal ptr @__scopesan_managed_address(
; CHECK: load ptr, ptr @__cuda_gpubin_handle
; CHECK: call i8 @__cudaInitModule(
; Where the linker registers the variables, the runtime is asked.
; RDC: call i32 @cudaGetSymbolAddress(ptr %0, ptr %1)

; S15: host code under -scopesan-host. Private memory, constants and thread-local variables need no report.
; RUN: %opt-scopesan -passes=scopesan-host %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

@global = global i32 0
@fixed = constant i32 7
@own = thread_local global i32 0

; CHECK: @__scopesan_module = internal constant
; CHECK: @llvm.global_ctors = appending global {{.*}} { i32 0, ptr @__scopesan_host_module_ctor, ptr null }

; The calls break the promise.
; CHECK-LABEL: define void @plain
; CHECK-SAME: (ptr %p) {
define void @plain(ptr %p) memory(argmem: readwrite) {
  ; CHECK: call void @__scopesan_host_read(ptr %p, i64 4, i32
  ; CHECK-NEXT: %v = load i32
  %v = load i32, ptr %p
  ; CHECK: call void @__scopesan_host_write(ptr @global, i64 4, i32
  ; CHECK-NEXT: store i32 %v
  store i32 %v, ptr @global
  ret void
}

; CHECK-LABEL: define i32 @unseen()
; CHECK-NOT: __scopesan_host
; CHECK: ret i32
define i32 @unseen() {
  %slot = alloca i32
  store volatile i32 1, ptr %slot
  %a = load i32, ptr %slot
  %b = load i32, ptr @fixed
  %c = load i32, ptr @own
  %d = add i32 %a, %b
  %e = add i32 %d, %c
  ret i32 %e
}

; CHECK-LABEL: define void @ranges
define void @ranges(ptr %to, ptr %from, i64 %n) {
  ; CHECK: call void @__scopesan_host_read(ptr %from, i64 %n, i32
  ; CHECK: call void @__scopesan_host_write(ptr %to, i64 %n, i32
  ; CHECK: call void @llvm.memcpy
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ; CHECK: call void @__scopesan_host_write(ptr %to, i64 16, i32
  ; CHECK: call void @llvm.memset
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 16, i1 false)
  ret void
}

; Of a host access seq_cst adds no fence.
; CHECK-LABEL: define void @atomics
define void @atomics(ptr %p) {
  ; CHECK: call void @__scopesan_host_atomic_before(ptr %p)
  ; CHECK-NEXT: load atomic i32, ptr %p acquire
  ; CHECK-NEXT: load i32, ptr @__scopesan_host_site_base
  ; CHECK: call void @__scopesan_host_atomic_after(ptr %p, i32 4, i32 {{[0-9]+}}, i32 {{%[0-9]+}}, i32 0)
  %a = load atomic i32, ptr %p acquire, align 4
  ; CHECK: call void @__scopesan_host_atomic_before(ptr %p)
  ; CHECK-NEXT: store atomic i32 1, ptr %p release
  ; CHECK: call void @__scopesan_host_atomic_after(ptr %p, i32 4, i32 {{[0-9]+}}, i32 {{%[0-9]+}}, i32 1)
  store atomic i32 1, ptr %p release, align 4
  ; CHECK-NOT: __scopesan_host_fence
  ; CHECK: call void @__scopesan_host_atomic_before(ptr %p)
  ; CHECK-NEXT: atomicrmw add ptr %p, i32 1 seq_cst
  ; CHECK: call void @__scopesan_host_atomic_after({{.*}}, i32 1)
  %b = atomicrmw add ptr %p, i32 1 seq_cst
  ; CHECK: %c = cmpxchg
  ; CHECK: [[DONE:%.*]] = extractvalue { i32, i1 } %c, 1
  ; CHECK: [[WROTE:%.*]] = zext i1 [[DONE]] to i32
  ; CHECK: call void @__scopesan_host_atomic_after(ptr %p, i32 4, i32 {{[0-9]+}}, i32 {{%[0-9]+}}, i32 [[WROTE]])
  %c = cmpxchg ptr %p, i32 0, i32 1 acq_rel monotonic
  ; CHECK: call void @__scopesan_host_fence(
  ; CHECK-NEXT: fence acquire
  fence acquire
  ; CHECK: call void @__scopesan_host_atomic_before(ptr %p)
  ; CHECK-NEXT: load volatile i32
  ; CHECK: call void @__scopesan_host_atomic_after(
  %d = load volatile i32, ptr %p
  ; An order among signal handlers is none among threads.
  ; CHECK-NOT: __scopesan_host
  ; CHECK: fence syncscope("singlethread") seq_cst
  fence syncscope("singlethread") seq_cst
  ret void
}

; X1: what is not modelled says so.
; CHECK-LABEL: define void @unmodelled
define void @unmodelled(ptr %p) {
  ; CHECK-NOT: __scopesan_host
  ; CHECK: call void asm sideeffect "pause"
  call void asm sideeffect "pause", "~{memory}"()
  ; CHECK-NEXT: call void asm sideeffect ""
  call void asm sideeffect "", "~{memory}"()
  ; CHECK: call void @__scopesan_host_unmodelled(
  ; CHECK-NEXT: call void asm sideeffect "xchgl
  call void asm sideeffect "xchgl %eax, ($0)", "r,~{memory},~{eax}"(ptr %p)
  ; CHECK: call void @__scopesan_host_unmodelled(
  ; CHECK-NEXT: call i128 @__atomic_load_16
  %v = call i128 @__atomic_load_16(ptr %p, i32 5)
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i128 @__atomic_load_16(ptr, i32)

; What the C library does to memory (libc.def): reads before the call, results after it.
declare i64 @fread(ptr, i64, i64, ptr)
declare i64 @write(i32, ptr, i64)
declare i64 @strlen(ptr)
declare i32 @strcmp(ptr, ptr)
declare i32 @snprintf(ptr, i64, ptr, ...)
declare ptr @strncpy(ptr, ptr, i64)
; A function of the program's own by such a name.
declare void @bzero(i32)

; CHECK-LABEL: define void @library
define void @library(ptr %p, ptr %q, i64 %n) {
  ; CHECK: %got = call i64 @fread(ptr %p, i64 4, i64 %n, ptr %q)
  ; CHECK-NEXT: [[BYTES:%.*]] = mul i64 %got, 4
  ; CHECK: call void @__scopesan_host_write(ptr %p, i64 [[BYTES]], i32
  %got = call i64 @fread(ptr %p, i64 4, i64 %n, ptr %q)
  ; CHECK: call void @__scopesan_host_read(ptr %p, i64 %n, i32
  ; CHECK: call i64 @write(i32 1, ptr %p, i64 %n)
  call i64 @write(i32 1, ptr %p, i64 %n)
  ; CHECK: call void @__scopesan_host_string(ptr %p, i64 -1, i32 0, i32
  ; CHECK: call i64 @strlen(ptr %p)
  call i64 @strlen(ptr %p)
  ; CHECK: call void @__scopesan_host_common(ptr %p, ptr %q, i64 -1, i32
  ; CHECK: call void @__scopesan_host_common(ptr %q, ptr %p, i64 -1, i32
  ; CHECK: call i32 @strcmp(ptr %p, ptr %q)
  call i32 @strcmp(ptr %p, ptr %q)
  ; CHECK: call i32 (ptr, i64, ptr, ...) @snprintf
  ; CHECK: [[LESS:%.*]] = call i64 @llvm.umin.i64(i64 {{.*}}, i64 %n)
  ; CHECK: call void @__scopesan_host_write(ptr %p, i64 [[LESS]], i32
  call i32 (ptr, i64, ptr, ...) @snprintf(ptr %p, i64 %n, ptr @fixed)
  ; CHECK: call void @__scopesan_host_string(ptr %q, i64 %n, i32 0, i32
  ; CHECK: call ptr @strncpy
  ; CHECK: call void @__scopesan_host_write(ptr %p, i64 %n, i32
  call ptr @strncpy(ptr %p, ptr %q, i64 %n)
  ; CHECK-NOT: __scopesan_host
  ; CHECK: call void @bzero(i32 1)
  call void @bzero(i32 1)
  ret void
}

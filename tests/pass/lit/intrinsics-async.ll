; Intrinsics of asynchronous copies and of shared-memory matrices: the effects of their PTX.
; RUN: %instrument %s 2>&1 | FileCheck --implicit-check-not=note: --implicit-check-not='call void @__scopesan' %s
target triple = "nvptx64-nvidia-cuda"

; S12
; CHECK-LABEL: @cp_async(
; CHECK: call void @__scopesan_cp_async(ptr {{[^,]*}}, ptr {{[^,]*}}, i32 4, i32 4, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.ca.shared.global.4(
; CHECK: call void @__scopesan_cp_async(ptr {{[^,]*}}, ptr {{[^,]*}}, i32 4, i32 %n, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.ca.shared.global.4.s(
; CHECK: call void @__scopesan_cp_async(ptr {{[^,]*}}, ptr {{[^,]*}}, i32 8, i32 8, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.ca.shared.global.8(
; CHECK: call void @__scopesan_cp_async(ptr {{[^,]*}}, ptr {{[^,]*}}, i32 8, i32 %n, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.ca.shared.global.8.s(
; CHECK: call void @__scopesan_cp_async(ptr {{[^,]*}}, ptr {{[^,]*}}, i32 16, i32 16, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.ca.shared.global.16(
; CHECK: call void @__scopesan_cp_async(ptr {{[^,]*}}, ptr {{[^,]*}}, i32 16, i32 %n, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.ca.shared.global.16.s(
; CHECK: call void @__scopesan_cp_async(ptr {{[^,]*}}, ptr {{[^,]*}}, i32 16, i32 16, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.cg.shared.global.16(
; CHECK: call void @__scopesan_cp_async(ptr {{[^,]*}}, ptr {{[^,]*}}, i32 16, i32 %n, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.cg.shared.global.16.s(
; CHECK: call void @__scopesan_cp_async_commit(i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.commit.group(
; CHECK: call void @llvm.nvvm.cp.async.wait.group(
; CHECK: call void @__scopesan_cp_async_wait(i32 3, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.wait.all(
; CHECK: call void @__scopesan_cp_async_wait(i32 -1, i32 {{.*}})
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @cp_async(ptr addrspace(3) %s, ptr addrspace(1) %g, i32 %n) {
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %s, ptr addrspace(1) %g)
  call void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3) %s, ptr addrspace(1) %g, i32 %n)
  call void @llvm.nvvm.cp.async.ca.shared.global.8(ptr addrspace(3) %s, ptr addrspace(1) %g)
  call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) %s, ptr addrspace(1) %g, i32 %n)
  call void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3) %s, ptr addrspace(1) %g)
  call void @llvm.nvvm.cp.async.ca.shared.global.16.s(ptr addrspace(3) %s, ptr addrspace(1) %g, i32 %n)
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %s, ptr addrspace(1) %g)
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %s, ptr addrspace(1) %g, i32 %n)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 3)
  call void @llvm.nvvm.cp.async.wait.all()
  ret void
}

; The bytes that a mask leaves out are in the high half.
; CHECK-LABEL: @bulk(
; CHECK: call void @__scopesan_bulk_copy(ptr {{[^,]*}}, ptr {{[^,]*}}, i64 {{.*}}, ptr {{[^,]*}}, i32 12294, i32 0, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(
; CHECK: call void @__scopesan_bulk_copy(ptr {{[^,]*}}, ptr {{[^,]*}}, i64 {{.*}}, ptr {{[^,]*}}, i32 12294, i32 %[[#]], i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(
; CHECK: call void @__scopesan_bulk_copy(ptr {{[^,]*}}, ptr {{[^,]*}}, i64 {{.*}}, ptr {{[^,]*}}, i32 8198, i32 0, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.bulk.global.to.shared.cta(
; CHECK: call void @__scopesan_bulk_copy(ptr {{[^,]*}}, ptr {{[^,]*}}, i64 64, ptr {{[^,]*}}, i32 12294, i32 0, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.bulk.shared.cta.to.cluster(
; CHECK: call void @__scopesan_bulk_copy(ptr {{[^,]*}}, ptr {{[^,]*}}, i64 64, ptr null, i32 4102, i32 0, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(
; CHECK: call void @__scopesan_bulk_copy(ptr {{[^,]*}}, ptr {{[^,]*}}, i64 64, ptr null, i32 4102, i32 -16777216, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.bulk.shared.cta.to.global.bytemask(
; CHECK: call void @llvm.nvvm.cp.async.bulk.prefetch.L2(
; CHECK: call void @__scopesan_bulk_commit(i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.bulk.commit.group(
; CHECK: call void @llvm.nvvm.cp.async.bulk.wait.group(
; CHECK: call void @__scopesan_bulk_wait(i32 1, i32 0, i32 {{.*}})
; CHECK: call void @llvm.nvvm.cp.async.bulk.wait.group.read(
; CHECK: call void @__scopesan_bulk_wait(i32 0, i32 1, i32 {{.*}})
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @bulk(ptr addrspace(7) %c, ptr addrspace(3) %s, ptr addrspace(3) %b, ptr addrspace(1) %g, i32 %n, i16 %m, i64 %h) {
  call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(7) %c, ptr addrspace(3) %b, ptr addrspace(1) %g, i32 %n, i16 %m, i64 %h, i1 false, i1 true)
  call void @llvm.nvvm.cp.async.bulk.global.to.shared.cluster(ptr addrspace(7) %c, ptr addrspace(3) %b, ptr addrspace(1) %g, i32 %n, i16 %m, i64 %h, i1 true, i1 false)
  call void @llvm.nvvm.cp.async.bulk.global.to.shared.cta(ptr addrspace(3) %s, ptr addrspace(3) %b, ptr addrspace(1) %g, i32 %n, i64 %h, i1 false)
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.cluster(ptr addrspace(7) %c, ptr addrspace(3) %b, ptr addrspace(3) %s, i32 64)
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.global(ptr addrspace(1) %g, ptr addrspace(3) %s, i32 64, i64 %h, i1 true)
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.global.bytemask(ptr addrspace(1) %g, ptr addrspace(3) %s, i32 64, i64 %h, i1 true, i16 255)
  call void @llvm.nvvm.cp.async.bulk.prefetch.L2(ptr addrspace(1) %g, i32 64, i64 %h, i1 true)
  call void @llvm.nvvm.cp.async.bulk.commit.group()
  call void @llvm.nvvm.cp.async.bulk.wait.group(i32 1)
  call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 0)
  ret void
}

; Each row by the lane that gives its address.
; CHECK-LABEL: @matrices(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 8
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 16
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3(
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 8
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.trans.b16.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 16
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 16
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8.p3(
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 16
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 12, i32 {{.*}})
; CHECK: call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8x16.b6x16_p32.p3(
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 12, i32 {{.*}})
; CHECK: call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8x16.b6x16_p32.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 16
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 8, i32 {{.*}})
; CHECK: call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8x16.b4x16_p64.p3(
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 8, i32 {{.*}})
; CHECK: call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8x16.b4x16_p64.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 8
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 12, i32 {{.*}})
; CHECK: call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n16.x1.b8x16.b6x16_p32.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 16
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 12, i32 {{.*}})
; CHECK: call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n16.x2.b8x16.b6x16_p32.p3(
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 12, i32 {{.*}})
; CHECK: call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n16.x4.b8x16.b6x16_p32.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 8
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 8, i32 {{.*}})
; CHECK: call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n16.x1.b8x16.b4x16_p64.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 16
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 8, i32 {{.*}})
; CHECK: call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n16.x2.b8x16.b4x16_p64.p3(
; CHECK: call void @__scopesan_read(ptr {{[^,]*}}, i32 8, i32 {{.*}})
; CHECK: call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n16.x4.b8x16.b4x16_p64.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 8
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_write(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.b16.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 16
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_write(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.b16.p3(
; CHECK: call void @__scopesan_write(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 8
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_write(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.trans.b16.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 16
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_write(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.trans.b16.p3(
; CHECK: call void @__scopesan_write(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.trans.b16.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 8
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_write(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call void @llvm.nvvm.stmatrix.sync.aligned.m16n8.x1.trans.b8.p3(
; CHECK: [[LANE:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK-NEXT: icmp ult i32 [[LANE]], 16
; CHECK-NEXT: br i1
; CHECK: call void @__scopesan_write(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call void @llvm.nvvm.stmatrix.sync.aligned.m16n8.x2.trans.b8.p3(
; CHECK: call void @__scopesan_write(ptr {{[^,]*}}, i32 16, i32 {{.*}})
; CHECK: call void @llvm.nvvm.stmatrix.sync.aligned.m16n8.x4.trans.b8.p3(
; CHECK: call void @__scopesan_read(ptr %p, i32 16, i32 {{.*}})
; CHECK: call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p0(
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @matrices(ptr addrspace(3) %s, ptr %p) {
  %r0 = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3) %s)
  %r1 = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3) %s)
  %r2 = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %s)
  %r3 = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.trans.b16.p3(ptr addrspace(3) %s)
  %r4 = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3) %s)
  %r5 = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %s)
  %r6 = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8.p3(ptr addrspace(3) %s)
  %r7 = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8.p3(ptr addrspace(3) %s)
  %r8 = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8x16.b6x16_p32.p3(ptr addrspace(3) %s)
  %r9 = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8x16.b6x16_p32.p3(ptr addrspace(3) %s)
  %r10 = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m16n16.x1.trans.b8x16.b4x16_p64.p3(ptr addrspace(3) %s)
  %r11 = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m16n16.x2.trans.b8x16.b4x16_p64.p3(ptr addrspace(3) %s)
  %r12 = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n16.x1.b8x16.b6x16_p32.p3(ptr addrspace(3) %s)
  %r13 = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n16.x2.b8x16.b6x16_p32.p3(ptr addrspace(3) %s)
  %r14 = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n16.x4.b8x16.b6x16_p32.p3(ptr addrspace(3) %s)
  %r15 = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n16.x1.b8x16.b4x16_p64.p3(ptr addrspace(3) %s)
  %r16 = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n16.x2.b8x16.b4x16_p64.p3(ptr addrspace(3) %s)
  %r17 = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n16.x4.b8x16.b4x16_p64.p3(ptr addrspace(3) %s)
  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3) %s, i32 1)
  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3) %s, i32 1, i32 1)
  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %s, i32 1, i32 1, i32 1, i32 1)
  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.trans.b16.p3(ptr addrspace(3) %s, i32 1)
  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3) %s, i32 1, i32 1)
  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %s, i32 1, i32 1, i32 1, i32 1)
  call void @llvm.nvvm.stmatrix.sync.aligned.m16n8.x1.trans.b8.p3(ptr addrspace(3) %s, i32 1)
  call void @llvm.nvvm.stmatrix.sync.aligned.m16n8.x2.trans.b8.p3(ptr addrspace(3) %s, i32 1, i32 1)
  call void @llvm.nvvm.stmatrix.sync.aligned.m16n8.x4.trans.b8.p3(ptr addrspace(3) %s, i32 1, i32 1, i32 1, i32 1)
  %r27 = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p0(ptr %p)
  ret void
}

; CHECK-LABEL: @ranges(
; CHECK: call void @__scopesan_write_range(ptr %p, i64 %n, i32 {{.*}})
; CHECK: call void @llvm.nvvm.st.bulk(
; CHECK: call void @__scopesan_write_range(ptr {{[^,]*}}, i64 64, i32 {{.*}})
; CHECK: call void @llvm.nvvm.st.bulk.shared.cta(
; CHECK: call void @__scopesan_write_range(ptr %p, i64 128, i32 {{.*}})
; CHECK: call void @llvm.nvvm.discard.L2(
; CHECK: call void @__scopesan_write_range(ptr {{[^,]*}}, i64 128, i32 {{.*}})
; CHECK: call void @llvm.nvvm.discard.global.L2(
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @ranges(ptr addrspace(3) %s, ptr addrspace(1) %g, ptr %p, i64 %n) {
  call void @llvm.nvvm.st.bulk(ptr %p, i64 %n, i64 0)
  call void @llvm.nvvm.st.bulk.shared.cta(ptr addrspace(3) %s, i64 64, i64 0)
  call void @llvm.nvvm.discard.L2(ptr %p, i64 128)
  call void @llvm.nvvm.discard.global.L2(ptr addrspace(1) %g, i64 128)
  ret void
}

; Values only.
; CHECK-LABEL: @addresses(
; CHECK: call ptr @llvm.nvvm.mapa(
; CHECK: call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(
; CHECK: call i32 @llvm.nvvm.getctarank(
; CHECK: call i32 @llvm.nvvm.getctarank.shared.cluster(
; CHECK-NOT: call void @__scopesan
; CHECK: ret void
define void @addresses(ptr addrspace(3) %s, ptr %p) {
  %r0 = call ptr @llvm.nvvm.mapa(ptr %p, i32 1)
  %r1 = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %s, i32 1)
  %r2 = call i32 @llvm.nvvm.getctarank(ptr %p)
  %r3 = call i32 @llvm.nvvm.getctarank.shared.cluster(ptr addrspace(3) %s)
  ret void
}

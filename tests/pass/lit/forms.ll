; The forms of ptx.def that no other test of this folder instruments: what has effects, what has none,
; and what is unmodelled by name.
; RUN: %instrument %s 2> %t.notes | FileCheck %s
; RUN: FileCheck --check-prefix=NOTE %s < %t.notes
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @effects
; CHECK: call void @__scopesan_proxy_fence(i32 0, i32 1, i32
; CHECK-NEXT: asm sideeffect "membar.proxy.async.global;"
; CHECK: icmp ult i32 {{.*}}, 8
; CHECK: call void @__scopesan_read(ptr {{.*}}, i32 16, i32
; CHECK: asm sideeffect "wmma.load.a.sync.aligned.row.m8n8k128
; CHECK: icmp ult i32 {{.*}}, 8
; CHECK: call void @__scopesan_write(ptr {{.*}}, i32 32, i32
; CHECK: asm sideeffect "wmma.store.d.sync.aligned.row.m8n8k32
; CHECK: call void @__scopesan_tensor_copy(i32 {{[0-9]+}}, i32
; CHECK-NEXT: asm sideeffect "cp.reduce.async.bulk.tensor.4d
; CHECK: call void @__scopesan_proxy_access(ptr %p, i32 4, i32 0,
; CHECK: asm sideeffect "ldu.global.b32
; CHECK: ret void
define void @effects(ptr %p, ptr %map, i32 %x) {
  call void asm sideeffect "membar.proxy.async.global;", "~{memory}"()
  %a = call i32 asm sideeffect "wmma.load.a.sync.aligned.row.m8n8k128.b1 {$0}, [$1], 128;", "=r,l"(ptr %p)
  call void asm sideeffect "wmma.store.d.sync.aligned.row.m8n8k32.s32 [$0], {$1, $1}, 8;", "l,r"(ptr %p, i32 %a)
  call void asm sideeffect "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.tile.bulk_group [$0, {$1, $1, $1, $1}], [$1];", "l,r"(ptr %map, i32 %x)
  %u = call i32 asm sideeffect "ldu.global.b32 $0, [$1];", "=r,l"(ptr %p)
  ret void
}

; A change of a tensor map, and its copy by a warp whose lanes meet.
; CHECK-LABEL: @maps
; CHECK: call void @__scopesan_write(ptr %p, i32 128, i32
; CHECK-NEXT: asm sideeffect "tensormap.replace
; CHECK: call void @__scopesan_warp_barrier_before(i32 -1, i32
; CHECK-NEXT: asm sideeffect "tensormap.cp_fenceproxy
; CHECK: call void @__scopesan_warp_barrier_after(i32 -1, i32
; CHECK: icmp ult i32 {{.*}}, 1
; CHECK: call void @__scopesan_read(ptr {{.*}}, i32 128, i32
; CHECK: call void @__scopesan_write(ptr {{.*}}, i32 128, i32
; CHECK: call void @__scopesan_tensormap_fence(ptr null, i32 0,
; CHECK: ret void
define void @maps(ptr %p, i32 %x) {
  call void asm sideeffect "tensormap.replace.tile.rank.global.b1024.b32 [$0], $1;", "l,r"(ptr %p, i32 %x)
  call void asm sideeffect "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;", "l,r"(ptr %p, i32 %x)
  ret void
}

; CHECK-LABEL: @none
; CHECK-NOT: @__scopesan
; CHECK: ret void
define void @none(ptr %p, i32 %x) {
  %m = call i32 asm sideeffect "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", "=r,r"(i32 %x)
  %s = call i32 asm sideeffect "redux.sync.add.s32 $0, $1, -1;", "=r,r"(i32 %x)
  %t = call i32 asm sideeffect "activemask.b32 $0;", "=r"()
  %d = call { i32, i32 } asm sideeffect "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {$0, $1}, {$2}, {$2}, {$2, $2};", "=r,=r,r"(i32 %x)
  %e = call { i32, i32, i32, i32 } asm sideeffect "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {$0, $1, $2, $3}, {$4, $4, $4, $4}, {$4, $4}, {$4, $4, $4, $4};", "=r,=r,=r,=r,r"(i32 %x)
  call void asm sideeffect "setmaxnreg.inc.sync.aligned.u32 96; pmevent 7; brkpt;", ""()
  call void asm sideeffect "prefetchu.L1 [$0]; applypriority.global.L2::evict_normal [$0], 128;", "l"(ptr %p)
  call void asm sideeffect "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [$0, {$1}];", "l,r"(ptr %p, i32 %x)
  ret void
}

; NOTE-COUNT-2: note: ScopeSan: not modelled yet (X1 incomplete): multimem
; NOTE: note: ScopeSan: reduction on a surface (X1 incomplete): sured
; NOTE-COUNT-2: note: ScopeSan: not modelled yet (X1 incomplete): {{clusterlaunchcontrol|tcgen05}}
; NOTE: note: ScopeSan: unknown form of tensor copy (.im2col) (X1 incomplete)
; NOTE: note: ScopeSan: unknown form of asynchronous store (X1 incomplete)
; CHECK-LABEL: @unmodelled
; CHECK-COUNT-7: call void @__scopesan_unmodelled(i32
; CHECK-NOT: call void @__scopesan_unmodelled(
; CHECK: ret void
define void @unmodelled(ptr %p, i64 %t, i32 %x) {
  call void asm sideeffect "multimem.red.relaxed.sys.global.add.u32 [$0], $1;", "l,r"(ptr %p, i32 %x)
  call void asm sideeffect "multimem.st.weak.global.u32 [$0], $1;", "l,r"(ptr %p, i32 %x)
  call void asm sideeffect "sured.b.add.1d.u32.trap [$0, {$1}], $1;", "l,r"(i64 %t, i32 %x)
  call void asm sideeffect "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [$0], [$0];", "r"(i32 %x)
  call void asm sideeffect "tcgen05.wait::ld.sync.aligned;", ""()
  call void asm sideeffect "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [$0], [$1, {$0, $0, $0}], [$0], {$0};", "r,l"(i32 %x, ptr %p)
  call void asm sideeffect "st.async.release.cta.global.u32 [$0], $1;", "l,r"(ptr %p, i32 %x)
  ret void
}

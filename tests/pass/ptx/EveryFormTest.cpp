// Forms of PTX ISA 9.1 by family, as programs write them: spaces, types, vectors, cache hints,
// orders and scopes. check_forms assembles those that are understood.
#include "ShowTable.h"

#include <gtest/gtest.h>

using scopesan::test::expect;

namespace {

TEST(EveryForm, Loads) {
  expect({
      {"ld.weak.global.b8 $0, [$1];", "access(&$1@global, 1) load weak thread @global"},
      {"ld.const.u32 $0, [$1];", "access(&$1@const, 4) load weak thread @const"},
      {"ld.local.u32 $0, [$1];", ""},
      {"ld.param.u32 $0, [$1];", ""},
      {"ld.shared::cta.v4.b32 {$0, $1, $2, $3}, [$4];",
       "access(&$4@shared, 16) load weak thread @shared"},
      {"ld.shared::cluster.v2.f32 {$0, $1}, [$2];",
       "access(&$2@cluster, 8) load weak thread @cluster"},
      {"ld.f64 $0, [$1];", "access(&$1@, 8) load weak thread"},
      {"ld.global.v8.b32 {$0, $1, $2, $3, $4, $5, $6, $7}, [$8];",
       "access(&$8@global, 32) load weak thread @global"},
      {"ld.global.v4.u64 {$0, $1, $2, $3}, [$4];",
       "access(&$4@global, 32) load weak thread @global"},
      {"ld.global.b128 $0, [$1];", "access(&$1@global, 16) load weak thread @global"},
      {"ld.global.ca.u16 $0, [$1];", "access(&$1@global, 2) load weak thread @global"},
      {"ld.global.cg.s64 $0, [$1];", "access(&$1@global, 8) load weak thread @global"},
      {"ld.global.cs.f32 $0, [$1];", "access(&$1@global, 4) load weak thread @global"},
      {"ld.global.lu.u32 $0, [$1];", "access(&$1@global, 4) load weak thread @global"},
      {"ld.global.cv.u32 $0, [$1];", "access(&$1@global, 4) load weak thread @global"},
      {"ld.global.L1::evict_last.L2::cache_hint.L2::256B.u32 $0, [$1], $2;",
       "access(&$1@global, 4) load weak thread @global"},
      {"ld.global.L2::evict_first.L2::64B.v8.f32 {$0, $1, $2, $3, $4, $5, $6, $7}, "
       "[$8];",
       "access(&$8@global, 32) load weak thread @global"},
      {"ld.global.nc.u32 $0, [$1];", "access(&$1@global, 4) load weak thread @global"},
      {"ld.global.ca.nc.v4.u32 {$0, $1, $2, $3}, [$4];",
       "access(&$4@global, 16) load weak thread @global"},
      {"ld.global.nc.L1::no_allocate.L2::128B.b8 $0, [$1];",
       "access(&$1@global, 1) load weak thread @global"},
      {"ld.volatile.u32 $0, [$1];", "access(&$1@, 4) load relaxed sys"},
      {"ld.volatile.shared.v2.u32 {$0, $1}, [$2];",
       "access(&$2@shared, 8) load relaxed sys @shared"},
      {"ld.mmio.relaxed.sys.global.u64 $0, [$1];",
       "access(&$1@global, 8) load relaxed sys @global"},
      {"ld.relaxed.cta.u32 $0, [$1];", "access(&$1@, 4) load relaxed cta"},
      {"ld.relaxed.cluster.shared::cluster.u32 $0, [$1];",
       "access(&$1@cluster, 4) load relaxed cluster @cluster"},
      {"ld.relaxed.gpu.global.v2.b64 {$0, $1}, [$2];",
       "access(&$2@global, 16) load relaxed gpu @global"},
      {"ld.relaxed.sys.global.L1::no_allocate.u16 $0, [$1];",
       "access(&$1@global, 2) load relaxed sys @global"},
      {"ld.relaxed.sys.global.b128 $0, [$1];", "access(&$1@global, 16) load relaxed sys @global"},
      {"ld.acquire.cta.shared.u32 $0, [$1];", "access(&$1@shared, 4) load acquire cta @shared"},
      {"ld.acquire.cluster.u64 $0, [$1];", "access(&$1@, 8) load acquire cluster"},
      {"ld.acquire.gpu.global.s32 $0, [$1];", "access(&$1@global, 4) load acquire gpu @global"},
      {"ld.acquire.sys.global.f64 $0, [$1];", "access(&$1@global, 8) load acquire sys @global"},
  });
}

TEST(EveryForm, Stores) {
  expect({
      {"st.weak.shared.u8 [$0], $1;", "access(&$0@shared, 1) store weak thread @shared"},
      {"st.local.u32 [$0], $1;", ""},
      {"st.global.wb.u32 [$0], $1;", "access(&$0@global, 4) store weak thread @global"},
      {"st.global.cg.v4.f32 [$0], {$1, $2, $3, $4};",
       "access(&$0@global, 16) store weak thread @global"},
      {"st.global.cs.u16 [$0], $1;", "access(&$0@global, 2) store weak thread @global"},
      {"st.global.wt.u64 [$0], $1;", "access(&$0@global, 8) store weak thread @global"},
      {"st.global.L1::no_allocate.L2::cache_hint.v2.b64 [$0], {$1, $2}, $3;",
       "access(&$0@global, 16) store weak thread @global"},
      {"st.global.v4.b64 [$0], {$1, $2, $3, $4};",
       "access(&$0@global, 32) store weak thread @global"},
      {"st.global.b128 [$0], $1;", "access(&$0@global, 16) store weak thread @global"},
      {"st.volatile.global.u32 [$0], $1;", "access(&$0@global, 4) store relaxed sys @global"},
      {"st.volatile.shared.v4.u32 [$0], {$1, $2, $3, $4};",
       "access(&$0@shared, 16) store relaxed sys @shared"},
      {"st.mmio.relaxed.sys.global.u32 [$0], $1;",
       "access(&$0@global, 4) store relaxed sys @global"},
      {"st.relaxed.cta.shared.b16 [$0], $1;", "access(&$0@shared, 2) store relaxed cta @shared"},
      {"st.relaxed.cluster.shared::cluster.u64 [$0], $1;",
       "access(&$0@cluster, 8) store relaxed cluster @cluster"},
      {"st.relaxed.gpu.global.b8 [$0], $1;", "access(&$0@global, 1) store relaxed gpu @global"},
      {"st.relaxed.sys.v2.u32 [$0], {$1, $2};", "access(&$0@, 8) store relaxed sys"},
      {"st.release.cta.u32 [$0], $1;", "access(&$0@, 4) store release cta"},
      {"st.release.cluster.shared::cluster.b32 [$0], $1;",
       "access(&$0@cluster, 4) store release cluster @cluster"},
      {"st.release.gpu.global.b64 [$0], $1;", "access(&$0@global, 8) store release gpu @global"},
      {"st.release.sys.global.f32 [$0], $1;", "access(&$0@global, 4) store release sys @global"},
  });
}

TEST(EveryForm, Atoms) {
  expect({
      {"atom.global.add.u64 $0, [$1], $2;", "access(&$1@global, 8) rmw relaxed gpu @global"},
      {"atom.global.add.f32 $0, [$1], $2;", "access(&$1@global, 4) rmw relaxed gpu @global"},
      {"atom.global.add.f64 $0, [$1], $2;", "access(&$1@global, 8) rmw relaxed gpu @global"},
      {"atom.shared.min.s32 $0, [$1], $2;", "access(&$1@shared, 4) rmw relaxed gpu @shared"},
      {"atom.shared::cta.max.u64 $0, [$1], $2;", "access(&$1@shared, 8) rmw relaxed gpu @shared"},
      {"atom.shared::cluster.relaxed.cluster.add.u32 $0, [$1], $2;",
       "access(&$1@cluster, 4) rmw relaxed cluster @cluster"},
      {"atom.global.and.b64 $0, [$1], $2;", "access(&$1@global, 8) rmw relaxed gpu @global"},
      {"atom.global.or.b32 $0, [$1], $2;", "access(&$1@global, 4) rmw relaxed gpu @global"},
      {"atom.global.xor.b32 $0, [$1], $2;", "access(&$1@global, 4) rmw relaxed gpu @global"},
      {"atom.global.inc.u32 $0, [$1], $2;", "access(&$1@global, 4) rmw relaxed gpu @global"},
      {"atom.global.dec.u32 $0, [$1], $2;", "access(&$1@global, 4) rmw relaxed gpu @global"},
      {"atom.global.exch.b128 $0, [$1], $2;", "access(&$1@global, 16) rmw relaxed gpu @global"},
      {"atom.global.exch.b64 $0, [$1], $2;", "access(&$1@global, 8) rmw relaxed gpu @global"},
      {"atom.global.cas.b16 $0, [$1], $2, $3;", "access(&$1@global, 2) cas relaxed gpu @global"},
      {"atom.global.cas.b32 $0, [$1], $2, $3;", "access(&$1@global, 4) cas relaxed gpu @global"},
      {"atom.release.gpu.global.cas.b64 $0, [$1], $2, $3;",
       "access(&$1@global, 8) cas release gpu @global"},
      {"atom.acquire.sys.global.add.s32 $0, [$1], $2;",
       "access(&$1@global, 4) rmw acquire sys @global"},
      {"atom.acq_rel.cta.global.exch.b32 $0, [$1], $2;",
       "access(&$1@global, 4) rmw acq_rel cta @global"},
      {"atom.relaxed.cluster.global.add.L2::cache_hint.u32 $0, [$1], $2, $3;",
       "access(&$1@global, 4) rmw relaxed cluster @global"},
      {"atom.global.add.noftz.f16 $0, [$1], $2;", "access(&$1@global, 2) rmw relaxed gpu @global"},
      {"atom.global.add.noftz.bf16 $0, [$1], $2;", "access(&$1@global, 2) rmw relaxed gpu @global"},
      {"atom.global.add.noftz.f16x2 $0, [$1], $2;",
       "access(&$1@global, 4) rmw relaxed gpu @global"},
      {"atom.global.add.noftz.bf16x2 $0, [$1], $2;",
       "access(&$1@global, 4) rmw relaxed gpu @global"},
      {"atom.global.v2.f32.add {$0, $1}, [$2], {$3, $4};",
       "access(&$2@global, 8) rmw relaxed gpu @global"},
      {"atom.global.v4.f32.add {$0, $1, $2, $3}, [$4], {$5, $6, $7, $8};",
       "access(&$4@global, 16) rmw relaxed gpu @global"},
      {"atom.global.v2.f16x2.add.noftz {$0, $1}, [$2], {$3, $4};",
       "access(&$2@global, 8) rmw relaxed gpu @global"},
      {"atom.global.v4.bf16.max.noftz {$0, $1, $2, $3}, [$4], {$5, $6, $7, $8};",
       "access(&$4@global, 8) rmw relaxed gpu @global"},
  });
}

TEST(EveryForm, Reds) {
  expect({
      {"red.global.add.u32 [$0], $1;", "access(&$0@global, 4) red relaxed gpu @global"},
      {"red.global.add.f64 [$0], $1;", "access(&$0@global, 8) red relaxed gpu @global"},
      {"red.shared.add.u64 [$0], $1;", "access(&$0@shared, 8) red relaxed gpu @shared"},
      {"red.shared::cluster.relaxed.cluster.or.b32 [$0], $1;",
       "access(&$0@cluster, 4) red relaxed cluster @cluster"},
      {"red.release.gpu.global.add.s32 [$0], $1;", "access(&$0@global, 4) red release gpu @global"},
      {"red.relaxed.sys.global.max.u64 [$0], $1;", "access(&$0@global, 8) red relaxed sys @global"},
      {"red.global.min.s64 [$0], $1;", "access(&$0@global, 8) red relaxed gpu @global"},
      {"red.global.inc.u32 [$0], $1;", "access(&$0@global, 4) red relaxed gpu @global"},
      {"red.global.and.b64 [$0], $1;", "access(&$0@global, 8) red relaxed gpu @global"},
      {"red.global.xor.b32 [$0], $1;", "access(&$0@global, 4) red relaxed gpu @global"},
      {"red.global.add.noftz.f16x2 [$0], $1;", "access(&$0@global, 4) red relaxed gpu @global"},
      {"red.global.add.noftz.bf16 [$0], $1;", "access(&$0@global, 2) red relaxed gpu @global"},
      {"red.relaxed.gpu.global.add.L2::cache_hint.f32 [$0], $1, $2;",
       "access(&$0@global, 4) red relaxed gpu @global"},
      {"red.global.v4.f32.add [$0], {$1, $2, $3, $4};",
       "access(&$0@global, 16) red relaxed gpu @global"},
      {"red.global.v8.f16.add.noftz [$0], {$1, $2, $3, $4, $5, $6, $7, $8};",
       "access(&$0@global, 16) red relaxed gpu @global"},
      {"red.global.v2.bf16x2.add.noftz [$0], {$1, $2};",
       "access(&$0@global, 8) red relaxed gpu @global"},
  });
}

TEST(EveryForm, FencesAndBarriers) {
  expect({
      {"membar.cta;", "fence() fence sc cta"},
      {"membar.sys;", "fence() fence sc sys"},
      {"fence.sc.cta;", "fence() fence sc cta"},
      {"fence.sc.sys;", "fence() fence sc sys"},
      {"fence.acq_rel.cluster;", "fence() fence acq_rel cluster"},
      {"fence.acquire.gpu;", "fence() fence acquire gpu"},
      {"fence.release.sys;", "fence() fence release sys"},
      {"bar.sync $0, $1;", "block_barrier aligned"},
      {"bar.arrive 3, 128;", "block_barrier aligned"},
      {"bar.red.and.pred $0, 1, $1;", "block_barrier aligned"},
      {"bar.cta.red.or.pred $0, 2, 64, !$1;", "block_barrier aligned"},
      {"barrier.cta.sync 1;", "block_barrier"},
      {"barrier.sync 1, 64;", "block_barrier"},
      {"barrier.cta.red.popc.aligned.u32 $0, 1, $1;", "block_barrier aligned"},
      {"bar.warp.sync 0xffffffff;", "warp_barrier"},
  });
}

TEST(EveryForm, Mbarriers) {
  expect({
      {"mbarrier.arrive.release.cluster.shared::cta.b64 $0, [$1];",
       "mbarrier_arrive(&$1@shared, 1, 0, 0) rmw release cluster @shared publishes"},
      {"mbarrier.arrive.release.cta.shared::cta.b64 $0, [$1], $2;",
       "mbarrier_arrive(&$1@shared, $2, 0, 0) rmw release cta @shared publishes"},
      {"mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [$0];",
       "mbarrier_arrive(&$0@cluster, 1, 0, 0) rmw relaxed cluster @cluster publishes"},
      {"mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [$0], $1;",
       "mbarrier_arrive(&$0@cluster, 1, $1, 0) rmw release cluster @cluster publishes"},
      {"mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 $0, [$1], $2;",
       "mbarrier_arrive(&$1@shared, 1, $2, 0) rmw relaxed cta @shared publishes"},
      {"mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [$0], $1;",
       "mbarrier_arrive(&$0@cluster, $1, 0, 1) rmw release cluster @cluster publishes"},
      {"mbarrier.arrive_drop.expect_tx.shared::cta.b64 $0, [$1], $2;",
       "mbarrier_arrive(&$1@shared, 1, $2, 1) rmw release cta @shared publishes"},
      {"mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [$0], $1;",
       "mbarrier_complete_tx(&$0@cluster, $1) rmw relaxed cluster @cluster publishes"},
      {"mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64 [$0], $1;",
       "mbarrier_complete_tx(&$0@cluster, $1) rmw relaxed cluster @cluster publishes"},
      {"mbarrier.test_wait.acquire.cta.shared::cta.b64 $0, [$1], $2;",
       "mbarrier_wait(&$1@shared, $0==1) load acquire cta @shared after"},
      {"mbarrier.test_wait.parity.relaxed.cluster.shared::cta.b64 $0, [$1], $2;",
       "mbarrier_wait(&$1@shared, $0==1) load relaxed cluster @shared after"},
      {"mbarrier.try_wait.acquire.cluster.shared::cta.b64 $0, [$1], $2;",
       "mbarrier_wait(&$1@shared, $0==1) load acquire cluster @shared after"},
      {"mbarrier.try_wait.parity.shared::cta.b64 $0, [$1], $2, $3;",
       "mbarrier_wait(&$1@shared, $0==1) load acquire cta @shared after"},
  });
}

TEST(EveryForm, AsynchronousCopies) {
  expect({
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b32 [$0], [$1], $2;",
       "bulk_copy(&$0@global, &$1@shared, $2, null, 0) red relaxed gpu @global "
       "publishes"},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b64 [$0], [$1], $2;",
       "bulk_copy(&$0@global, &$1@shared, $2, null, 0) red relaxed gpu @global "
       "publishes"},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [$0], [$1], $2;",
       "bulk_copy(&$0@global, &$1@shared, $2, null, 0) red relaxed gpu @global "
       "publishes"},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u64 [$0], [$1], $2;",
       "bulk_copy(&$0@global, &$1@shared, $2, null, 0) red relaxed gpu @global "
       "publishes"},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.dec.u32 [$0], [$1], $2;",
       "bulk_copy(&$0@global, &$1@shared, $2, null, 0) red relaxed gpu @global "
       "publishes"},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [$0], [$1], "
       "$2;",
       "bulk_copy(&$0@global, &$1@shared, $2, null, 0) red relaxed gpu @global "
       "publishes"},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [$0], [$1], $2;",
       "bulk_copy(&$0@global, &$1@shared, $2, null, 0) red relaxed gpu @global "
       "publishes"},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.s32 "
       "[$0], [$1], $2, [$3];",
       "bulk_copy(&$0@cluster, &$1@shared, $2, &$3@cluster, 0) red relaxed gpu "
       "@cluster publishes"},
      {"cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
       "[$0], [$1, {$2, $3, $4, $5}], [$6];",
       "tensor_copy() copy weak thread @cluster publishes cpu; gpu_tensor_copy(&$1@, "
       "&$0@cluster, &$6@cluster, $2, $3, $4, $5, 0, 262144, 0) copy weak thread "
       "@cluster publishes gpu"},
      {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
       "[$0], [$1, {$2, $3, $4}], [$5], {$6};",
       "X1 unknown form of tensor copy (.im2col)"},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
       "cluster.L2::cache_hint "
       "[$0], [$1, {$2, $3}], [$4], $5, $6;",
       "tensor_copy() copy weak thread @cluster publishes cpu; gpu_tensor_copy(&$1@, "
       "&$0@cluster, &$4@cluster, $2, $3, 0, 0, 0, 131072, $5) copy weak thread "
       "@cluster publishes gpu"},
      {"cp.async.bulk.prefetch.tensor.3d.L2.global [$0, {$1, $2, $3}];", ""},
      {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.bulk_group [$0, {$1, "
       "$2}], [$3];",
       "tensor_copy() red relaxed gpu @global publishes cpu; gpu_tensor_copy(&$0@, "
       "&$3@shared, null, $1, $2, 0, 0, 0, 3276800, 0) red relaxed gpu @global "
       "publishes gpu"},
      {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 "
       "[$0], $1, [$2];",
       "store_async(&$0@cluster, 4, &$2@cluster) red relaxed cluster @cluster "
       "publishes"},
      {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 "
       "[$0], $1, [$2];",
       "store_async(&$0@cluster, 4, &$2@cluster) red relaxed cluster @cluster "
       "publishes"},
      {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32 "
       "[$0], $1, [$2];",
       "store_async(&$0@cluster, 4, &$2@cluster) red relaxed cluster @cluster "
       "publishes"},
      {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s64 "
       "[$0], $1, [$2];",
       "store_async(&$0@cluster, 8, &$2@cluster) red relaxed cluster @cluster "
       "publishes"},
      {"st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [$0], {$1, $2}, "
       "[$3];",
       "store_async(&$0@cluster, 8, &$3@cluster) store weak thread @cluster publishes"},
      {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [$0], {$1, "
       "$2, $3, $4}, [$5];",
       "store_async(&$0@cluster, 16, &$5@cluster) store weak thread @cluster publishes"},
  });
}

TEST(EveryForm, Rest) {
  expect({
      {"wgmma.wait_group.sync.aligned 1;", "gpu_wgmma_wait(1) after gpu"},
      {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {$0, $1, $2, $3}, [$4];",
       "access(&$4@shared, 16) load weak thread @shared"},
      {"stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $2, $3, $4};",
       "access(&$0@shared, 16) store weak thread @shared"},
      {"mapa.u64 $0, $1, $2;", ""},
      {"getctarank.shared::cluster.u32 $0, $1;", ""},
      {"getctarank.u64 $0, $1;", ""},
      {"isspacep.global $0, $1;", ""},
      {"isspacep.shared::cluster $0, $1;", ""},
      {"isspacep.param::entry $0, $1;", ""},
      {"prefetch.L2 [$0];", ""},
      {"prefetch.global.L2::evict_last [$0];", ""},
      {"multimem.red.release.sys.global.add.f32 [$0], $1;", "X1 not modelled yet"},
      {"multimem.ld_reduce.weak.global.add.v4.f32 {$0, $1, $2, $3}, [$4];", "X1 not modelled yet"},
      {"multimem.st.relaxed.sys.global.f32 [$0], $1;", "X1 not modelled yet"},
      {"tcgen05.mma.cta_group::1.kind::f16 [$0], $1, $2, $3, $4;", "X1 not modelled yet"},
      {"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [$0];",
       "X1 not modelled yet"},
  });
}

} // namespace

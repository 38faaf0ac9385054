// Matrix instructions and tensor copies: one line for each PTX form.
#include "Show.h"

#include <gtest/gtest.h>

using scopesan::test::show;

namespace {

struct Row {
  const char *Text, *Effects;
};

template <size_t N> void expect(const Row (&Rows)[N]) {
  for (const Row &R : Rows)
    EXPECT_EQ(show(R.Text), R.Effects) << R.Text;
}

TEST(MatrixEffects, RegistersOnly) {
  expect({
      {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {$0,$1,$2,$3}, {$4,$5,$6,$7}, {$8,$9}, "
       "{$0,$1,$2,$3};",
       ""},
      {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {$0,$1,$2,$3}, {$4,$5,$6,$7}, "
       "{$8,$9}, {$0,$1,$2,$3};",
       ""},
      {"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {$0}, {$1}, {$2}, "
       "{$3}, $4, 0;",
       ""},
      {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {$0}, {$1}, {$2}, {$3};", ""},
      {"movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", ""},
      {"wgmma.fence.sync.aligned;", ""},
      {"wgmma.commit_group.sync.aligned;", ""},
      {"wgmma.wait_group.sync.aligned 1;", ""},
  });
}

// Lane i stands for row (or column) i of memory.
TEST(MatrixEffects, FragmentsInMemory) {
  expect({
      {"wmma.load.a.sync.aligned.row.m16n16k16.f16 {$0}, [$1], $2;",
       "access(&$1@, 32, lanes 16, stride $2x16)"},
      {"wmma.load.b.sync.aligned.col.m16n16k16.shared.bf16 {$0}, [$1], 24;",
       "access(&$1@shared, 32, lanes 16, stride 24x16) load weak thread @shared"},
      {"wmma.load.b.sync.aligned.row.m32n8k16.global.s8 {$0}, [$1];",
       "access(&$1@global, 8, lanes 16, stride 8x8) load weak thread @global"},
      {"wmma.load.a.sync.aligned.row.m32n8k16.u8 {$0}, [$1], $2;", "access(&$1@, 16, stride $2x8)"},
      {"wmma.load.a.sync.aligned.row.m16n16k8.tf32 {$0}, [$1], $2;",
       "access(&$1@, 32, lanes 16, stride $2x32)"},
      {"wmma.load.a.sync.aligned.row.m8n8k4.f64 {$0}, [$1], $2;",
       "access(&$1@, 32, lanes 8, stride $2x64)"},
      {"wmma.load.a.sync.aligned.row.m8n8k32.s4 {$0}, [$1], $2;",
       "access(&$1@, 16, lanes 8, stride $2x4)"},
      {"wmma.load.c.sync.aligned.col.m16n16k16.f32 {$0}, [$1], $2;",
       "access(&$1@, 64, lanes 16, stride $2x32)"},
      {"wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [$0], {$1}, $2;",
       "access(&$0@global, 64, lanes 16, stride $2x32) store weak thread @global"},
      {"wmma.store.d.sync.aligned.row.m16n16k16.f9 [$0], {$1}, $2;", "X1 unknown form of wmma"},
      {"wmma.load.a.sync.aligned.m16n16k16.f16 {$0}, [$1], $2;", "X1 unknown form of wmma"},
      {"wmma.load.a.sync.aligned.row.m16n16k16.f16 {$0}, $1, $2;", "X1 unknown form of wmma"},
  });
}

// The operation itself tells what it reads.
TEST(MatrixEffects, SharedMatrices) {
  expect({
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, $4, $5, 1, 1, 1, 0, 0;",
       "wgmma() load weak thread @shared cpu"},
      {"{ .reg .pred p; setp.ne.b32 p, $6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
       "{$0,$1,$2,$3}, $4, $5, p, 1, 1, 0, 0; }",
       "wgmma() load weak thread @shared cpu"},
      {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {$0}, $1, $2, $3, 0, 1, 1, 1, 0, 0;",
       "wgmma() load weak thread @shared cpu"},
  });
}

TEST(MatrixEffects, TensorCopies) {
  expect({
      {"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], "
       "[$1, {$2}], [$3];",
       "tensor_copy() copy weak thread @cluster publishes cpu"},
      {"cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint "
       "[$0], [$1, {$2, $3}], [$4], $5;",
       "tensor_copy() copy weak thread @shared publishes cpu"},
      {"cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
       ".multicast::cluster [$0], [$1, {$2,$3,$4,$5,$6}], [$7], $8;",
       "tensor_copy() copy weak thread @cluster publishes cpu"},
      {"cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [$0, {$1,$2,$3}], [$4];",
       "tensor_copy() copy weak thread @global publishes cpu"},
      {"cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [$0, {$1}], [$2];",
       "tensor_copy() red relaxed gpu @global publishes cpu"},
      {"cp.async.bulk.prefetch.tensor.2d.L2.global.tile [$0, {$1, $2}];", ""},
      {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [$0], "
       "[$1, {$2,$3,$4}], [$5], {$6};",
       "X1 unknown form of tensor copy (.im2col)"},
      {"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes "
       "[$0], "
       "[$1, {$2,$3,$4,$5,$6}], [$7];",
       "X1 unknown form of tensor copy (.tile::gather4)"},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
       ".cta_group::2 [$0], [$1, {$2, $3}], [$4];",
       "X1 unknown form of tensor copy (.cta_group::2)"},
  });
}

// A weak write of the whole object, whatever the field.
TEST(MatrixEffects, TensorMaps) {
  for (std::string Field : {"global_address", "rank", "elemtype", "interleave_layout",
                            "swizzle_mode", "swizzle_atomicity", "fill_mode"})
    EXPECT_EQ(show("tensormap.replace.tile." + Field + ".shared::cta.b1024.b32 [$0], $1;"),
              "access(&$0@shared, 128) store weak thread @shared")
        << Field;
  for (std::string Field : {"box_dim", "global_dim", "global_stride", "element_stride"})
    EXPECT_EQ(show("tensormap.replace.tile." + Field + ".b1024.b64 [$0], 1, $1;"),
              "access(&$0@, 128) store weak thread")
        << Field;
  expect({
      {"tensormap.replace.tile.colour.global.b1024.b32 [$0], 1;", "X1 unknown form of tensormap"},
      {"tensormap.replace.tile.box_dim.global.b1024.b32 [$0], 1;", "X1 unknown form of tensormap"},
      {"tensormap.replace.tile.rank.global.b1024.b32 $0, 1;", "X1 unknown form of tensormap"},
      {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.acquire.gpu.sync.aligned "
       "[$0], [$1], 128;",
       "X1 unknown form of tensormap"},
  });
}

} // namespace

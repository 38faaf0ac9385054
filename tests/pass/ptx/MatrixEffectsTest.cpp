// Matrix instructions and tensor copies: one line for each PTX form.
#include "ShowTable.h"

#include <gtest/gtest.h>

using scopesan::test::expect;
using scopesan::test::show;

namespace {

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
      {"wgmma.commit_group.sync.aligned;", "gpu_wgmma_commit() gpu"},
      {"wgmma.wait_group.sync.aligned 1;", "gpu_wgmma_wait(1) after gpu"},
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

// On the CPU the operation itself tells what it reads.
TEST(MatrixEffects, SharedMatrices) {
  const std::string Cpu = "wgmma() load weak thread @shared cpu; ",
                    Op = " load weak thread @shared gpu";
  struct {
    const char *Text, *Gpu;
  } Rows[] = {
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, $4, $5, 1, 1, 1, 0, 0;",
       "gpu_wgmma($4, $5, 2568, 0, 0)"},
      {"{ .reg .pred p; setp.ne.b32 p, $6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
       "{$0,$1,$2,$3}, $4, $5, p, 1, 1, 1, $7; }",
       "gpu_wgmma($4, $5, 2568, 1, $7)"},
      {"wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0}, {$1,$2,$3,$4}, $5, 1, 1, 1, 1;",
       "gpu_wgmma(0, $5, 528, 0, 1)"},
      {"wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {$0}, $1, $2, 1, 1, 1;",
       "gpu_wgmma($1, $2, 3328, 0, 0)"},
      {"wgmma.mma_async.sync.aligned.m64n24k32.satfinite.s32.s8.u8 {$0}, $1, $2, 1;",
       "gpu_wgmma($1, $2, 2072, 0, 0)"}};
  for (auto &R : Rows)
    EXPECT_EQ(show(R.Text), Cpu + R.Gpu + Op) << R.Text;
  for (const char *Text :
       {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {$0}, $1, $2, $3, 0, 1, 1, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {$0}, $1, $2, 1;",
        "wgmma.mma_async.sync.aligned.m64n8k32.f32.f16.f16 {$0}, $1, $2, 1, 1, 1, 0, 0;"})
    EXPECT_EQ(show(Text), "X1 unknown form of wgmma") << Text;
}

TEST(MatrixEffects, TensorCopies) {
  expect({
      {"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], "
       "[$1, {$2}], [$3];",
       "tensor_copy() copy weak thread @cluster publishes cpu; "
       "gpu_tensor_copy(&$1@, &$0@cluster, &$3@cluster, $2, 0, 0, 0, 0, 65536, 0) "
       "copy weak thread @cluster publishes gpu"},
      {"cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint "
       "[$0], [$1, {$2, $3}], [$4], $5;",
       "tensor_copy() copy weak thread @shared publishes cpu; "
       "gpu_tensor_copy(&$1@, &$0@shared, &$4@shared, $2, $3, 0, 0, 0, 131072, 0) "
       "copy weak thread @shared publishes gpu"},
      {"cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
       ".multicast::cluster [$0], [$1, {$2,$3,$4,$5,$6}], [$7], $8;",
       "tensor_copy() copy weak thread @cluster publishes cpu; "
       "gpu_tensor_copy(&$1@, &$0@cluster, &$7@cluster, $2, $3, $4, $5, $6, 327680, $8) "
       "copy weak thread @cluster publishes gpu"},
      {"cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [$0, {$1,$2,$3}], [$4];",
       "tensor_copy() copy weak thread @global publishes cpu; "
       "gpu_tensor_copy(&$0@, &$4@shared, null, $1, $2, $3, 0, 0, 1245184, 0) "
       "copy weak thread @global publishes gpu"},
      {"cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [$0, {$1}], [$2];",
       "tensor_copy() red relaxed gpu @global publishes cpu; "
       "gpu_tensor_copy(&$0@, &$2@shared, null, $1, 0, 0, 0, 0, 3211264, 0) "
       "red relaxed gpu @global publishes gpu"},
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
  struct {
    std::string Name;
    int Field;
    bool Indexed;
  } Fields[] = {{"global_address", 0, false}, {"rank", 1, false},
                {"box_dim", 2, true},         {"global_dim", 3, true},
                {"global_stride", 4, true},   {"element_stride", 5, true},
                {"elemtype", 6, false},       {"interleave_layout", 7, false},
                {"swizzle_mode", 8, false},   {"swizzle_atomicity", 9, false},
                {"fill_mode", 10, false}};
  for (auto &F : Fields)
    EXPECT_EQ(show("tensormap.replace.tile." + F.Name + ".shared::cta.b1024.b32 [$0]" +
                   (F.Indexed ? ", 1" : "") + ", $1;"),
              "access(&$0@shared, 128) store weak thread @shared; "
              "gpu_tensormap_before(&$0@shared, " +
                  std::to_string(F.Field) + (F.Indexed ? ", 1" : ", 0") +
                  ", $1) gpu; gpu_tensormap_after(&$0@shared) after gpu")
        << F.Name;
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

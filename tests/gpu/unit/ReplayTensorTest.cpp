// Tensor copies, changes of tensor maps and wgmma in a log.
#include "Log.h"

namespace scopesan::gpu::test {
namespace {

using core::Rule;

constexpr uint64_t Barrier = SharedBit | 64, Tile = SharedBit | 2048, Tensor = X, Map = Y;
constexpr abi::Op Arrive(abi::AccessKind::Rmw, abi::MemoryOrder::Release, abi::Scope::Block);
constexpr abi::Op Wait(abi::AccessKind::Load, abi::MemoryOrder::Acquire, abi::Scope::Block);

/// Content of a driver's map: what it is matters to nobody.
struct Content {
  uint64_t words[tensor::MapWords] = {};
};
Content contentOf(uint64_t n) {
  Content c;
  c.words[3] = n;
  return c;
}
uint64_t hashOf(uint64_t n) {
  Content c = contentOf(n);
  return TensorMaps::hashOf(&c);
}

/// A 4 x 8 box of 32-bit elements of a tensor of 6 rows of 12, 48 bytes each: 128 bytes of image.
void encode(Launch &l, uint64_t n, uint32_t swizzle = 0, uint32_t columns = 8, uint32_t rows = 4) {
  const uint64_t sizes[] = {12, 6}, strides[] = {48};
  const uint32_t box[] = {columns, rows}, steps[] = {1, 1};
  host::TensorMapRequest r;
  r.type = 3, r.rank = 2, r.address = Tensor;
  r.sizes = sizes, r.strides = strides, r.box = box, r.steps = steps, r.swizzle = swizzle;
  TensorMaps::Known known;
  ASSERT_EQ(host::encodeTiled(r, known.map, known.lacks), host::Encoding::Done);
  l.R.tensorMaps().add(hashOf(n), known);
}

struct Copy {
  uint64_t map = 1;     ///< number of its content
  int32_t x = 0, y = 0; ///< element, row
  uint64_t shared = Tile, barrier = 0;
  uint32_t flags = 0; ///< tensor::
  uint64_t mapAt = 0; ///< 0: a parameter
};
void copy(Launch &l, Who w, const Copy &c) {
  l.operands(w, c.shared, c.flags | 2u << tensor::RankShift, c.barrier);
  l.add(w, EventKind::TensorStart, uint32_t(c.x) | uint64_t(uint32_t(c.y)) << 32, 0);
  uint64_t hash = hashOf(c.map);
  l.add(w, EventKind::TensorCopy, c.mapAt, uint32_t(hash), uint32_t(hash >> 32));
}
void expectAndArrive(Launch &l, Who w, uint32_t bytes) {
  l.add(w, EventKind::MbarrierExpect, Barrier, bytes, Arrive.raw());
  l.add(w, EventKind::MbarrierArrive, Barrier, 1, Arrive.raw());
}
void init(Launch &l) {
  l.add({0, 0}, EventKind::MbarrierInit, Barrier, 1);
  for (uint32_t i = 0; i < 2; ++i)
    l.barrier({0, i}, 32);
}

// S12: the whole box counts as bytes, wherever it lies.
TEST(ReplayTensor, LoadsCompleteOnTheirBarrier) {
  for (bool wait : {true, false}) {
    Launch l(1, 2);
    encode(l, 1);
    init(l);
    expectAndArrive(l, {0, 0}, 128);
    copy(l, {0, 0}, {.x = 8, .y = 4, .barrier = Barrier}); // a part lies outside
    if (wait)
      l.add({0, 1}, EventKind::MbarrierWait, Barrier, 1, Wait.raw());
    l.read({0, 1}, Tile + 124).end(); // zero, but written
    EXPECT_EQ(l.S.count(Rule::AsyncInFlight), wait ? 0u : 1u);
    EXPECT_EQ(l.S.findings.size(), wait ? 0u : 1u);
  }
}

// Only elements inside of the box and of the tensor are read.
TEST(ReplayTensor, LoadsReadTheirElements) {
  struct Row {
    uint32_t row, column;
    bool races;
  };
  for (Row w : {Row{1, 2, true},
                {4, 9, true},
                {0, 2, false},
                {1, 1, false},
                {5, 2, false},
                {1, 10, false}}) {
    Launch l(2, 1);
    encode(l, 1);
    copy(l, {0, 0}, {.x = 2, .y = 1});
    l.write({1, 0}, Tensor + w.row * 48 + w.column * 4).end();
    EXPECT_EQ(l.S.findings.size(), w.races ? 1u : 0u) << w.row << " " << w.column;
  }
}

// S12, D10: wait_group.read frees the tile, wait_group the tensor.
TEST(ReplayTensor, StoresCompleteByGroup) {
  for (uint32_t readOnly : {0u, 1u}) {
    Launch l(1, 1);
    encode(l, 1);
    copy(l, {0, 0}, {.flags = tensor::StoreBit});
    l.add({0, 0}, EventKind::BulkCommit, 0, 0);
    l.add({0, 0}, EventKind::BulkWait, 0, 0, readOnly).write({0, 0}, Tile + 64);
    EXPECT_EQ((l.scan(), l.S.findings.size()), 0u);
    l.read({0, 0}, Tensor + 48).end();
    EXPECT_EQ(l.S.count(Rule::AsyncInFlight), readOnly);
  }
}

// S13: by their own fence, each.
TEST(ReplayTensor, StoresNeedAProxyFence) {
  for (bool fence : {true, false}) {
    Launch l(1, 1);
    encode(l, 1);
    l.write({0, 0}, Tile + 64);
    if (fence)
      l.add({0, 0}, EventKind::ProxyFence, 0, uint32_t(abi::ProxyFence::Async));
    copy(l, {0, 0}, {.flags = tensor::StoreBit});
    l.end();
    EXPECT_EQ(l.S.count(Rule::ProxyViolation), fence ? 0u : 1u);
  }
}

// O1: each element is relaxed.gpu.
TEST(ReplayTensor, ReductionsDoNotRaceWithEachOther) {
  for (bool reduce : {true, false}) {
    Launch l(2, 1);
    encode(l, 1);
    for (uint32_t b : {0u, 1u})
      copy(l, {b, 0}, {.flags = tensor::StoreBit | (reduce ? tensor::ReduceBit : 0)});
    l.end();
    EXPECT_EQ(l.S.findings.empty(), reduce);
  }
}

// Rows of 32 bytes: bit 7 of the address exchanges the two units of a row. Here it is set.
TEST(ReplayTensor, SwizzledImages) {
  constexpr uint64_t Image = SharedBit | 2176;
  for (uint32_t swizzle : {0u, 1u})
    for (uint32_t unit : {0u, 1u}) {
      Launch l(1, 1);
      encode(l, 1, swizzle, /*columns=*/4, /*rows=*/1); // one unit
      l.write({0, 0}, Image + unit * 16);
      copy(l, {0, 0}, {.shared = Image, .flags = tensor::StoreBit});
      l.end();
      EXPECT_EQ(l.S.count(Rule::ProxyViolation), unit == swizzle ? 1u : 0u);
    }
}

TEST(ReplayTensor, MulticastReachesEachReceiver) {
  Launch l(2, 1, {2, 1, 1});
  encode(l, 1);
  auto sync = [&] {
    for (EventKind k : {EventKind::ClusterArrive, EventKind::ClusterWait})
      for (uint32_t b : {0u, 1u})
        l.add({b, 0}, k, 0, 0);
  };
  for (uint32_t b : {0u, 1u})
    l.add({b, 0}, EventKind::MbarrierInit, Barrier, 1);
  sync();
  copy(l, {0, 0}, {.barrier = Barrier, .flags = 3});
  expectAndArrive(l, {1, 0}, 128);
  l.add({1, 0}, EventKind::MbarrierWait, Barrier, 1, Wait.raw()).read({1, 0}, Tile);
  EXPECT_EQ((l.scan(), l.S.findings.size()), 0u);
  l.read({0, 0}, Tile); // did not wait
  sync();
  l.end();
  EXPECT_EQ(l.S.count(Rule::AsyncInFlight), 1u);
}

// S13: the map is read through a proxy of its own.
TEST(ReplayTensor, MapsInGlobalMemoryNeedTheirFence) {
  for (bool fence : {true, false}) {
    Launch l(1, 1);
    encode(l, 1);
    l.write({0, 0}, Map + 120, 8);
    for (auto half : {abi::MemoryOrder::Release, abi::MemoryOrder::Acquire})
      if (fence)
        l.add({0, 0}, EventKind::TensormapFence, half == abi::MemoryOrder::Acquire ? Map : 0,
              half == abi::MemoryOrder::Acquire ? 128 : 0,
              abi::Op(abi::AccessKind::Fence, half, abi::Scope::Device).raw());
    copy(l, {0, 0}, {.mapAt = Map});
    l.end();
    EXPECT_EQ(l.S.count(Rule::ProxyViolation), fence ? 0u : 1u);
  }
}

// tensormap.replace: the map that has this content from now on is another one.
TEST(ReplayTensor, ReplacedFields) {
  constexpr uint64_t Other = Flag;
  for (uint64_t written : {Other + 48, Tensor + 48}) {
    Launch l(2, 1);
    encode(l, 1);
    l.operands({0, 0}, hashOf(1), uint32_t(abi::TensorMapField::Address), Other);
    l.add({0, 0}, EventKind::TensorMapReplace, hashOf(2), 0);
    l.operands({0, 0}, hashOf(2), uint32_t(abi::TensorMapField::Size) | 1u << 8, 2);
    l.add({0, 0}, EventKind::TensorMapReplace, hashOf(3), 0);
    copy(l, {0, 0}, {.map = 3});
    l.write({1, 0}, Other + 2 * 48); // outside since
    EXPECT_EQ((l.scan(), l.S.findings.size()), 0u);
    l.write({1, 0}, written).end();
    EXPECT_EQ(l.S.findings.size(), written == Other + 48 ? 1u : 0u);
  }
}

TEST(ReplayTensor, UnknownMapsAreIncomplete) {
  for (uint64_t map : {1u, 2u, 3u, 4u}) {
    Launch l(1, 1);
    encode(l, 1);
    l.R.tensorMaps().add(hashOf(2), {{}, "im2col tensor maps"});
    l.operands({0, 0}, hashOf(1), uint32_t(abi::TensorMapField::Swizzle), 7);
    l.add({0, 0}, EventKind::TensorMapReplace, hashOf(3), 0);
    copy(l, {0, 0}, {.map = map});
    l.end();
    EXPECT_EQ(l.R.unknownOperations(), map != 1) << map;
  }
}

// ---------------------------------------------------------------- wgmma

constexpr uint32_t HalvesN8 = 8 | 1u << wgmma::ElementLog2Shift;
/// Core matrices of 8 rows of 16 bytes: along K at once 128 bytes on, along M and N 256.
constexpr uint64_t descriptor(uint32_t offset) {
  return offset >> 4 | uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32;
}
/// One m64n8k16 of f16 of four warps: A at 0 (2048 bytes), B at 2048 (256 bytes).
void multiply(Launch &l, uint32_t shape = HalvesN8 | wgmma::SharedABit) {
  for (uint32_t i = 0; i < 128; ++i) {
    if (i % 32 == 0)
      l.operands({0, i}, descriptor(0), shape);
    l.add({0, i}, EventKind::Wgmma, i % 32 ? 0 : descriptor(2048), i % 32 == 0);
  }
  for (uint32_t i = 0; i < 128; i += 32)
    l.add({0, i}, EventKind::WgmmaCommit, 0, 0);
}
void waitAll(Launch &l, uint32_t allowed = 0) {
  for (uint32_t i = 0; i < 128; ++i)
    l.add({0, i}, EventKind::WgmmaWait, 0, allowed);
}
void barrier(Launch &l) {
  for (uint32_t i = 0; i < 128; ++i)
    l.barrier({0, i});
}

// S13, D9: what a thread wrote generically needs a fence before the barrier.
TEST(ReplayWgmma, NeedsAProxyFence) {
  for (bool fence : {true, false}) {
    Launch l(1, 128);
    l.write({0, 5}, SharedBit | 2048 | 240, 16);
    if (fence)
      l.add({0, 5}, EventKind::ProxyFence, 0, uint32_t(abi::ProxyFence::Async));
    barrier(l);
    multiply(l);
    l.end();
    EXPECT_EQ(l.S.findings.empty(), fence);
    EXPECT_EQ(l.S.count(Rule::ProxyViolation) > 0, !fence);
  }
}

// S12, D10: until wait_group the factors are being read.
TEST(ReplayWgmma, WaitsForItsGroup) {
  for (uint32_t allowed : {0u, 1u}) {
    Launch l(1, 128);
    multiply(l);
    waitAll(l, allowed);
    barrier(l);
    l.write({0, 77}, SharedBit | 1024).end();
    EXPECT_EQ(l.S.count(Rule::AsyncInFlight), allowed);
    EXPECT_EQ(l.S.findings.size(), allowed);
  }
}

// Each warp reads 16 rows of A and all of B, and nothing past them.
TEST(ReplayWgmma, ReadsWhatItsDescriptorsName) {
  struct Row {
    uint32_t offset, shape;
    bool read;
  };
  for (Row w : {Row{0, HalvesN8 | wgmma::SharedABit, true},
                {2044, HalvesN8 | wgmma::SharedABit, true},
                {2300, HalvesN8 | wgmma::SharedABit, true},
                {2304, HalvesN8 | wgmma::SharedABit, false},
                {0, HalvesN8, false}, // A in registers
                {2048, HalvesN8, true}}) {
    Launch l(1, 128);
    multiply(l, w.shape);
    l.write({0, 0}, SharedBit | w.offset).end();
    EXPECT_EQ(!l.S.findings.empty(), w.read) << w.offset;
  }
}

// A warp's part starts when its own lanes have come: other warps' writes need a barrier.
TEST(ReplayWgmma, DoesNotWaitForOtherWarps) {
  for (uint32_t writer : {0u, 64u}) {
    Launch l(1, 128);
    l.write({0, writer}, SharedBit | 0); // a row of the first warp's
    l.add({0, writer}, EventKind::ProxyFence, 0, uint32_t(abi::ProxyFence::Async));
    multiply(l);
    l.end();
    EXPECT_EQ(l.S.findings.empty(), writer == 0);
  }
}

TEST(ReplayWgmma, DescriptorsOutsideAreIncomplete) {
  Launch l(1, 128);
  l.operands({0, 0}, descriptor(0), HalvesN8);
  for (uint32_t i = 0; i < 32; ++i)
    l.add({0, i}, EventKind::Wgmma, descriptor(8192), i == 0);
  l.end();
  EXPECT_EQ(l.R.unknownOperations(), 1u);
  EXPECT_TRUE(l.S.findings.empty());
}

} // namespace
} // namespace scopesan::gpu::test

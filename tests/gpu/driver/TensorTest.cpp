// Tensor maps that the program encodes, and kernels that copy through them.
#include "Program.h"

namespace {

uint64_t hashOf(const CUtensorMap &m) {
  uint64_t hash = 0;
  for (uint64_t word : m.opaque)
    hash = tensor::hashStep(hash, word);
  return hash;
}

/// 64 words at `address`; `content` is what the driver makes of it.
void encode(CUtensorMap &m, uint64_t address, uint64_t content) {
  cuuint64_t sizes[] = {64};
  cuuint32_t box[] = {32}, steps[] = {1};
  cuTensorMapEncodeTiled_params p{};
  p.tensorMap = &m;
  p.tensorDataType = CU_TENSOR_MAP_DATA_TYPE_INT32;
  p.tensorRank = 1;
  p.globalAddress = reinterpret_cast<void *>(address);
  p.globalDim = sizes, p.boxDim = box, p.elementStrides = steps;
  call("cuTensorMapEncodeTiled", p, [&] {
    m = {};
    m.opaque[5] = content;
  });
}

/// Block 0 stores a tile to the tensor; block 1 reads the word at `address`.
void storeAndRead(uint64_t hash, uint64_t address) {
  launch("logged", stream(), [&] {
    Log &log = state();
    auto append = [&](EventKind kind, uint64_t value, uint32_t low, uint32_t high, uint32_t extra) {
      records()[log.cursor++] = {value, 0,        log.stamp | uint32_t(kind) << 26, low, high,
                                 extra, log.stamp};
    };
    append(EventKind::Operands, SharedBit, tensor::StoreBit | 1u << tensor::RankShift, 0, 0);
    append(EventKind::TensorStart, 8, 0, 0, 0);
    append(EventKind::TensorCopy, 0, uint32_t(hash), newSite(), uint32_t(hash >> 32));
    record(1, EventKind::Read, address);
  });
  synchronize();
}

} // namespace

TEST_F(Collector, TensorMapsSayWhatCopiesAccess) {
  uint64_t p = allocateWithoutShadow();
  CUtensorMap map;
  encode(map, p, 17);
  storeAndRead(hashOf(map), p + 28); // before the tile
  EXPECT_EQ(found(), 0u);
  storeAndRead(hashOf(map), p + 32);
  EXPECT_EQ(found(), 1u);
}

TEST_F(Collector, TensorMapsOfOtherAddresses) {
  uint64_t p = allocateWithoutShadow(), q = allocateWithoutShadow();
  CUtensorMap map;
  encode(map, p, 18);
  call("cuTensorMapReplaceAddress",
       cuTensorMapReplaceAddress_params{&map, reinterpret_cast<void *>(q)},
       [&] { map.opaque[5] = 19; });
  storeAndRead(hashOf(map), p + 32);
  EXPECT_EQ(found(), 0u);
  storeAndRead(hashOf(map), q + 32);
  EXPECT_EQ(found(), 1u);
}

TEST_F(Collector, OtherTensorMapsAreIncomplete) {
  uint64_t p = allocateWithoutShadow();
  CUtensorMap map{};
  map.opaque[5] = 20;
  unsigned unseen = lines("was not seen to be made"), lacking = lines("im2col");
  storeAndRead(hashOf(map), p + 32);
  EXPECT_GT(lines("was not seen to be made"), unseen);
  cuTensorMapEncodeIm2col_params im2col{};
  im2col.tensorMap = &map;
  call("cuTensorMapEncodeIm2col", im2col, [&] { map.opaque[5] = 21; });
  storeAndRead(hashOf(map), p + 32);
  EXPECT_GT(lines("im2col"), lacking);
  EXPECT_EQ(found(), 0u);
}

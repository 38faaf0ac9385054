// Where shadow memory on the device lies.
#include "gpu/shadow_map.h"

#include <gtest/gtest.h>

using namespace scopesan::gpu;

namespace {

constexpr uint64_t A = 0x7f1200000000, S = 0x400000000000;
static_assert(A % ChunkSize == 0);

} // namespace

TEST(ShadowMap, MapsWholeChunks) {
  ShadowMap m;
  auto runs = m.missing(A + ChunkSize - 4, 8);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].address, A);
  EXPECT_EQ(runs[0].chunks, 2u);
  m.add(runs[0], S);
  EXPECT_TRUE(m.missing(A, 2 * ChunkSize).empty());
  EXPECT_EQ(m.shadowBytes(), 2 * ChunkShadowSize);
  runs = m.missing(A - 1, 3 * ChunkSize + 1);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].address, A - ChunkSize);
  EXPECT_EQ(runs[1].address, A + 2 * ChunkSize);
  EXPECT_EQ(runs[1].chunks, 1u);
  EXPECT_TRUE(m.missing(A, 0).empty());
}

TEST(ShadowMap, PiecesAreContiguous) {
  ShadowMap m;
  m.add({A, 2}, S);
  m.add({A + 2 * ChunkSize, 1}, S + 64 * ChunkShadowSize);
  auto p = m.pieces(A + 6, 3 * ChunkSize);
  ASSERT_EQ(p.size(), 3u);
  EXPECT_EQ(p[0].address, A + 6);
  EXPECT_EQ(p[0].shadow, S + 16);
  EXPECT_EQ(p[0].bytes, 2 * ChunkSize - 6);
  EXPECT_EQ(p[1].address, A + 2 * ChunkSize);
  EXPECT_EQ(p[1].shadow, S + 64 * ChunkShadowSize);
  EXPECT_EQ(p[1].bytes, ChunkSize);
  EXPECT_EQ(p[2].shadow, 0u);
  EXPECT_EQ(p[2].bytes, 6u);
  EXPECT_TRUE(m.covers(A, 3 * ChunkSize));
  EXPECT_FALSE(m.covers(A, 3 * ChunkSize + 1));
}

TEST(ShadowMap, EntriesHaveOneOwner) {
  ShadowMap m;
  uint64_t twin = A ^ uint64_t(1) << 44;
  m.add(m.missing(A, 4)[0], S);
  EXPECT_EQ(chunkIndex(A, m.mask()), chunkIndex(twin, m.mask()));
  EXPECT_NE(chunkEntry(S, A) & ChunkTagMask, chunkEntry(S, twin) & ChunkTagMask);
  EXPECT_TRUE(m.missing(twin, 4).empty());
  EXPECT_EQ(m.pieces(twin, 4)[0].shadow, 0u);
  EXPECT_EQ(m.missing(twin, ChunkSize + 1)[0].address, twin + ChunkSize);
}

TEST(ShadowMap, TheTableGrowsUntilEveryChunkHasItsEntry) {
  ShadowMap m;
  uint64_t twin = A ^ uint64_t(1) << 41;
  EXPECT_EQ(m.bitsFor(A, 4 * ChunkSize), LeastTableBits);
  m.add(m.missing(A, 4 * ChunkSize)[0], S);
  EXPECT_EQ(m.bitsFor(A - ChunkSize, 8 * ChunkSize), LeastTableBits); // its own chunks
  EXPECT_TRUE(m.missing(twin, 4).empty());
  EXPECT_EQ(m.bitsFor(twin + 4 * ChunkSize, 4), LeastTableBits); // beside them
  uint32_t bits = m.bitsFor(twin - ChunkSize, 2 * ChunkSize);
  EXPECT_EQ(bits, 41 + 1 - ChunkShift);
  m.setBits(bits);
  EXPECT_EQ(m.mask() + 1, uint64_t(1) << bits);
  m.add(m.missing(twin, 4)[0], S + 64 * ChunkShadowSize);
  EXPECT_EQ(m.pieces(twin, 4)[0].shadow, S + 64 * ChunkShadowSize);
  EXPECT_EQ(m.pieces(A, 4)[0].shadow, S);
  EXPECT_EQ(m.all().size(), 5u);
  m.clear();
  EXPECT_EQ(m.bits(), LeastTableBits);
}

TEST(ShadowMap, ARangeMayBeLongerThanTheTable) {
  ShadowMap m;
  uint64_t bytes = ChunkSize << LeastTableBits;
  EXPECT_EQ(m.bitsFor(A, bytes), LeastTableBits);
  EXPECT_EQ(m.bitsFor(A, bytes + 1), LeastTableBits + 1);
  EXPECT_EQ(m.missing(A, bytes + 1)[0].chunks, bytes / ChunkSize);
}

TEST(ShadowMap, TheTableDoesNotGrowWithoutEnd) {
  ShadowMap m;
  m.add(m.missing(A, 4)[0], S);
  uint64_t twin = A ^ uint64_t(1) << 46;
  EXPECT_EQ(m.bitsFor(twin, 4), MostTableBits);
  m.setBits(MostTableBits);
  EXPECT_TRUE(m.missing(twin, 4).empty());
  EXPECT_EQ(m.bitsFor(uint64_t(1) << 47, 4), MostTableBits);
}

TEST(ShadowMap, CellsOfWords) {
  EXPECT_EQ(cellOf(chunkEntry(S, A), A + 6), S + 16);
  EXPECT_EQ(cellOf(chunkEntry(S, A), A + ChunkSize - 1), S + ChunkShadowSize - 16);
  EXPECT_EQ(cellOf(chunkEntry(S, A), A ^ uint64_t(1) << 44), 0u); // another owner
  EXPECT_EQ(cellOf(chunkEntry(S, A), A | uint64_t(1) << 47), 0u);
  EXPECT_EQ(cellOf(0, A), 0u);
}

TEST(ShadowMap, NoShadowAboveTheTable) {
  ShadowMap m;
  EXPECT_TRUE(m.missing(uint64_t(1) << 47, ChunkSize).empty());
}

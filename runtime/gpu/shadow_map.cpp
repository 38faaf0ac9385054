#include "gpu/shadow_map.h"

#include <algorithm>

namespace scopesan::gpu {

/// Addresses that differ in bits 44 to 46 only share an entry; the first one has it.
bool ShadowMap::eligible(uint64_t chunk) const {
  uint64_t address = chunk << ChunkShift;
  if (address >> 47)
    return false;
  for (uint64_t high = 0; high < 8; ++high) {
    uint64_t other = high << (44 - ChunkShift) | chunkIndex(address);
    if (other != chunk && Chunks.count(other))
      return false;
  }
  return true;
}

std::vector<ShadowMap::Run> ShadowMap::missing(uint64_t address, uint64_t bytes) const {
  std::vector<Run> result;
  if (!bytes)
    return result;
  uint64_t last = (address + bytes - 1) >> ChunkShift;
  for (uint64_t c = address >> ChunkShift; c <= last; ++c) {
    if (Chunks.count(c) || !eligible(c))
      continue;
    if (!result.empty() && (result.back().address >> ChunkShift) + result.back().chunks == c)
      ++result.back().chunks;
    else
      result.push_back({c << ChunkShift, 1});
  }
  return result;
}

void ShadowMap::add(const Run &run, uint64_t shadow) {
  for (uint64_t i = 0; i < run.chunks; ++i)
    Chunks[(run.address >> ChunkShift) + i] = shadow + i * ChunkShadowSize;
}

std::vector<ShadowMap::Piece> ShadowMap::pieces(uint64_t address, uint64_t bytes) const {
  std::vector<Piece> result;
  for (uint64_t a = address, end = address + bytes; a < end;) {
    uint64_t stop = std::min(end, ((a >> ChunkShift) + 1) << ChunkShift);
    auto chunk = Chunks.find(a >> ChunkShift);
    uint64_t word = a % ChunkSize / 4;
    Piece p{a, stop - a, chunk == Chunks.end() ? 0 : chunk->second + word * 16};
    Piece *before = result.empty() ? nullptr : &result.back();
    if (before && !before->shadow && !p.shadow)
      before->bytes += p.bytes;
    else if (before && before->shadow && p.shadow &&
             before->shadow + ((a & ~uint64_t(3)) - (before->address & ~uint64_t(3))) * 4 ==
                 p.shadow)
      before->bytes += p.bytes;
    else
      result.push_back(p);
    a = stop;
  }
  return result;
}

bool ShadowMap::covers(uint64_t address, uint64_t bytes) const {
  for (const Piece &p : pieces(address, bytes))
    if (!p.shadow)
      return false;
  return true;
}

} // namespace scopesan::gpu

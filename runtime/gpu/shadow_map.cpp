#include "gpu/shadow_map.h"

#include <algorithm>

namespace scopesan::gpu {

namespace {

/// Does `other` share its entry with one of first..last, which it is not?
bool sharesEntry(uint64_t other, uint64_t first, uint64_t last, uint32_t bits) {
  uint64_t entries = uint64_t(1) << bits;
  if (last >> (47 - ChunkShift) || (other >= first && other <= last))
    return false;
  return ((other - first) & (entries - 1)) <= last - first;
}

} // namespace

/// Where chunks share an entry, the first one has it.
bool ShadowMap::eligible(uint64_t chunk) const {
  if (chunk >> (47 - ChunkShift))
    return false;
  auto owner = Owners.find(chunk & mask());
  return owner == Owners.end() || owner->second == chunk;
}

uint32_t ShadowMap::bitsFor(uint64_t address, uint64_t bytes) const {
  if (!bytes)
    return Bits;
  uint64_t first = address >> ChunkShift, last = (address + bytes - 1) >> ChunkShift;
  uint32_t bits = Bits;
  while (bits < MostTableBits && last - first >> bits)
    ++bits;
  for (auto &[other, shadow] : Chunks)
    while (bits < MostTableBits && sharesEntry(other, first, last, bits))
      ++bits;
  return bits;
}

void ShadowMap::setBits(uint32_t bits) {
  Bits = bits;
  Owners.clear();
  for (auto &[chunk, shadow] : Chunks)
    Owners.emplace(chunk & mask(), chunk);
}

std::vector<ShadowMap::Piece> ShadowMap::all() const {
  std::vector<Piece> result;
  for (auto &[chunk, shadow] : Chunks)
    result.push_back({chunk << ChunkShift, ChunkSize, shadow});
  return result;
}

std::vector<ShadowMap::Run> ShadowMap::missing(uint64_t address, uint64_t bytes) const {
  std::vector<Run> result;
  if (!bytes)
    return result;
  uint64_t first = address >> ChunkShift, last = (address + bytes - 1) >> ChunkShift;
  last = std::min(last, first + mask());
  for (uint64_t c = first; c <= last; ++c) {
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
  for (uint64_t i = 0; i < run.chunks; ++i) {
    uint64_t chunk = (run.address >> ChunkShift) + i;
    Chunks[chunk] = shadow + i * ChunkShadowSize;
    Owners[chunk & mask()] = chunk;
  }
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

// Lifetimes of global memory (D8, P5): memory that was freed, and memory that becomes alive at a
// node of the launch order.
//
//   unknown --freed--> dead --allocated--> unknown, or alive since a node (stream-ordered)
// Memory is asked for only when a word is touched that nobody has touched since, so programs that
// free nothing pay nothing.
#pragma once

#include "scopesan/core/containers.h"
#include "scopesan/core/ids.h"

namespace scopesan::core {

class Lifetimes {
public:
  struct Region {
    uint64_t begin = 0, end = 0;
    NodeId node; ///< that freed it, or since when it is alive
    bool alive = false;
  };

  bool any() const { return Count != 0; }

  /// The region that holds `address`, or null. Large regions are kept in pieces.
  const Region *find(uint64_t address) {
    Vec<Region> *chunk = Chunks.find((address >> ChunkBits) + 1);
    if (!chunk)
      return nullptr;
    uint32_t i = firstEndingAfter(*chunk, address);
    return i < chunk->size() && (*chunk)[i].begin <= address ? &(*chunk)[i] : nullptr;
  }
  /// Nothing is known of [begin, end) any more.
  void clear(uint64_t begin, uint64_t end) {
    if (any())
      forChunks(begin, end, [&](uint64_t key, uint64_t from, uint64_t to) {
        if (Vec<Region> *chunk = Chunks.find(key))
          cut(*chunk, from, to);
      });
  }
  void set(uint64_t begin, uint64_t end, NodeId node, bool alive) {
    clear(begin, end);
    forChunks(begin, end, [&](uint64_t key, uint64_t from, uint64_t to) {
      Vec<Region> &chunk = Chunks[key];
      uint32_t at = firstEndingAfter(chunk, from);
      chunk.push(Region());
      for (uint32_t i = chunk.size() - 1; i > at; --i)
        chunk[i] = chunk[i - 1];
      chunk[at] = {from, to, node, alive};
      ++Count;
    });
  }

private:
  /// Calls f(key, begin, end) for the part of the range that lies in each chunk.
  template <class F> static void forChunks(uint64_t begin, uint64_t end, F f) {
    while (begin < end) {
      uint64_t stop = minOf(end, ((begin >> ChunkBits) + 1) << ChunkBits);
      f((begin >> ChunkBits) + 1, begin, stop);
      begin = stop;
    }
  }
  static uint32_t firstEndingAfter(const Vec<Region> &chunk, uint64_t address) {
    uint32_t lo = 0, hi = chunk.size();
    while (lo < hi) {
      uint32_t mid = (lo + hi) / 2;
      if (chunk[mid].end <= address)
        lo = mid + 1;
      else
        hi = mid;
    }
    return lo;
  }
  /// Removes [begin, end); a region that contains it is split.
  void cut(Vec<Region> &chunk, uint64_t begin, uint64_t end) {
    uint32_t first = firstEndingAfter(chunk, begin), last = first;
    while (last < chunk.size() && chunk[last].begin < end)
      ++last;
    if (first == last)
      return;
    Region before = chunk[first], after = chunk[last - 1];
    Vec<Region> rest;
    for (uint32_t i = last; i < chunk.size(); ++i)
      rest.push(chunk[i]);
    Count -= chunk.size() - first;
    while (chunk.size() > first)
      chunk.pop();
    if (before.begin < begin)
      chunk.push(Region{before.begin, begin, before.node, before.alive});
    if (after.end > end)
      chunk.push(Region{end, after.end, after.node, after.alive});
    for (Region &r : rest)
      chunk.push(r);
    Count += chunk.size() - first;
  }

  static constexpr uint32_t ChunkBits = 22; ///< 4 MiB
  HashMap<Vec<Region>> Chunks;              ///< disjoint, ascending
  uint64_t Count = 0;
};

} // namespace scopesan::core

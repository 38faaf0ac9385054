// Facts about ranges of addresses: disjoint ranges with a value each. Asked rarely, so a lookup may
// cost a hash and a binary search; large ranges are kept in pieces.
#pragma once

#include "scopesan/core/containers.h"

namespace scopesan::core {

template <class T> class RangeMap {
public:
  bool any() const { return Count != 0; }

  /// The value at `address`, or null.
  const T *find(uint64_t address) {
    Vec<Range> *chunk = Chunks.find((address >> ChunkBits) + 1);
    if (!chunk)
      return nullptr;
    uint32_t i = firstEndingAfter(*chunk, address);
    return i < chunk->size() && (*chunk)[i].begin <= address ? &(*chunk)[i].value : nullptr;
  }
  /// Nothing is known of [begin, end) any more.
  void clear(uint64_t begin, uint64_t end) {
    if (any())
      forChunks(begin, end, [&](uint64_t key, uint64_t from, uint64_t to) {
        if (Vec<Range> *chunk = Chunks.find(key))
          cut(*chunk, from, to);
      });
  }
  void set(uint64_t begin, uint64_t end, const T &value) {
    clear(begin, end);
    forChunks(begin, end, [&](uint64_t key, uint64_t from, uint64_t to) {
      Vec<Range> &chunk = Chunks[key];
      uint32_t at = firstEndingAfter(chunk, from);
      chunk.push(Range());
      for (uint32_t i = chunk.size() - 1; i > at; --i)
        chunk[i] = chunk[i - 1];
      chunk[at] = {from, to, value};
      ++Count;
    });
  }

private:
  struct Range {
    uint64_t begin = 0, end = 0;
    T value{};
  };

  /// Calls f(key, begin, end) for the part of the range that lies in each chunk.
  template <class F> static void forChunks(uint64_t begin, uint64_t end, F f) {
    while (begin < end) {
      uint64_t stop = minOf(end, ((begin >> ChunkBits) + 1) << ChunkBits);
      f((begin >> ChunkBits) + 1, begin, stop);
      begin = stop;
    }
  }
  static uint32_t firstEndingAfter(const Vec<Range> &chunk, uint64_t address) {
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
  /// Removes [begin, end); a range that contains it is split.
  void cut(Vec<Range> &chunk, uint64_t begin, uint64_t end) {
    uint32_t first = firstEndingAfter(chunk, begin), last = first;
    while (last < chunk.size() && chunk[last].begin < end)
      ++last;
    if (first == last)
      return;
    Range before = chunk[first], after = chunk[last - 1];
    Vec<Range> rest;
    for (uint32_t i = last; i < chunk.size(); ++i)
      rest.push(chunk[i]);
    Count -= chunk.size() - first;
    while (chunk.size() > first)
      chunk.pop();
    if (before.begin < begin)
      chunk.push(Range{before.begin, begin, before.value});
    if (after.end > end)
      chunk.push(Range{end, after.end, after.value});
    for (Range &r : rest)
      chunk.push(r);
    Count += chunk.size() - first;
  }

  static constexpr uint32_t ChunkBits = 22; ///< 4 MiB
  HashMap<Vec<Range>> Chunks;               ///< disjoint, ascending
  uint64_t Count = 0;
};

} // namespace scopesan::core

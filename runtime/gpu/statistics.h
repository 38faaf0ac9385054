// What a filter on the device would have left to a judge: counted for `--verbosity=2`.
//
// A weak access is a candidate when the word's last conflicting access in the same launch was made
// by another block: launch tags and the block's own barriers cannot order those.
#pragma once

#include "scopesan/gpu_abi.h"

#include <stdio.h>
#include <unordered_map>

namespace scopesan::gpu {

class Statistics {
public:
  void add(const Record &r) {
    ++Kinds[uint32_t(r.kind()) % Count];
    bool read = r.kind() == EventKind::Read, write = r.kind() == EventKind::Write;
    if ((!read && !write) || r.value & SharedBit)
      return;
    ++Global;
    for (uint64_t a = r.value & ~uint64_t(3); a < r.value + r.low; a += 4) {
      Word &w = Words[a];
      uint32_t me = r.block + 1;
      bool other = (w.writer && w.writer != me) || (write && w.reader && w.reader != me);
      if (other) {
        ++Candidates;
        break;
      }
    }
    for (uint64_t a = r.value & ~uint64_t(3); a < r.value + r.low; a += 4) {
      Word &w = Words[a];
      (write ? w.writer : w.reader) = r.block + 1;
    }
  }
  void print(const char *kernel) const {
    uint64_t all = 0;
    for (uint64_t n : Kinds)
      all += n;
    fprintf(stderr,
            "ScopeSan: %s: %llu events: %llu weak, %llu atomic (two each), %llu fences, %llu block "
            "and %llu warp arrivals; %llu global accesses, %llu follow another block's\n",
            kernel, ull(all), ull(of(EventKind::Read) + of(EventKind::Write)),
            ull(of(EventKind::AtomicBefore) + of(EventKind::AtomicAfter)),
            ull(of(EventKind::Fence)), ull(of(EventKind::BlockArrive)),
            ull(of(EventKind::WarpArrive)), ull(Global), ull(Candidates));
  }

private:
  static constexpr uint32_t Count = EventKinds;
  struct Word {
    uint32_t writer = 0, reader = 0;
  };
  static unsigned long long ull(uint64_t n) { return n; }
  uint64_t of(EventKind k) const { return Kinds[uint32_t(k)]; }

  uint64_t Kinds[Count] = {}, Global = 0, Candidates = 0;
  std::unordered_map<uint64_t, Word> Words;
};

} // namespace scopesan::gpu

// Cells in the block's own shared memory: both marks of a word in 64 bits.
//
// A kernel whose only synchronization is the block barrier needs the marks of the current phase
// alone: what is older is ordered. A cell therefore holds one phase and what happened in it.
//
//   63      44 43  42 41     32 31  30 29     20 19     10 9       0
//   phase + 1 | write | thread  | read | thread  | site    | site
//             | level |         | level|         | of read | of write
//
// A level is that of the mark and one more; 0 = there is no mark. Cells are 0 when the block
// starts. All ones: tracked.
#pragma once

#include "protocol.h"

namespace scopesan::gpu {

namespace blockcell {
inline constexpr uint32_t PhaseShift = 44, WriteLevelShift = 42, WriteThreadShift = 32,
                          ReadLevelShift = 30, ReadThreadShift = 20, ReadSiteShift = 10;
inline constexpr uint64_t Tracked = ~uint64_t(0), ThreadMask = 1023, SiteMask = 1023;
} // namespace blockcell

// ---------------------------------------------------------------- steps of the hooks
//
// `now`: the upper half of a cell of mine in this phase, without level. False: not settled.

SCOPESAN_STEP uint32_t threadOf(uint32_t now) { return now & uint32_t(blockcell::ThreadMask); }
/// What happened in the cell's upper half in the phase of `now`: level and thread; 0 = no write.
SCOPESAN_STEP uint32_t writeIn(uint32_t high, uint32_t now) { return high - now + threadOf(now); }
SCOPESAN_STEP bool isOfPhase(uint32_t high, uint32_t now) {
  return !((high ^ now) >> (blockcell::PhaseShift - 32));
}
/// Level (of one thread) and thread of my read.
SCOPESAN_STEP uint32_t readOf(uint32_t now) { return 1u << 10 | threadOf(now); }

/// All that the cell says is ordered, or mine.
SCOPESAN_STEP bool isQuiet(uint64_t cell, uint32_t now) {
  using namespace blockcell;
  auto low = uint32_t(cell), high = uint32_t(cell >> 32);
  if (!isOfPhase(high, now))
    return cell != Tracked;
  uint32_t w = writeIn(high, now);
  return (!w || (w >> 10 < 3 && (w & ThreadMask) == threadOf(now))) &&
         (!(low >> ReadLevelShift) || low >> ReadThreadShift == readOf(now));
}

/// A write; `old` is what it found.
template <class Word>
SCOPESAN_STEP bool writeBlockWord(Word word, uint32_t now, uint32_t site, uint64_t &old) {
  constexpr uint32_t Weak = 1u << (blockcell::WriteLevelShift - 32);
  old = word.exchange(uint64_t(now | Weak) << 32 | site);
  return isQuiet(old, now);
}

/// A read that changes nothing: one of mine or of several threads is there, and no write of others.
SCOPESAN_STEP bool coversBlockRead(uint64_t cell, uint32_t now) {
  using namespace blockcell;
  constexpr uint32_t Weak = 1u << (WriteLevelShift - 32);
  auto low = uint32_t(cell), high = uint32_t(cell >> 32);
  return (high == now - threadOf(now) || high == (now | Weak)) &&
         (low >> ReadThreadShift == readOf(now) || low >> ReadLevelShift == 2);
}
/// Any other read.
template <class Word> SCOPESAN_STEP bool readBlockWord(Word word, uint32_t now, uint32_t site) {
  using namespace blockcell;
  for (;;) { // lock-free: each turn another thread changed the cell
    uint64_t c = word.load();
    auto low = uint32_t(c), high = uint32_t(c >> 32);
    uint32_t wantedLow = readOf(now) << ReadThreadShift | site << ReadSiteShift,
             wantedHigh = now - threadOf(now);
    if (isOfPhase(high, now)) {
      uint32_t w = writeIn(high, now);
      if (w && (w >> 10 == 3 || (w & ThreadMask) != threadOf(now)))
        return false;
      if (low >> ReadLevelShift == 2 || low >> ReadThreadShift == readOf(now))
        return true;
      if (low >> ReadLevelShift) // of several threads from now on
        wantedLow += 1u << ReadLevelShift;
      wantedLow |= low & uint32_t(SiteMask);
      wantedHigh = high;
    } else if (c == Tracked) {
      return false;
    }
    if (word.compareExchange(c, uint64_t(wantedHigh) << 32 | wantedLow) == c)
      return true;
  }
}

/// A read by several threads at once, in the name of one of them. False: each for itself.
template <class Word>
SCOPESAN_STEP bool readBlockWordTogether(Word word, uint32_t now, uint32_t site) {
  using namespace blockcell;
  uint32_t low = (2u << 10 | threadOf(now)) << ReadThreadShift | site << ReadSiteShift;
  for (;;) { // lock-free
    uint64_t c = word.load();
    auto high = uint32_t(c >> 32);
    if (isOfPhase(high, now)) {
      if (writeIn(high, now)) // may be of one of them
        return false;
      if (uint32_t(c) >> ReadLevelShift == 2)
        return true;
    } else if (c == Tracked) {
      return false;
    }
    if (word.compareExchange(c, uint64_t(now - threadOf(now)) << 32 | low) == c)
      return true;
  }
}

/// A relaxed read-modify-write that changes nothing.
SCOPESAN_STEP bool coversBlockRmw(uint64_t c, uint32_t now) {
  uint32_t w = writeIn(uint32_t(c >> 32), now), low = uint32_t(c);
  bool covered = w == (2u << 10 | threadOf(now)) || w >> 10 == 3;
  return covered &&
         (!(low >> blockcell::ReadLevelShift) || low >> blockcell::ReadThreadShift == readOf(now));
}

// ---------------------------------------------------------------- as a cell of two marks

SCOPESAN_STEP uint32_t phaseShiftOf(const Actor &a) {
  return uint32_t(__builtin_ctzll(a.phaseMask));
}

SCOPESAN_STEP Cell unpackCell(const Actor &a, uint64_t c) {
  using namespace blockcell;
  if (c == Tracked)
    return {trackedMark(a), 0};
  uint64_t phase = c >> PhaseShift;
  if (!phase)
    return {};
  uint64_t at = (a.me & a.blockMask) | (phase - 1) << phaseShiftOf(a) | mark::FullWord;
  auto half = [&](uint32_t levelShift, uint32_t threadShift, uint32_t siteShift) -> uint64_t {
    uint64_t level = c >> levelShift & 3;
    return level ? at | (level - 1) << mark::LevelShift |
                       (c >> threadShift & ThreadMask) << mark::ThreadShift |
                       (c >> siteShift & SiteMask) << mark::SiteShift
                 : 0;
  };
  return {half(WriteLevelShift, WriteThreadShift, 0),
          half(ReadLevelShift, ReadThreadShift, ReadSiteShift)};
}

/// A mark of an earlier phase than the other is dropped.
SCOPESAN_STEP uint64_t packCell(const Actor &a, Cell c) {
  using namespace blockcell;
  if (isSpecial(a, c.w))
    return Tracked;
  auto phaseOf = [&](uint64_t m) { return m ? ((m & ~a.blockMask) >> phaseShiftOf(a)) + 1 : 0; };
  auto half = [&](uint64_t m, uint32_t levelShift, uint32_t threadShift, uint32_t siteShift) {
    uint64_t level = (m >> mark::LevelShift & 3) + 1, thread = m >> mark::ThreadShift & ThreadMask,
             site = m >> mark::SiteShift & SiteMask;
    return level << levelShift | thread << threadShift | site << siteShift;
  };
  uint64_t w = phaseOf(c.w), r = phaseOf(c.r), phase = w > r ? w : r;
  uint64_t cell = phase << PhaseShift;
  if (phase && w == phase)
    cell |= half(c.w, WriteLevelShift, WriteThreadShift, 0);
  if (phase && r == phase)
    cell |= half(c.r, ReadLevelShift, ReadThreadShift, ReadSiteShift);
  return cell;
}

/// The steps of a Port over one 64-bit value. Word: load(), exchange(uint64_t),
/// compareExchange(uint64_t expected, uint64_t wanted).
template <class Word> struct PackedSteps {
  Word word;
  const Actor &a;

  SCOPESAN_MEMBER Cell load() { return unpackCell(a, word.load()); }
  SCOPESAN_MEMBER Cell exchange(Cell c) { return unpackCell(a, word.exchange(packCell(a, c))); }
  /// Compares what the cell says, not its bits: what it does not hold is ordered.
  SCOPESAN_MEMBER Cell compareExchange(Cell expected, Cell wanted) {
    uint64_t bits = packCell(a, expected);
    uint64_t old = word.compareExchange(bits, packCell(a, wanted));
    return old == bits ? expected : unpackCell(a, old);
  }
  SCOPESAN_MEMBER uint64_t maxRead(uint64_t r) {
    for (uint64_t old = word.load();;) { // lock-free
      Cell c = unpackCell(a, old);
      if (isSpecial(a, c.w) || c.r >= r)
        return c.r;
      uint64_t found = word.compareExchange(old, packCell(a, {c.w, r}));
      if (found == old)
        return c.r;
      old = found;
    }
  }
  SCOPESAN_MEMBER uint64_t loadWrite() { return load().w; }
};

} // namespace scopesan::gpu

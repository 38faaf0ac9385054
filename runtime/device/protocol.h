// The shadow protocol: how a thread's access of one word meets the word's cell of two marks.
//
// Pure functions and steps over a Port, so that the device and the host's tests compile the same
// code. A Port is one word as one access sees it:
//
//   Cell load();                     both marks, each possibly old (never newer than the present)
//   Cell exchange(Cell);             both at once
//   Cell compareExchange(Cell expected, Cell wanted);   returns what was there
//   uint64_t maxRead(uint64_t);      R = max(R, mark), returns the old R
//   uint64_t loadWrite();            W now
//   bool wants(uint64_t mark, bool isRead);   the access and that mark race, unless the kernel
//                                    synchronizes: does the log want this pair?
//   bool keepsReaders();             is there room to track a word for its readers' sake? (mixed)
//   void reserve();                  takes the tickets of known() and of the full() after it
//   void known(Cell now, Cell before);   marks that were in the cell; 0 = none
//   void full();                     the access goes to the log as a whole
//
// A step comes before the data access that it stands for, so of two conflicting accesses at least
// one finds the other's mark. Marks are whole 64-bit values, written by an access that took place
// or is about to: what is told is always a real access.
//
//   access         W found                     R found                  cell afterwards
//   write          settled                     settled                  {me, 0}
//   read           settled                     covers me                unchanged
//                                              settled                  R = me
//                                              my block, my phase       R = Block
//                                              my launch, other block   R = Grid
//                                              another launch           tracked
//   non-coherent   not of this launch          of this launch, ordered  R = NonCoherent
//   rmw            strong, covers me           any                      unchanged
//                  strong, settled or of mine  any                      {me or both, R}
//   part of a word old, or mine now            old, or mine now         {W or me, R or me}
//   otherwise                                                           tracked
//   any            special                     any                      as it was
//
// Settled: ordered before me (by the launch, a barrier of the block, or one of the warp), or my
// own. In kernels that synchronize otherwise (mixed) what is not settled need not be a race: the
// word becomes tracked, and the host, which has the log of their synchronization, judges. A Block
// or Grid mark does not say who read when: it makes such a write X1 there. So the second reader
// makes a word tracked as well, as long as these are few.
// A tracked word is judged by the host: who makes it so
// takes tickets first, then tells what was in the cell, and every later access finds the cell
// special and is logged as a whole. Levels of R only rise within a launch, and max keeps the one
// that stands for most: an exact mark < a Block mark of the phase < Grid marks < NonCoherent marks.
// An rmw keeps R, and a weak W of the launch, because later rmws race with those but not with it.
#pragma once

#include "scopesan/gpu_abi.h"

#ifdef __CUDA__
#define SCOPESAN_MEMBER __attribute__((device, always_inline)) inline
#else
#define SCOPESAN_MEMBER inline
#endif
#define SCOPESAN_STEP SCOPESAN_MEMBER

namespace scopesan::gpu {

/// What the protocol knows of the accessing thread.
struct Actor {
  uint64_t me;          ///< its exact mark now, without site and bytes
  uint64_t oldest;      ///< marks below are ordered before it
  uint64_t orderedTags; ///< so are marks of these tags; unused for shared memory
  uint64_t blockMask;   ///< bits of tag (generation) and block
  uint64_t phaseMask;   ///< those and the phase's
  uint64_t epochMask = ~uint64_t(0) << mark::TagShift; ///< of tag and grid barriers
  bool shared = false;
  bool mixed = false;     ///< the kernel synchronizes: the host orders what is not settled
  uint64_t warpTicks = 0; ///< ticks of my warp below it, in the mark's unit, are ordered before me
};

namespace mark {
inline constexpr uint64_t LevelBits = uint64_t(3) << LevelShift,
                          ThreadBits = uint64_t(1023) << ThreadShift,
                          SiteBits = uint64_t(MaxSites - 1) << SiteShift;
inline constexpr uint64_t FullWord = 15;
inline constexpr uint64_t WarpBits = uint64_t(0x3e0) << ThreadShift;
/// Tracked in shared memory: a time that no access has, and a level that W does not have there.
inline constexpr uint64_t TrackedBits = (uint64_t(1) << GenerationShift) - 1;
SCOPESAN_STEP constexpr uint32_t level(uint64_t m) { return uint32_t(m >> LevelShift) & 3; }
SCOPESAN_STEP constexpr uint64_t at(ReadLevel l) { return uint64_t(l) << LevelShift; }
SCOPESAN_STEP constexpr uint64_t at(WriteLevel l) { return uint64_t(l) << LevelShift; }
} // namespace mark

// ---------------------------------------------------------------- relations

/// Before a barrier that all of my launch's grid has passed.
SCOPESAN_STEP bool isOfEarlierEpoch(const Actor &a, uint64_t m) {
  uint64_t launch = a.me & (~uint64_t(0) << mark::TagShift);
  return !a.shared && m - launch < (a.me & a.epochMask) - launch;
}
/// All accesses that the mark stands for are ordered before me.
SCOPESAN_STEP bool isOrdered(const Actor &a, uint64_t m) {
  uint64_t low = a.me & a.blockMask;
  uint64_t phase = a.me & a.phaseMask;
  return m < a.oldest || m - low < phase - low || isOfEarlierEpoch(a, m) ||
         (m - phase < a.warpTicks && !((m ^ a.me) & mark::WarpBits)) ||
         (!a.shared && (a.orderedTags >> (m >> mark::TagShift) & 1));
}
/// My own write, at any time.
SCOPESAN_STEP bool isMyWrite(const Actor &a, uint64_t w) {
  constexpr uint64_t Many = uint64_t(2) << mark::LevelShift;
  return ((w ^ a.me) & (a.blockMask | mark::ThreadBits | Many)) == 0;
}
/// My own read, at any time.
SCOPESAN_STEP bool isMyRead(const Actor &a, uint64_t r) {
  return ((r ^ a.me) & (a.blockMask | mark::ThreadBits | mark::LevelBits)) == 0;
}
SCOPESAN_STEP bool isSettledWrite(const Actor &a, uint64_t w) {
  return isOrdered(a, w) || isMyWrite(a, w);
}
SCOPESAN_STEP bool isSettledRead(const Actor &a, uint64_t r) {
  return isOrdered(a, r) || isMyRead(a, r);
}
SCOPESAN_STEP bool isSameLaunch(const Actor &a, uint64_t m) {
  return a.shared || ((m ^ a.me) >> mark::TagShift) == 0;
}
SCOPESAN_STEP bool isSamePhase(const Actor &a, uint64_t m) {
  return ((m ^ a.me) & a.phaseMask) == 0;
}
/// Same thread, phase and tick.
SCOPESAN_STEP bool isMineNow(const Actor &a, uint64_t m) {
  return ((m ^ a.me) & ~(mark::SiteBits | mark::FullWord)) == 0;
}

/// All bits of a phase's tick.
SCOPESAN_STEP uint64_t tickBits(const Actor &a) {
  return ~a.phaseMask & ~((uint64_t(1) << mark::TimeShift) - 1);
}
/// The least mark of all blocks of my launch, since its last grid barrier.
SCOPESAN_STEP uint64_t wideBegin(const Actor &a) {
  return (a.me & a.epochMask) | (a.blockMask & ~a.epochMask);
}
SCOPESAN_STEP bool isWide(const Actor &a, uint64_t m) {
  return !a.shared && m >= wideBegin(a) && !((m ^ a.me) & a.epochMask);
}
/// Of the non-coherent proxy, which no barrier orders: all ones, so that it is never old.
SCOPESAN_STEP uint64_t nonCoherentBegin(const Actor &a) {
  constexpr uint64_t Tag = ~uint64_t(0) << mark::TagShift;
  return (a.me & Tag) | (a.blockMask & ~Tag);
}
/// `m`, an exact mark of mine, as one of several of my block.
SCOPESAN_STEP uint64_t blockMark(const Actor &a, uint64_t m) {
  return m | tickBits(a) | mark::at(ReadLevel::Block);
}
/// ... of several blocks: the time holds my block, where it fits.
SCOPESAN_STEP uint64_t wideMark(const Actor &a, uint64_t m, uint64_t level, bool nonCoherent) {
  uint32_t shift = uint32_t(__builtin_ctzll(a.blockMask));
  uint64_t time = ~a.blockMask >> mark::TimeShift, names = time >> 1;
  uint64_t blocks = (~a.epochMask >> shift), block = a.me >> shift & blocks;
  uint64_t named = blocks <= names ? block : names;
  uint64_t low = m & ((uint64_t(1) << mark::LevelShift) - 1);
  return (nonCoherent ? nonCoherentBegin(a) : wideBegin(a)) |
         (nonCoherent ? time - names : 0) << mark::TimeShift | named << mark::TimeShift | level |
         low;
}
SCOPESAN_STEP uint64_t gridMark(const Actor &a, uint64_t m) {
  return wideMark(a, m, mark::at(ReadLevel::Grid), false);
}
SCOPESAN_STEP uint64_t nonCoherentMark(const Actor &a, uint64_t m) {
  return wideMark(a, m, mark::at(ReadLevel::NonCoherent), true);
}

/// R stands for a read of the whole word by me now.
SCOPESAN_STEP bool coversRead(const Actor &a, uint64_t r) {
  uint64_t exact = a.me | mark::FullWord;
  return ((r ^ exact) & ~mark::SiteBits) == 0 ||
         r >> mark::LevelShift == blockMark(a, a.me) >> mark::LevelShift || isWide(a, r);
}

/// The word is not settled here. In shared memory the value belongs to one generation.
SCOPESAN_STEP uint64_t trackedMark(const Actor &a) {
  return a.shared ? (a.me & a.blockMask) | (~a.blockMask & mark::TrackedBits) : mark::Tracked;
}
SCOPESAN_STEP bool isSpecial(const Actor &a, uint64_t w) {
  return a.shared ? w == trackedMark(a) : w >> mark::TagShift == mark::SpecialTag;
}

// ---------------------------------------------------------------- steps

/// The word becomes, or stays, special (`value`). `mine`: a mark of this access, logged as a whole
/// here. `before`: marks that it replaced.
template <class Port>
SCOPESAN_STEP void track(Port &p, const Actor &a, uint64_t value, uint64_t mine, Cell before) {
  auto worth = [&](uint64_t m, bool isWrite) {
    bool old = m < a.oldest || (!isWrite && isOfEarlierEpoch(a, m));
    return old || m == mine || (isWrite && isSpecial(a, m)) ? 0 : m;
  };
  p.reserve();
  Cell now = p.exchange({value, 0});
  p.known({worth(now.w, true), worth(now.r, false)},
          {worth(before.w, true), worth(before.r, false)});
  p.full();
}

/// What follows the exchange of a write of the whole word.
template <class Port>
SCOPESAN_STEP void afterWrite(Port &p, const Actor &a, uint64_t me, Cell old) {
  if (isSpecial(a, old.w))
    return track(p, a, old.w, me, old);
  bool wanted = !isSettledWrite(a, old.w) && p.wants(old.w, false);
  wanted |= !isSettledRead(a, old.r) && p.wants(old.r, true);
  if (wanted)
    track(p, a, trackedMark(a), me, old);
}
/// `me`: the mark with site and bytes.
template <class Port> SCOPESAN_STEP void writeWord(Port &p, const Actor &a, uint64_t me) {
  Cell old = p.exchange({me, 0});
  if (!isSettledWrite(a, old.w) || !isSettledRead(a, old.r))
    afterWrite(p, a, me, old);
}

/// What follows a read that set R (`r` is what it replaced) and then saw W.
template <class Port>
SCOPESAN_STEP void afterRead(Port &p, const Actor &a, uint64_t me, uint64_t r, uint64_t w) {
  if (isSpecial(a, w))
    return p.full();
  if (!isSettledWrite(a, w) && p.wants(w, false))
    return track(p, a, trackedMark(a), me, {0, r});
  if (isSettledRead(a, r) || coversRead(a, r))
    return;
  if (a.mixed && p.keepsReaders())
    return track(p, a, trackedMark(a), me, {0, r});
  bool exact = mark::level(r) == uint32_t(ReadLevel::Exact);
  bool whole = (r & mark::FullWord) == mark::FullWord;
  if (isSameLaunch(a, r) && whole && isSamePhase(a, r) && exact)
    p.maxRead(blockMark(a, me));
  else if (isSameLaunch(a, r) && whole)
    p.maxRead(gridMark(a, me));
  else
    track(p, a, trackedMark(a), me, {0, r});
}
template <class Port> SCOPESAN_STEP void readWord(Port &p, const Actor &a, uint64_t me) {
  Cell c = p.load();
  if (coversRead(a, c.r)) {
    if (!isSettledWrite(a, c.w))
      afterRead(p, a, me, c.r, c.w);
    return;
  }
  uint64_t r = p.maxRead(me), w = p.loadWrite();
  if (!isSettledWrite(a, w) || !isSettledRead(a, r))
    afterRead(p, a, me, r, w);
}

SCOPESAN_STEP bool isNonCoherent(const Actor &a, uint64_t r) {
  return !a.shared && r >= nonCoherentBegin(a) && isSameLaunch(a, r) &&
         mark::level(r) == uint32_t(ReadLevel::NonCoherent);
}
/// What follows a non-coherent read that left the mark `all`, or found one, and then saw W.
template <class Port>
SCOPESAN_STEP void afterNonCoherent(Port &p, const Actor &a, uint64_t all, uint64_t r, uint64_t w) {
  if (isSpecial(a, w))
    return p.full();
  // O6: my own writes, too.
  bool mayRace = (isSameLaunch(a, w) || !isOrdered(a, w)) && (all & w & mark::FullWord);
  if ((mayRace && p.wants(w, false)) || (!isSameLaunch(a, r) && !isOrdered(a, r)))
    return track(p, a, trackedMark(a), all, {0, r});
  // The mark stands for all bytes that any such read touched.
  uint64_t bytes = (all | (isNonCoherent(a, r) ? r : 0)) & mark::FullWord;
  for (Cell c = {w, r > all ? r : all}; isNonCoherent(a, c.r) && (bytes & ~c.r);) { // lock-free
    Cell found = p.compareExchange(c, {c.w, c.r | bytes});
    if (found.w == c.w && found.r == c.r)
      return;
    c = found;
  }
}
template <class Port> SCOPESAN_STEP void readNonCoherent(Port &p, const Actor &a, uint64_t me) {
  Cell c = p.load();
  uint64_t all = nonCoherentMark(a, me);
  bool covered = isNonCoherent(a, c.r) && !(me & ~c.r & mark::FullWord);
  if (!covered) {
    c.r = p.maxRead(all);
    c.w = p.loadWrite();
  }
  if (c.w >= a.oldest || (!covered && c.r >= a.oldest))
    afterNonCoherent(p, a, all, c.r, c.w);
}

/// W stands for a strong read-modify-write of mine now. A weak write of mine now races with all
/// that the read-modify-write races with.
SCOPESAN_STEP bool coversRmw(const Actor &a, uint64_t w) {
  constexpr uint32_t L = mark::LevelShift;
  return isMineNow(a, w) || isMineNow(a, w ^ mark::at(WriteLevel::Strong)) ||
         w >> L == (a.me | tickBits(a) | mark::at(WriteLevel::Block)) >> L || isWide(a, w);
}
/// `me` strong, so that it stands for `w`, a strong mark of the launch or an ordered one, too.
SCOPESAN_STEP uint64_t strongMark(const Actor &a, uint64_t me, uint64_t w) {
  if (isSettledWrite(a, w))
    return me | mark::at(WriteLevel::Strong);
  return isSamePhase(a, w) ? me | tickBits(a) | mark::at(WriteLevel::Block)
                           : wideMark(a, me, mark::at(WriteLevel::Grid), false);
}
/// A weak write that rmws of other threads may race with must stay.
SCOPESAN_STEP bool mayReplaceByRmw(const Actor &a, uint64_t w) {
  if (w < a.oldest)
    return true;
  if (!isSameLaunch(a, w))
    return isOrdered(a, w);
  return mark::level(w) != uint32_t(WriteLevel::Weak) || (a.shared && isOrdered(a, w));
}
/// A relaxed read-modify-write whose scope includes all threads that can have the word.
template <class Port> SCOPESAN_STEP void rmwWord(Port &p, const Actor &a, uint64_t me) {
  Cell c = p.load();
  for (;;) { // lock-free: each turn another access changed the cell
    if (isSpecial(a, c.w))
      return p.full();
    if (!isSettledRead(a, c.r) && p.wants(c.r, true))
      return track(p, a, trackedMark(a), 0, {});
    if (coversRmw(a, c.w))
      return;
    if (!mayReplaceByRmw(a, c.w))
      return track(p, a, trackedMark(a), 0, {});
    Cell found = p.compareExchange(c, {strongMark(a, me, c.w), c.r});
    if (found.w == c.w && found.r == c.r)
      return;
    c = found;
  }
}

/// An access of some bytes of a word. Only the simplest cells can hold it.
template <class Port>
SCOPESAN_STEP void accessPart(Port &p, const Actor &a, uint64_t me, bool isWrite) {
  Cell c = p.load();
  for (;;) { // lock-free
    if (isSpecial(a, c.w))
      return p.full();
    bool myWrite = isMineNow(a, c.w), myRead = isMineNow(a, c.r);
    if ((c.w >= a.oldest && !myWrite) || (c.r >= a.oldest && !myRead))
      return track(p, a, trackedMark(a), 0, {});
    Cell wanted = c;
    if (isWrite) {
      wanted.w = me | (myWrite ? c.w & mark::FullWord : 0);
      if (!myRead || !(c.r & ~wanted.w & mark::FullWord))
        wanted.r = 0;
    } else {
      wanted.r = me | (myRead ? c.r & mark::FullWord : 0);
    }
    Cell found = p.compareExchange(c, wanted);
    if (found.w == c.w && found.r == c.r)
      return;
    c = found;
  }
}

/// Kernels that log every event: the host judges them among themselves, marks are for the other
/// launches. One mark stands for all accesses of the launch. `strong`: not a weak access.
template <class Port>
SCOPESAN_STEP void leaveMark(Port &p, const Actor &a, uint64_t me, bool isWrite, bool strong) {
  auto isForeign = [&](uint64_t m) { return !isSameLaunch(a, m) && !isOrdered(a, m); };
  Cell c = p.load();
  for (;;) { // lock-free
    if (isSpecial(a, c.w))
      return;
    if (strong || isForeign(c.w) || isForeign(c.r))
      return track(p, a, trackedMark(a), 0, {});
    uint64_t old = isWrite ? c.w : c.r;
    bool mine = isSameLaunch(a, old);
    if (mine && !(me & ~old & mark::FullWord))
      return;
    uint64_t mark = mine ? old | (me & mark::FullWord) : me;
    Cell found = p.compareExchange(c, isWrite ? Cell{mark, c.r} : Cell{c.w, mark});
    if (found.w == c.w && found.r == c.r)
      return;
    c = found;
  }
}

} // namespace scopesan::gpu

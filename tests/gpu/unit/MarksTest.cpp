// Fast kernels: marks that are handed over, and barriers that no record tells.
#include "Log.h"

using namespace scopesan;
using namespace scopesan::gpu;
using namespace scopesan::gpu::test;
using core::Rule;

namespace {

constexpr uint32_t Tag = 5, Blocks = 4;
constexpr MarkLayout Layout = markLayout(Blocks, false), Ticks = markLayout(Blocks, true);

uint64_t at(Who w, uint32_t phase, uint32_t site, uint32_t level = 0, uint32_t mask = 15,
            uint32_t tag = Tag) {
  return uint64_t(tag) << mark::TagShift | uint64_t(w.block) << Layout.blockShift |
         uint64_t(phase) << Layout.phaseShift | uint64_t(level) << mark::LevelShift |
         uint64_t(w.thread) << mark::ThreadShift | uint64_t(site) << mark::SiteShift | mask;
}
uint64_t several(Who w, uint32_t site, uint32_t level) {
  return at({7, w.thread}, 0, site, level) | uint64_t(w.block) << mark::TimeShift;
}

struct Fast : Launch {
  static constexpr uint32_t FirstSite = 100;
  explicit Fast(KernelMode mode = KernelMode::Syncless, uint32_t blocks = Blocks,
                uint32_t tag = Tag)
      : Launch(blocks, 32) {
    D.beginLaunch(Node);
    ReplayLaunch launch;
    launch.node = Node;
    launch.grid = {blocks, 1, 1};
    launch.threadsPerBlock = 32;
    launch.sharedBytes = 4096;
    launch.stamp = Stamp;
    launch.mode = mode;
    launch.tag = tag;
    launch.layout = markLayout(blocks, mode == KernelMode::Mixed);
    if (tag)
      R.setTag(tag, {Node, launch.layout, FirstSite, mode});
    R.begin(launch);
  }
  Fast &known(Who w, uint64_t mark, bool isRead, uint64_t word = X) {
    add(w, EventKind::Known, mark, uint32_t(word) | isRead, uint32_t(word >> 32));
    Records.back().high = FirstSite;
    return *this;
  }
  Fast &in(uint32_t phase) {
    Records.back().stamp |= phase << 16;
    return *this;
  }
  unsigned races() {
    end();
    return S.count(Rule::DataRace);
  }
};

} // namespace

TEST(Marks, AKnownWriteRacesWithTheAccess) {
  Fast f;
  f.known({1, 0}, at({0, 3}, 0, 7), false).read({1, 0}, X);
  ASSERT_EQ(f.races(), 1u);
  EXPECT_EQ(f.S.findings[0].first.site.value, Fast::FirstSite + 7);
  EXPECT_EQ(f.S.findings[0].first.thread.value, 3u);
  EXPECT_EQ(f.S.findings[0].second.site.value, 2u);
}

/// Where the device has no shadow memory, a block's own cells still hand over marks.
TEST(Marks, SharedMemoryWithoutATag) {
  for (uint32_t phase : {0u, 1u}) {
    Fast f(KernelMode::Syncless, Blocks, /*tag=*/0);
    uint64_t mark = uint64_t(1) << mark::GenerationShift | uint64_t(1) << Layout.phaseShift |
                    3 << mark::ThreadShift | 7 << mark::SiteShift | 15;
    f.known({1, 0}, mark, false, SharedBit | 1024).in(1 + phase);
    f.read({1, 0}, SharedBit | 1024);
    f.in(1 + phase);
    EXPECT_EQ(f.races(), phase ? 0u : 1u);
  }
}

/// Two launches in different domains add to a counter: the scope is that of the site.
TEST(Marks, ScopesOfReadModifyWritesComeFromTheirSites) {
  static scopesan::abi::Site site{};
  for (auto scope : {scopesan::abi::Scope::System, scopesan::abi::Scope::Device}) {
    site.op = scopesan::abi::Op(scopesan::abi::AccessKind::Rmw, scopesan::abi::MemoryOrder::Relaxed,
                                scope)
                  .raw();
    site.bytes = 4;
    Fast f;
    core::LaunchFacts facts;
    facts.grid = {2, 1, 1};
    facts.block = {32, 1, 1};
    facts.domain = {1};
    core::NodeId other = f.D.launch(f.D.newTimeline(), nullptr, 0, facts);
    f.R.setTag(Tag - 1, {other, Layout, 50, KernelMode::Syncless});
    f.R.setSiteEntry([](core::SiteId) -> const scopesan::abi::Site * { return &site; });
    f.known({1, 0}, at({0, 3}, 0, 7, uint32_t(WriteLevel::Strong), 15, Tag - 1), false)
        .add({1, 0}, EventKind::AtomicBefore, X, 4);
    f.end();
    EXPECT_EQ(f.S.findings.size(), scope == scopesan::abi::Scope::System ? 0u : 1u);
  }
}

TEST(Marks, KnownMarksAreNotCheckedAgainstEachOther) {
  Fast f;
  f.known({1, 0}, at({0, 3}, 0, 7), false).known({1, 0}, at({2, 3}, 0, 7), true).end();
  EXPECT_TRUE(f.S.findings.empty());
}

TEST(Marks, PhasesOrderABlock) {
  Fast f;
  f.known({0, 1}, at({0, 0}, 1, 7), false).in(2).read({0, 1}, X);
  f.in(2);
  EXPECT_EQ(f.races(), 0u);
  Fast g;
  g.known({0, 1}, at({0, 0}, 2, 7), false).in(2).read({0, 1}, X);
  g.in(2);
  EXPECT_EQ(g.races(), 1u);
}

TEST(Marks, BlocksThatWerePutAwayKeepTheirPhase) {
  Fast f(KernelMode::Syncless, 1u << 18);
  f.write({0, 0}, X);
  f.in(7);
  for (uint32_t b = 1; b < 1u << 17; ++b)
    f.read({b, 0}, Y);
  f.read({0, 1}, X);
  f.in(7);
  f.read({0, 2}, X);
  f.in(8);
  EXPECT_EQ(f.races(), 1u);
  EXPECT_EQ(f.S.findings[0].second.thread.value, 1u);
}

TEST(Marks, PhasesOrderLoggedAccesses) {
  Fast f;
  f.write({0, 0}, X).read({0, 1}, X);
  f.in(1);
  EXPECT_EQ(f.races(), 0u);
  Fast g;
  g.write({0, 0}, X);
  g.in(1);
  g.read({0, 1}, X);
  g.in(1);
  EXPECT_EQ(g.races(), 1u);
}

TEST(Marks, PhasesAreCountedBeyondSixteenBits) {
  Fast f;
  for (uint32_t p : {0x4000u, 0x8000u, 0xc000u, 0x10000u}) {
    f.write({0, 0}, Y);
    f.in(p & 0xffff);
  }
  f.known({0, 1}, at({0, 0}, 0xffff, 7), false).in(0).read({0, 1}, X);
  f.in(0);
  EXPECT_EQ(f.races(), 0u);
}

TEST(Marks, ReadersOfSeveralThreads) {
  // The writer is the thread that the mark names: another one has read, too.
  Fast f;
  f.known({0, 4}, at({0, 4}, 0, 7, uint32_t(ReadLevel::Block)), true).write({0, 4}, X);
  EXPECT_EQ(f.races(), 1u);
  Fast g;
  g.known({0, 4}, several({0, 4}, 7, uint32_t(ReadLevel::Grid)), true).write({0, 4}, X);
  EXPECT_EQ(g.races(), 1u);
  Fast h; // one barrier later
  h.known({0, 4}, at({0, 4}, 0, 7, uint32_t(ReadLevel::Block)), true).in(1).write({0, 4}, X);
  h.in(1);
  EXPECT_EQ(h.races(), 0u);
}

TEST(Marks, NonCoherentReaders) {
  Fast f;
  f.known({0, 4},
          several({0, 4}, 7, uint32_t(ReadLevel::NonCoherent)) | uint64_t(1)
                                                                     << (Layout.blockShift - 1),
          true)
      .in(3)
      .write({0, 4}, X);
  f.in(3);
  f.end();
  EXPECT_EQ(f.S.count(Rule::NonCoherentRead), 1u);
}

TEST(Marks, StrongWritesDoNotRaceWithEachOther) {
  constexpr scopesan::abi::Op Add(scopesan::abi::AccessKind::Red,
                                  scopesan::abi::MemoryOrder::Relaxed,
                                  scopesan::abi::Scope::Device);
  Fast f;
  f.known({1, 0}, at({0, 3}, 0, 7, uint32_t(WriteLevel::Strong)), false).before({1, 0}, X, Add);
  EXPECT_EQ(f.races(), 0u);
  Fast g;
  g.known({1, 0}, at({0, 3}, 0, 7), false).before({1, 0}, X, Add);
  EXPECT_EQ(g.races(), 1u);
}

TEST(Marks, PartsOfAWordAreApart) {
  Fast f;
  f.known({1, 0}, at({0, 3}, 0, 7, 0, 3), false).write({1, 0}, X + 2, 2);
  EXPECT_EQ(f.races(), 0u);
}

TEST(Marks, SharedMemoryBelongsToTheBlock) {
  uint64_t mark = uint64_t(9) << mark::GenerationShift | uint64_t(1) << Layout.phaseShift |
                  uint64_t(3) << mark::ThreadShift | 7 << mark::SiteShift | 15;
  Fast f;
  f.known({1, 0}, mark, false, SharedBit | 1024).in(1).read({1, 0}, SharedBit | 1024);
  f.in(1);
  f.read({2, 0}, SharedBit | 1024);
  EXPECT_EQ(f.races(), 1u);
}

TEST(Marks, OtherLaunches) {
  for (bool ordered : {false, true}) {
    Fast f;
    f.end();
    core::LaunchFacts facts;
    facts.grid = {Blocks, 1, 1};
    facts.block = {32, 1, 1};
    core::NodeId next = f.D.launch(f.D.newTimeline(), &f.Node, ordered, facts);
    ReplayLaunch launch;
    launch.node = next;
    launch.grid = facts.grid;
    launch.threadsPerBlock = 32;
    launch.stamp = Launch::Stamp;
    launch.mode = KernelMode::Syncless;
    launch.tag = Tag + 1;
    f.R.setTag(Tag + 1, {next, Layout, 500, KernelMode::Syncless});
    f.R.begin(launch);
    f.Records.clear();
    f.known({1, 0}, at({3, 3}, 0, 7), false).read({1, 0}, X);
    EXPECT_EQ(f.races(), ordered ? 0u : 1u);
    if (!ordered) {
      EXPECT_EQ(f.S.findings[0].first.site.value, Fast::FirstSite + 7);
    }
  }
}

TEST(Marks, CandidatesOfCopies) {
  Fast f;
  f.add({0, 0}, EventKind::Operands, at({2, 3}, 0, 7), 0, 1);
  f.add({0, 0}, EventKind::Candidate, X, 4 | 15 << candidate::MaskShift,
        scopesan::abi::Op(scopesan::abi::AccessKind::Store, scopesan::abi::MemoryOrder::Weak,
                          scopesan::abi::Scope::Thread)
            .raw());
  EXPECT_EQ(f.races(), 1u);
}

// ---------------------------------------------------------------- mixed kernels

namespace {

uint64_t ticked(Who w, uint32_t phase, uint32_t tick, uint32_t site, uint32_t level = 0) {
  uint64_t ticks = (uint64_t(1) << (Ticks.phaseShift - mark::TimeShift)) - 1;
  return uint64_t(Tag) << mark::TagShift | uint64_t(w.block) << Ticks.blockShift |
         uint64_t(phase) << Ticks.phaseShift | (level ? ticks : uint64_t(tick)) << mark::TimeShift |
         uint64_t(level) << mark::LevelShift | uint64_t(w.thread) << mark::ThreadShift |
         uint64_t(site) << mark::SiteShift | 15;
}

struct Mixed : Fast {
  explicit Mixed(uint32_t blocks = Blocks) : Fast(KernelMode::Mixed, blocks) {}
  /// A release store or an acquire load of `Flag`, at the thread's tick.
  Mixed &release(Who w, uint32_t tick, uint64_t value, uint32_t phase = 0) {
    before(w, Flag, StoreRelease);
    Records.back().low |= tick << 8;
    in(phase);
    stored(w, value);
    in(phase);
    return *this;
  }
  Mixed &acquire(Who w, uint32_t tick, uint64_t value, uint32_t phase = 0) {
    before(w, Flag, LoadAcquire);
    Records.back().low |= tick << 8;
    in(phase);
    got(w, value);
    in(phase);
    return *this;
  }
  Mixed &warp(Who w, uint32_t tick, uint32_t mask = ~0u) {
    add(w, EventKind::WarpArrive, tick, mask);
    return *this;
  }
};

} // namespace

TEST(Marks, TicksTellWhatWasReleased) {
  for (uint32_t tick : {0u, 1u}) { // the write comes before the release, or after it
    Mixed f;
    f.release({0, 3}, 0, 1).acquire({1, 0}, 0, 1);
    f.known({1, 0}, ticked({0, 3}, 0, tick, 7), false).read({1, 0}, X);
    EXPECT_EQ(f.races(), tick) << tick;
  }
}

TEST(Marks, TicksOfSeveralReleases) {
  for (uint32_t tick : {0u, 1u, 2u}) {
    Mixed f;
    f.release({0, 3}, 0, 1).acquire({1, 0}, 0, 1);
    f.release({0, 3}, 1, 2).release({0, 3}, 2, 3);
    f.known({1, 0}, ticked({0, 3}, 0, tick, 7), false).read({1, 0}, X);
    EXPECT_EQ(f.races(), tick ? 1u : 0u) << tick;
  }
}

TEST(Marks, BarriersOfTheBlockCarryWhatTheirThreadsAcquired) {
  for (uint32_t phase : {0u, 1u}) { // thread 5 reads without the barrier, or after it
    Mixed f;
    f.release({0, 3}, 0, 1).acquire({1, 0}, 0, 1);
    f.known({1, 5}, ticked({0, 3}, 0, 0, 7), false).in(phase).read({1, 5}, X);
    f.in(phase);
    EXPECT_EQ(f.races(), phase ? 0u : 1u);
  }
}

TEST(Marks, ReleasesAfterABarrierPublishTheBlock) {
  for (uint32_t phase : {0u, 1u}) { // another thread's write before the barrier, or after it
    Mixed f;
    f.release({0, 3}, 0, 1, 1).acquire({1, 0}, 0, 1);
    f.known({1, 0}, ticked({0, 9}, phase, 0, 7), false).read({1, 0}, X);
    EXPECT_EQ(f.races(), phase);
  }
}

TEST(Marks, TicksBeginAnewInEachPhase) {
  for (uint32_t tick : {0u, 1u}) {
    Mixed f;
    f.release({0, 3}, 0, 1).release({0, 3}, 1, 2).release({0, 3}, 0, 3, 1);
    f.acquire({1, 0}, 0, 3);
    f.known({1, 0}, ticked({0, 3}, 1, tick, 7), false).read({1, 0}, X);
    EXPECT_EQ(f.races(), tick);
  }
}

TEST(Marks, MarksOfThreadsThatEnded) {
  for (uint32_t tick : {0u, 1u}) {
    Mixed f;
    f.release({0, 3}, 0, 1);
    f.add({0, 0}, EventKind::Exit, 0, ~0u);
    f.acquire({1, 0}, 0, 1);
    f.known({1, 0}, ticked({0, 3}, 0, tick, 7), false).read({1, 0}, X);
    EXPECT_EQ(f.races(), tick);
  }
}

TEST(Marks, MarksAfterGridBarriersNameTheirBlock) {
  for (uint32_t block : {0u, 1u}) {
    Mixed f;
    MarkLayout l = markLayout(Blocks, true, true);
    f.R.setTag(Tag, {f.Node, l, Fast::FirstSite, KernelMode::Mixed});
    uint64_t mark = uint64_t(Tag) << mark::TagShift | uint64_t(3) << l.epochShift |
                    uint64_t(block) << l.blockShift | uint64_t(6) << l.phaseShift |
                    uint64_t(3) << mark::ThreadShift | 7 << mark::SiteShift | 15;
    f.known({1, 3}, mark, false).in(6).read({1, 3}, X);
    f.in(6);
    EXPECT_EQ(f.races(), block ? 0u : 1u);
  }
}

TEST(Marks, BarriersOfTheWarp) {
  for (uint32_t tick : {0u, 1u}) { // lane 3 writes before the barrier, or after it
    Mixed f;
    for (uint32_t lane = 0; lane < 32; ++lane)
      f.warp({0, lane}, 0);
    f.known({0, 4}, ticked({0, 3}, 0, tick, 7), false).read({0, 4}, X);
    EXPECT_EQ(f.races(), tick);
  }
}

TEST(Marks, OneRecordForTheLanesOfABarrier) {
  for (uint32_t tick : {0u, 1u}) {
    Mixed f;
    f.warp({0, 2}, 0);
    f.Records.back().extra = ~0u;
    f.known({0, 4}, ticked({0, 3}, 0, tick, 7), false).read({0, 4}, X);
    EXPECT_EQ(f.races(), tick);
  }
}

TEST(Marks, ReadersOfMixedKernelsThatAreNotKnown) {
  // The named reader, block 0, is ordered before the writer; nobody knows the others.
  Mixed f;
  f.release({0, 3}, 0, 1).acquire({1, 0}, 0, 1);
  f.known({1, 0}, several({0, 3}, 7, uint32_t(ReadLevel::Grid)), true).write({1, 0}, X);
  EXPECT_EQ(f.races(), 0u);
  EXPECT_EQ(f.R.lostReaders(), 1u);
  Mixed g; // not ordered at all: a race
  g.known({1, 0}, several({0, 3}, 7, uint32_t(ReadLevel::Grid)), true).write({1, 0}, X);
  EXPECT_EQ(g.races(), 1u);
  Mixed h; // the others are of the own block, before its barrier
  h.known({1, 0}, ticked({1, 3}, 0, 0, 7, uint32_t(ReadLevel::Block)), true).in(1).write({1, 0}, X);
  h.in(1);
  EXPECT_EQ(h.races(), 0u);
  EXPECT_EQ(h.R.lostReaders(), 0u);
}

// ---------------------------------------------------------------- loads that were repeated

namespace {

/// The load that `w` began has read `from` again and again, and then `to`.
void changes(Fast &f, Who w, uint64_t from, uint64_t to, uint32_t more = 1) {
  f.after(w, from, more, ValueKnown | ChangeFollows);
  f.after(w, to, 0, ValueKnown);
}

} // namespace

TEST(Marks, ARepeatedLoadAcquiresWhatItReadLast) {
  for (scopesan::abi::Op op : {StoreRelease, StoreRelaxed}) {
    Fast f(KernelMode::Mixed);
    f.store({2, 0}, Flag, 5, StoreRelaxed);
    f.before({1, 0}, Flag, LoadAcquire);
    f.write({0, 0}, X).store({0, 0}, Flag, 1, op);
    changes(f, {1, 0}, 5, 1);
    f.read({1, 0}, X);
    EXPECT_EQ(f.races(), op.raw() == StoreRelease.raw() ? 0u : 1u);
    EXPECT_TRUE(f.S.gaveUps.empty());
  }
}

TEST(Marks, ARepeatedLoadAcquiresWhatItReadFirst) {
  Fast f(KernelMode::Mixed);
  f.write({0, 0}, X).store({0, 0}, Flag, 1);
  f.before({1, 0}, Flag, LoadAcquire);
  f.write({2, 0}, Y).store({2, 0}, Flag, 2);
  changes(f, {1, 0}, 1, 2);
  f.read({1, 0}, X).read({1, 0}, Y);
  EXPECT_EQ(f.races(), 0u);
  EXPECT_EQ(f.R.locations().unplaced(), 0u);
}

TEST(Marks, ARepeatedLoadThatOthersOverwriteMeanwhile) {
  Fast f(KernelMode::Mixed);
  f.before({1, 0}, Flag, LoadAcquire);
  f.write({0, 0}, X).store({0, 0}, Flag, 1);
  f.store({2, 0}, Flag, 2, StoreRelaxed); // after the load's last turn, before its ticket
  f.fence({2, 0}, scopesan::abi::Scope::Device);
  changes(f, {1, 0}, 0, 1);
  f.read({1, 0}, X);
  EXPECT_EQ(f.races(), 0u);
  EXPECT_EQ(f.R.locations().unplaced(), 0u);
}

TEST(Marks, ARepeatedLoadIsAWait) {
  for (uint32_t more : {0u, 3u}) {
    Fast f(KernelMode::Mixed);
    f.store({2, 0}, Flag, 5, StoreRelaxed);
    f.before({1, 0}, Flag, LoadAcquire).store({0, 0}, Flag, 1);
    changes(f, {1, 0}, 5, 1, more);
    f.read({1, 0}, X);
    EXPECT_EQ(f.races(), 0u);
    EXPECT_EQ(f.S.count(Rule::ProgressNotPromised), more ? 1u : 0u);
  }
}

TEST(Marks, TheChangeOfARepeatedLoadIsAwaited) {
  Fast f(KernelMode::Mixed);
  f.before({1, 0}, Flag, LoadAcquire);
  f.write({0, 0}, X).store({0, 0}, Flag, 1);
  f.after({1, 0}, 0, 0, ValueKnown | ChangeFollows);
  f.scan(/*final=*/false); // the second record has not been written
  f.after({1, 0}, 1, 0, ValueKnown);
  f.read({1, 0}, X);
  EXPECT_EQ(f.races(), 0u);
}

// ---------------------------------------------------------------- barriers that nothing tells of

TEST(Marks, SeveralBarriersAtOnceAreBarriersOneByOne) {
  Fast f(KernelMode::Mixed);
  f.write({0, 0}, X);
  f.in(0);
  f.fence({0, 0}, scopesan::abi::Scope::Device);
  f.in(0);
  f.read({0, 1}, X);
  f.in(5);
  f.write({0, 2}, Y);
  f.in(5);
  f.fence({0, 2}, scopesan::abi::Scope::Device);
  f.in(5);
  f.write({0, 3}, Y);
  f.in(5);
  EXPECT_EQ(f.races(), 1u); // of phase 5
}

TEST(Marks, AMarkOfABarrierThatWasSkippedIsOfItsOwnPhase) {
  uint64_t word = 0x7f0000009000;
  auto ticked = [&](Who w, uint32_t phase) {
    return uint64_t(Tag) << mark::TagShift | uint64_t(w.block) << Ticks.blockShift |
           uint64_t(phase) << Ticks.phaseShift | uint64_t(w.thread) << mark::ThreadShift | 15;
  };
  for (uint32_t phase : {3u, 5u}) {
    Fast f(KernelMode::Mixed);
    f.fence({0, 0}, scopesan::abi::Scope::Device);
    f.in(0);
    f.fence({0, 1}, scopesan::abi::Scope::Device);
    f.in(5);
    f.known({0, 1}, ticked({0, 2}, phase), false, word);
    f.in(5);
    f.read({0, 1}, word);
    f.in(5);
    EXPECT_EQ(f.races(), phase == 5 ? 1u : 0u);
  }
}

// The order of overlapping atomic operations follows from their values.
#include "Log.h"

#include <random>

using namespace scopesan;
using namespace scopesan::gpu;
using namespace scopesan::gpu::test;
using core::Rule;

namespace {
constexpr Who A{0, 0}, B{1, 0}, C{2, 0};
}

TEST(Locations, MessagePassing) {
  Launch l;
  l.write(A, X).store(A, Flag, 1).load(B, Flag, 0).load(B, Flag, 1).read(B, X).end();
  EXPECT_TRUE(l.S.findings.empty());
}

TEST(Locations, ReadOfTheOldValueIsNoEdge) {
  Launch l; // B looked while the store was pending, did not see it, and went on
  l.write(A, X).load(B, Flag, 0).before(A, Flag, StoreRelease).before(B, Flag, LoadAcquire);
  l.stored(A, 1).got(B, 0).read(B, X).end();
  EXPECT_EQ(l.S.count(Rule::DataRace), 1u);
}

TEST(Locations, PendingStoreIsReadBeforeItsSecondTicket) {
  Launch l;
  l.write(A, X).load(B, Flag, 0).before(A, Flag, StoreRelease).before(B, Flag, LoadAcquire);
  l.got(B, 1).stored(A, 1).read(B, X).end();
  EXPECT_TRUE(l.S.findings.empty());
}

TEST(Locations, LoadThatActedBeforeALaterStore) {
  Launch l(3); // C's store replaces the value, but B had read A's
  l.write(A, X).store(A, Flag, 1).exit(A).before(B, Flag, LoadAcquire);
  l.store(C, Flag, 2, StoreRelaxed).exit(C).got(B, 1).read(B, X).end();
  EXPECT_TRUE(l.S.findings.empty());
  EXPECT_EQ(l.R.locations().unplaced(), 0u);
}

TEST(Locations, RmwChainByValues) {
  Launch l(3); // tickets end in the order C, B, A; the values say A, B, C
  l.store(A, Flag, 0, StoreRelaxed).write(A, X);
  l.before(A, Flag, RmwAcqRel).before(B, Flag, RmwAcqRel).before(C, Flag, RmwAcqRel);
  l.changed(C, 2, 3).changed(B, 1, 2).changed(A, 0, 1).read(C, X).end();
  EXPECT_TRUE(l.S.findings.empty());
  EXPECT_EQ(l.R.locations().unplaced(), 0u);
}

TEST(Locations, RmwChainFromAnUnknownValue) {
  Launch l(3);
  l.write(A, X).before(A, Flag, RmwAcqRel).before(B, Flag, RmwAcqRel);
  l.changed(B, 6, 7).changed(A, 5, 6).read(B, X).end();
  EXPECT_TRUE(l.S.findings.empty());
}

TEST(Locations, EarlierRmwGetsNoEdgeFromALaterOne) {
  Launch l;
  l.write(A, X).before(A, Flag, RmwAcqRel).before(B, Flag, RmwAcqRel);
  l.changed(B, 5, 6).changed(A, 6, 7).read(B, X).end();
  EXPECT_EQ(l.S.count(Rule::DataRace), 1u);
}

TEST(Locations, LockHandedOver) {
  Launch l; // B's successful exchange ends before A's unlocking store's second ticket
  l.before(A, Flag, CasAcqRel).changed(A, 0, 1).write(A, X);
  l.before(B, Flag, CasAcqRel).before(A, Flag, StoreRelease).changed(B, 0, 1).stored(A, 0);
  l.write(B, X).end();
  EXPECT_TRUE(l.S.findings.empty());
  EXPECT_EQ(l.R.locations().unplaced(), 0u);
}

TEST(Locations, FailedExchangeReads) {
  Launch l;
  l.before(A, Flag, CasAcqRel).before(B, Flag, CasAcqRel).failed(B, 1, 1).changed(A, 0, 1).end();
  EXPECT_EQ(l.R.locations().unplaced(), 0u);
}

TEST(Locations, ValueThatNothingExplainsIsCounted) {
  Launch l;
  l.store(A, Flag, 1).exit(A).load(B, Flag, 9).read(B, Y).end();
  EXPECT_EQ(l.R.locations().unplaced(), 1u);
}

TEST(Locations, SameValueTwiceKeepsBothEdges) {
  Launch l(3); // B read 1: from A or from C
  l.write(A, X).write(C, Y).store(A, Flag, 1).exit(A).before(B, Flag, LoadAcquire);
  l.store(C, Flag, 1).exit(C).got(B, 1).read(B, X).read(B, Y).end();
  EXPECT_TRUE(l.S.findings.empty());
  EXPECT_EQ(l.R.locations().ambiguous(), 1u);
}

TEST(Locations, WeakWriteMakesTheValueUnknown) {
  Launch l;
  l.store(A, Flag, 1).write(A, Flag).load(A, Flag, 5).end();
  EXPECT_EQ(l.R.locations().unplaced(), 0u);
}

namespace {
unsigned racesAt(const Launch &l, uint64_t address) {
  unsigned n = 0;
  for (const core::Finding &f : l.S.findings)
    n += f.rule == Rule::DataRace && f.first.address == address;
  return n;
}
} // namespace

TEST(Locations, OlderValueAfterARacingPlainStore) {
  Launch l(3); // C's plain store may not have arrived when B looked
  l.write(A, X)
      .store(A, Flag, 1)
      .exit(A)
      .write(C, Flag)
      .read(C, Y)
      .load(B, Flag, 1)
      .read(B, X)
      .end();
  EXPECT_EQ(racesAt(l, X), 0u);
  EXPECT_EQ(racesAt(l, Flag), l.S.findings.size());
  EXPECT_GE(racesAt(l, Flag), 1u);
  EXPECT_EQ(l.R.locations().ambiguous(), 1u);
}

TEST(Locations, OlderValueOfAnRmwAfterARacingPlainStore) {
  Launch l(3);
  l.write(A, X).store(A, Flag, 1).exit(A).write(C, Flag).read(C, Y);
  l.before(B, Flag, RmwAcqRel).changed(B, 1, 2).read(B, X).end();
  EXPECT_EQ(racesAt(l, X), 0u);
  EXPECT_EQ(l.R.locations().ambiguous(), 1u);
}

TEST(Locations, NewValueOfARacingPlainStore) {
  Launch l(3);
  l.write(A, X).store(A, Flag, 1).exit(A).write(C, Flag).load(B, Flag, 2).read(B, X).end();
  EXPECT_EQ(racesAt(l, X), 1u);
  EXPECT_EQ(l.R.locations().ambiguous(), 0u);
}

TEST(Locations, PlainStoreThatComesBeforeTheRead) {
  Launch l(3); // a reset that everybody knows of: the same value is a new one
  l.write(A, X).store(A, Flag, 1).write(A, Flag).store(A, Y, 1);
  l.load(B, Y, 1).load(B, Flag, 1).end();
  EXPECT_TRUE(l.S.findings.empty());
  EXPECT_EQ(l.R.locations().ambiguous(), 0u);
}

TEST(Locations, ReadBesideTheFirstRmw) {
  Launch l; // the exchange tells what B can have read before it
  l.before(B, Flag, LoadAcquire).before(A, Flag, RmwAcqRel).changed(A, 4, 3).got(B, 4).read(B, Y);
  l.end();
  EXPECT_EQ(l.R.locations().unplaced(), 0u);
}

TEST(Locations, ReductionsThatArriveLate) {
  constexpr scopesan::abi::Op Red(scopesan::abi::AccessKind::Red,
                                  scopesan::abi::MemoryOrder::Relaxed,
                                  scopesan::abi::Scope::Device);
  Launch l; // the thread went on, the sum changed later
  l.load(B, Flag, 4).before(A, Flag, Red).after(A, 0, 0, Wrote).write(A, X);
  l.load(B, Flag, 4).read(B, Y).load(B, Flag, 3).end();
  EXPECT_EQ(l.R.locations().unplaced(), 0u);
}

TEST(Locations, ManyThreadsOfOneCounter) {
  constexpr uint32_t Threads = 1024;
  Launch l(Threads, 1);
  for (uint32_t i = 0; i < Threads; ++i)
    l.before({i, 0}, Flag, RmwAcqRel);
  for (uint32_t i = Threads; i-- > 0;)
    l.changed({i, 0}, i, i + 1);
  l.end();
  EXPECT_EQ(l.R.locations().unplaced(), 0u);
}

namespace {
/// Values that operations of a random execution leave.
enum class Values { Rise, RiseAndFall, Wrap, Exchange };

/// Threads add, exchange, store and look, with overlapping windows. Each reads what was written
/// before the operations that acted before its own: no race.
class Execution {
public:
  /// `stores`: of ten changes, so many are plain strong stores; every third of them is relaxed.
  Execution(uint32_t seed, uint32_t threads, Values kind, unsigned stores = 0)
      : Random(seed), Kind(kind), Stores(stores), Threads(threads), L(threads) {}

  void run(uint64_t initial, bool isKnown, unsigned operations) {
    Value = initial;
    if (isKnown)
      L.R.locations().holds(Flag, 4, Content::ofFill(uint32_t(initial), 4));
    for (unsigned left = operations * unsigned(Threads.size()); left--;) {
      auto i = uint32_t(Random() % Threads.size());
      step({i, 0}, Threads[i]);
    }
    for (uint32_t i = 0; i < Threads.size(); ++i)
      while (Threads[i].at != Idle)
        step({i, 0}, Threads[i]);
    L.end();
  }
  uint64_t unplaced() { return L.R.locations().unplaced(); }
  size_t findings() { return L.S.count(Rule::DataRace); }

private:
  enum Point { Idle, Begun, Acted };
  struct State {
    Point at = Idle;
    enum { Looks, Changes, Releases, Sets } does = Looks;
    bool isRecorded = false; ///< a store may act after its second ticket
    uint64_t read = 0, written = 0, data = 0;
    std::vector<uint64_t> learned; ///< words that it may read
  };

  uint64_t next() {
    switch (Kind) {
    case Values::Rise:
      return Value + 1;
    case Values::RiseAndFall:
      return Value + (Random() % 2 ? 1 : -1);
    case Values::Wrap:
      return (Value + 1) % 3;
    case Values::Exchange:
      return Random() % 3;
    }
    return 0;
  }
  static bool isStore(const State &t) { return t.does == State::Releases || t.does == State::Sets; }
  static scopesan::abi::Op operation(const State &t) {
    return t.does == State::Looks      ? LoadAcquire
           : t.does == State::Changes  ? RmwAcqRel
           : t.does == State::Releases ? StoreRelease
                                       : StoreRelaxed;
  }
  void step(Who w, State &t) {
    switch (t.at) {
    case Idle:
      t.does = Random() % 2 ? State::Looks : State::Changes;
      if (t.does == State::Changes && Random() % 10 < Stores)
        t.does = Random() % 3 ? State::Releases : State::Sets;
      t.data = X + 4 * ++Words;
      t.isRecorded = false;
      t.learned.clear();
      L.write(w, t.data).before(w, Flag, operation(t));
      t.at = Begun;
      return;
    case Begun:
      if (!isStore(t)) {
        t.read = Value;
        t.learned = Released;
      } else if (!t.isRecorded && Random() % 2) {
        t.isRecorded = true;
        t.written = uint32_t(next());
        L.stored(w, t.written);
        return;
      }
      if (t.does != State::Looks) {
        if (!t.isRecorded)
          t.written = uint32_t(next());
        Value = t.written;
      }
      if (isStore(t))
        Released.clear();
      if (t.does == State::Changes || t.does == State::Releases)
        Released.push_back(t.data);
      t.at = Acted;
      return;
    case Acted:
      if (t.does == State::Looks)
        L.got(w, t.read);
      else if (t.does == State::Changes)
        L.changed(w, t.read, t.written);
      else if (!t.isRecorded)
        L.stored(w, t.written);
      if (!t.learned.empty())
        L.read(w, t.learned[Random() % t.learned.size()]);
      t.at = Idle;
    }
  }

  std::minstd_rand Random;
  Values Kind;
  unsigned Stores;
  uint64_t Value = 0, Words = 0;
  std::vector<uint64_t> Released; ///< words written before operations that have acted
  std::vector<State> Threads;
  Launch L;
};

} // namespace

TEST(Locations, CountersOfRandomExecutionsFit) {
  for (uint32_t seed = 1; seed <= 400; ++seed)
    for (bool isKnown : {true, false}) {
      Execution e(seed, 2 + seed % 5, Values::Rise);
      e.run(seed % 7, isKnown, 40);
      EXPECT_EQ(e.unplaced(), 0u) << seed;
      EXPECT_EQ(e.findings(), 0u) << seed;
    }
}

TEST(Locations, NoRandomExecutionIsAFalseRace) {
  for (Values kind : {Values::RiseAndFall, Values::Wrap, Values::Exchange})
    for (unsigned operations : {3, 6, 40})
      for (uint32_t seed = 1; seed <= 600; ++seed)
        for (bool isKnown : {true, false}) {
          Execution e(seed, 2 + seed % 6, kind);
          e.run(seed % 3, isKnown, operations);
          EXPECT_EQ(e.findings(), 0u) << int(kind) << ", seed " << seed << ", operations "
                                      << operations << (isKnown ? ", known" : ", unknown");
        }
}

TEST(Locations, NoRandomExecutionWithStoresIsAFalseRace) {
  for (Values kind : {Values::Rise, Values::RiseAndFall, Values::Wrap, Values::Exchange})
    for (unsigned stores : {2, 6, 10})
      for (unsigned operations : {3, 6, 40})
        for (uint32_t seed = 1; seed <= 200; ++seed)
          for (bool isKnown : {true, false}) {
            Execution e(seed, 2 + seed % 6, kind, stores);
            e.run(seed % 3, isKnown, operations);
            EXPECT_EQ(e.findings(), 0u)
                << int(kind) << ", seed " << seed << ", operations " << operations << ", stores "
                << stores << (isKnown ? ", known" : ", unknown");
          }
}

TEST(Locations, OneWriterBesidePollingReadersIsExact) {
  // A sequence number: odd while its data is written (relaxed), even and released after.
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    std::minstd_rand random(seed);
    const uint32_t readers = 1 + seed % 4;
    Launch l(readers + 1);
    l.R.locations().holds(Flag, 4, Content::ofFill(0, 4));
    l.store(A, Flag, 1, StoreRelaxed);
    uint64_t value = 1;
    struct Reader {
      bool begun = false, acted = false;
      uint64_t read = 0;
    };
    std::vector<Reader> all(readers);
    for (unsigned steps = 200; steps--;) {
      auto i = uint32_t(random() % (readers + 1));
      if (i == 0) {
        bool isOdd = value % 2;
        if (isOdd)
          l.write(A, X + 4 * value);
        l.before(A, Flag, isOdd ? StoreRelease : StoreRelaxed).stored(A, ++value);
        l.write(A, Y); // its thread goes on: the store has acted
        continue;
      }
      Reader &r = all[i - 1];
      if (!r.begun)
        l.before({i, 0}, Flag, LoadAcquire), r = {true};
      else if (!r.acted)
        r.acted = true, r.read = value;
      else {
        l.got({i, 0}, r.read);
        if (r.read % 2 == 0)
          l.read({i, 0}, X + 4 * (r.read - 1));
        r = {};
      }
    }
    l.end();
    EXPECT_TRUE(l.S.findings.empty()) << seed;
    EXPECT_EQ(l.R.locations().ambiguous(), 0u) << seed;
    EXPECT_EQ(l.R.locations().unplaced(), 0u) << seed;
  }
}

TEST(Locations, FencesAroundRelaxedFlag) {
  constexpr scopesan::abi::Op LoadRelaxed(scopesan::abi::AccessKind::Load,
                                          scopesan::abi::MemoryOrder::Relaxed,
                                          scopesan::abi::Scope::Device);
  Launch l;
  l.write(A, X).fence(A, scopesan::abi::Scope::Device).store(A, Flag, 1, StoreRelaxed);
  l.load(B, Flag, 1, LoadRelaxed).fence(B, scopesan::abi::Scope::Device).read(B, X).end();
  EXPECT_TRUE(l.S.findings.empty());
  Launch m;
  m.write(A, X).fence(A, scopesan::abi::Scope::Block).store(A, Flag, 1, StoreRelaxed);
  m.load(B, Flag, 1, LoadRelaxed).fence(B, scopesan::abi::Scope::Device).read(B, X).end();
  EXPECT_EQ(m.S.count(Rule::InsufficientScope), 1u);
}

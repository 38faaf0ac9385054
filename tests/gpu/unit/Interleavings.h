// A few threads, the shadow protocol as their program, and every order of their atomic steps.
//
// Each thread makes a list of accesses of one word. The steps of a Port are the atomic steps; every
// schedule of two threads is run, and every schedule of three that takes the processor from a
// thread that could go on at most Preemptions times. What the protocol tells (marks and whole
// accesses, in ticket order) is judged as the host does it; the oracle is the list of pairs that
// conflict and are not ordered.
#pragma once

#include "device/block_cells.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <ucontext.h>
#include <vector>

namespace scopesan::gpu::test {

enum class Kind { Write, Read, Rmw, NonCoherent };

struct Access {
  Kind kind;
  uint32_t bytes = 15;
  uint32_t phase = 0; ///< block barriers before it; the scheduler lets nobody enter a phase early
  uint32_t tick = 0;
  uint32_t warpTick = 0; ///< of the last barrier of the warp; nobody passes it early
  uint32_t epoch = 0;    ///< grid barriers before it
};

struct ThreadPlan {
  uint32_t tag, block, thread;
  std::vector<Access> accesses;
  bool logged = false; ///< the kernel logs every event
};

struct Setup {
  bool shared = false, mixed = false;
  uint64_t oldestTag = 5;
  std::vector<ThreadPlan> threads;
  bool packed = false; ///< cells in the block's shared memory
  bool keepsReaders = false;
};

/// One access as the oracle and the judge see it.
struct Event {
  size_t thread = 0, access = 0;
  auto operator<=>(const Event &) const = default;
};
using Pair = std::pair<Event, Event>;

class World {
public:
  explicit World(const Setup &s) : S(s) {}

  bool isWrite(Event e) const {
    Kind k = of(e).kind;
    return k == Kind::Write || k == Kind::Rmw;
  }
  const Access &of(Event e) const { return S.threads[e.thread].accesses[e.access]; }
  bool races(Event x, Event y) const {
    const ThreadPlan &a = S.threads[x.thread], &b = S.threads[y.thread];
    const Access &p = of(x), &q = of(y);
    if (!(p.bytes & q.bytes) || (!isWrite(x) && !isWrite(y)))
      return false;
    if (a.tag == b.tag && (p.kind == Kind::NonCoherent || q.kind == Kind::NonCoherent))
      return true; // O6
    if (a.tag != b.tag && std::min(a.tag, b.tag) < S.oldestTag)
      return false;
    if (x.thread == y.thread || (p.kind == Kind::Rmw && q.kind == Kind::Rmw))
      return false;
    if (a.tag == b.tag && p.epoch != q.epoch)
      return false;
    if (a.tag == b.tag && a.block == b.block && a.thread / 32 == b.thread / 32 &&
        (p.tick < q.warpTick || q.tick < p.warpTick))
      return false;
    return a.tag != b.tag || a.block != b.block || p.phase == q.phase;
  }
  std::set<Pair> oracle() const {
    std::set<Pair> result;
    std::vector<Event> all = events();
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = i + 1; j < all.size(); ++j)
        if (races(all[i], all[j]))
          result.insert({all[i], all[j]});
    return result;
  }
  std::vector<Event> events() const {
    std::vector<Event> all;
    for (size_t t = 0; t < S.threads.size(); ++t)
      for (size_t i = 0; i < S.threads[t].accesses.size(); ++i)
        all.push_back({t, i});
    return all;
  }
  /// Accesses that `m` stands for, or may stand for where it names one of several.
  std::vector<Event> standsFor(uint64_t m, bool isRead) const {
    std::vector<Event> result;
    for (Event e : events()) {
      if (S.threads[e.thread].logged) { // one of the launch
        if (m >> mark::TagShift == S.threads[e.thread].tag && isRead != isWrite(e))
          result.push_back(e);
        continue;
      }
      uint64_t exact = markOf(e);
      bool rmw = of(e).kind == Kind::Rmw;
      if (isRead ? isWrite(e) : !isWrite(e))
        continue;
      uint64_t level = m & mark::LevelBits;
      uint64_t site = m & mark::SiteBits;
      // One of several: the host takes it for another one where it is not the one in question.
      if (mark::level(m) >= (isRead ? 1u : 2u)) {
        bool wide = mark::level(m) >= (isRead ? 2u : 3u);
        bool samePhase = ((m ^ exact) & actor(e).phaseMask) == 0;
        bool proxy = isRead && mark::level(m) == uint32_t(ReadLevel::NonCoherent);
        if ((wide ? isSameLaunch(actor(e), m) : samePhase) &&
            (isRead ? proxy == (of(e).kind == Kind::NonCoherent) : rmw))
          result.push_back(e);
        continue;
      }
      if (site == (exact & mark::SiteBits) &&
          (m & mark::ThreadBits) == (exact & mark::ThreadBits) && rmw == (!isRead && level != 0))
        result.push_back(e);
    }
    return result;
  }
  uint64_t markOf(Event e) const {
    Actor a = actor(e);
    uint64_t site = (e.thread * 8 + e.access + 1) << mark::SiteShift;
    return a.me | site | of(e).bytes;
  }
  Actor actor(Event e) const {
    const ThreadPlan &t = S.threads[e.thread];
    MarkLayout l = markLayout(6, S.mixed, S.mixed);
    Actor a{};
    a.shared = S.shared;
    a.mixed = S.mixed;
    uint32_t shift = S.shared ? mark::GenerationShift : l.blockShift;
    a.blockMask = ~uint64_t(0) << shift;
    a.phaseMask = ~uint64_t(0) << l.phaseShift;
    uint64_t base = S.shared
                        ? uint64_t(t.tag) << mark::GenerationShift
                        : uint64_t(t.tag) << mark::TagShift | uint64_t(t.block) << l.blockShift;
    a.oldest = S.shared ? base : S.oldestTag << mark::TagShift;
    a.me = base | uint64_t(of(e).phase) << l.phaseShift | uint64_t(of(e).tick) << mark::TimeShift |
           uint64_t(t.thread) << mark::ThreadShift;
    if (!S.shared)
      a.me |= uint64_t(of(e).epoch) << l.epochShift;
    a.epochMask = ~uint64_t(0) << l.epochShift;
    a.warpTicks = uint64_t(of(e).warpTick) << mark::TimeShift;
    return a;
  }

  const Setup S;
};

/// Runs the threads, one step at a time, as `Schedule` says.
class Machine {
public:
  Machine(const Setup &s, std::vector<size_t> schedule) : W(s), Schedule(std::move(schedule)) {}

  /// Choices that were open at each step.
  std::vector<std::vector<size_t>> Open;
  std::set<Pair> Found;
  std::vector<std::string> Wrong;
  bool Lost = false; ///< readers of a mixed kernel that nobody can tell apart

  void run() {
    size_t n = W.S.threads.size();
    Threads.resize(n);
    for (size_t t = 0; t < n; ++t) {
      getcontext(&Threads[t].context);
      Threads[t].context.uc_stack.ss_sp = stack(t);
      Threads[t].context.uc_stack.ss_size = StackBytes;
      Threads[t].context.uc_link = &Main;
      auto self = reinterpret_cast<uintptr_t>(this);
      makecontext(&Threads[t].context, reinterpret_cast<void (*)()>(&start), 3, unsigned(self),
                  unsigned(self >> 32), unsigned(t));
    }
    for (size_t step = 0;; ++step) {
      std::vector<size_t> open;
      for (size_t t = 0; t < n; ++t)
        if (!Threads[t].done && mayRun(t))
          open.push_back(t);
      if (open.empty())
        break;
      // The running thread first; taking the processor from it is bounded.
      auto running = std::find(open.begin(), open.end(), Current);
      if (step && running != open.end()) {
        std::rotate(open.begin(), running, running + 1);
        if (n > 2 && Preempted == Preemptions)
          open.resize(1);
      }
      size_t choice = step < Schedule.size() ? Schedule[step] : 0;
      Open.push_back(open);
      Taken.push_back(choice);
      Preempted += step && open[0] == Current && choice;
      Current = open[choice];
      swapcontext(&Main, &Threads[Current].context);
    }
    judge();
  }
  std::vector<size_t> Taken;

private:
  struct Told {
    uint64_t mark = 0; ///< 0: a whole access
    bool isRead = false;
    Event by;
  };
  struct Fiber {
    ucontext_t context{};
    bool done = false;
    uint32_t phase = 0, tick = 0, warpTick = 0, epoch = 0;
  };

  static constexpr size_t StackBytes = 64 * 1024;
  static char *stack(size_t t) {
    static std::vector<std::unique_ptr<char[]>> all;
    while (all.size() <= t)
      all.push_back(std::make_unique<char[]>(StackBytes));
    return all[t].get();
  }

  /// A thread enters a phase when all of its block have left the one before.
  bool mayRun(size_t t) {
    const ThreadPlan &p = W.S.threads[t];
    for (size_t o = 0; o < Threads.size(); ++o) {
      const ThreadPlan &q = W.S.threads[o];
      if (q.tag == p.tag && q.block == p.block && !Threads[o].done &&
          (Threads[o].phase < Threads[t].phase ||
           (q.thread / 32 == p.thread / 32 && Threads[o].tick < Threads[t].warpTick)))
        return false;
      if (q.tag == p.tag && !Threads[o].done && Threads[o].epoch < Threads[t].epoch)
        return false;
      if (q.tag < p.tag && q.tag < W.S.oldestTag && !Threads[o].done)
        return false;
    }
    return true;
  }
  static void start(unsigned low, unsigned high, unsigned t) {
    auto *m = reinterpret_cast<Machine *>(uintptr_t(low) | uintptr_t(high) << 32);
    m->body(t);
    m->Threads[t].done = true;
  }
  void yield() { swapcontext(&Threads[Current].context, &Main); }

  /// Port, and the word of PackedSteps.
  struct Bits {
    Machine &m;

    uint64_t load() {
      m.yield();
      return m.Packed;
    }
    uint64_t exchange(uint64_t v) {
      m.yield();
      return std::exchange(m.Packed, v);
    }
    uint64_t compareExchange(uint64_t expected, uint64_t wanted) {
      m.yield();
      uint64_t old = m.Packed;
      if (old == expected)
        m.Packed = wanted;
      return old;
    }
  };

  struct Port {
    Machine &m;
    Event e;
    size_t ticket = 0;
    unsigned reserved = 0;
    bool onlyMarks = false;

    Cell load() {
      m.yield();
      return m.Memory;
    }
    Cell exchange(Cell c) {
      m.yield();
      return std::exchange(m.Memory, c);
    }
    Cell compareExchange(Cell expected, Cell wanted) {
      m.yield();
      Cell old = m.Memory;
      if (old.w == expected.w && old.r == expected.r)
        m.Memory = wanted;
      return old;
    }
    uint64_t maxRead(uint64_t r) {
      m.yield();
      uint64_t old = m.Memory.r;
      m.Memory.r = std::max(old, r);
      return old;
    }
    uint64_t loadWrite() {
      m.yield();
      return m.Memory.w;
    }
    bool keepsReaders() { return m.W.S.keepsReaders; }
    bool wants(uint64_t mark, bool isRead) {
      m.claim(e, mark, isRead);
      return true;
    }
    void reserve() {
      m.yield();
      ticket = m.Log.size();
      reserved = 5;
      m.Log.resize(ticket + reserved);
    }
    void known(Cell now, Cell before) {
      for (auto [mark, isRead] :
           {std::pair{now.w, false}, {now.r, true}, {before.w, false}, {before.r, true}}) {
        m.Log[ticket++] = {mark, isRead, e};
        --reserved;
      }
    }
    void full() {
      if (onlyMarks) {
        reserved = 0;
        return;
      }
      if (!reserved) {
        m.yield();
        ticket = m.Log.size();
        m.Log.push_back({});
      }
      m.Log[ticket] = {1, false, e};
      m.Log[ticket].mark = ~uint64_t(0);
      reserved = 0;
    }
  };

  struct PackedPort : Port, PackedSteps<Bits> {
    using PackedSteps<Bits>::load, PackedSteps<Bits>::exchange, PackedSteps<Bits>::compareExchange,
        PackedSteps<Bits>::maxRead, PackedSteps<Bits>::loadWrite;
  };
  /// As the hooks do it: their own step first.
  void packedAccess(Event e, const Actor &a, uint64_t me) {
    PackedPort p{{*this, e}, {{*this}, a}};
    auto site = uint32_t(me >> mark::SiteShift & (mark::MaxSites - 1));
    uint32_t now = (W.of(e).phase + 1) << 12 | W.S.threads[e.thread].thread;
    uint64_t old;
    switch (W.of(e).kind) {
    case Kind::Write:
      if (!writeBlockWord(p.word, now, site, old))
        afterWrite(p, a, me, unpackCell(a, old));
      return;
    case Kind::Read:
      if (!coversBlockRead(p.word.load(), now) && !readBlockWord(p.word, now, site))
        readWord(p, a, me);
      return;
    default:
      if (!coversBlockRmw(p.word.load(), now))
        rmwWord(p, a, me);
    }
  }

  void body(size_t t) {
    for (size_t i = 0; i < W.S.threads[t].accesses.size(); ++i) {
      Event e{t, i};
      Threads[t].phase = W.of(e).phase;
      Threads[t].tick = W.of(e).tick;
      Threads[t].warpTick = W.of(e).warpTick;
      Threads[t].epoch = W.of(e).epoch;
      Port p{*this, e};
      Actor a = W.actor(e);
      uint64_t me = W.markOf(e);
      const Access &x = W.of(e);
      if (W.S.packed) {
        packedAccess(e, a, me);
      } else if (W.S.threads[t].logged) {
        bool proxy = x.kind == Kind::NonCoherent;
        p.onlyMarks = true;
        leaveMark(p, a, proxy ? nonCoherentMark(a, me) : me, W.isWrite(e), x.kind == Kind::Rmw);
        p.onlyMarks = false;
        p.full();
      } else if (x.kind == Kind::NonCoherent)
        readNonCoherent(p, a, me);
      else if (x.bytes != 15)
        accessPart(p, a, me, x.kind == Kind::Write);
      else if (x.kind == Kind::Write)
        writeWord(p, a, me);
      else if (x.kind == Kind::Read)
        readWord(p, a, me);
      else
        rmwWord(p, a, me);
    }
  }
  /// The protocol says: `e` races with the mark. Kernels without synchronization rely on it.
  void claim(Event e, uint64_t mark, bool isRead) {
    if (W.S.mixed)
      return;
    for (Event f : W.standsFor(mark, isRead))
      if (W.races(e, f))
        return;
    Wrong.push_back("no race with the mark that was found");
  }
  /// As the host does it: marks and accesses in ticket order, each pair looked at once.
  void judge() {
    std::vector<Event> seen;
    for (const Told &t : Log) {
      if (!t.mark)
        continue;
      std::vector<Event> now;
      if (t.mark == ~uint64_t(0))
        now.push_back(t.by);
      else
        now = W.standsFor(t.mark, t.isRead);
      Lost |= t.mark != ~uint64_t(0) && W.S.mixed && t.isRead && mark::level(t.mark);
      if (t.mark != ~uint64_t(0) && now.empty())
        Wrong.push_back("a mark of nobody");
      for (Event e : now) {
        for (Event f : seen)
          if (W.races(e, f))
            Found.insert({std::min(e, f), std::max(e, f)});
        seen.push_back(e);
      }
    }
  }

  World W;
  std::vector<size_t> Schedule;
  std::vector<Fiber> Threads;
  ucontext_t Main{};
  static constexpr unsigned Preemptions = 2;
  unsigned Preempted = 0;
  size_t Current = 0;
  Cell Memory;
  uint64_t Packed = 0;
  std::vector<Told> Log;
};

/// Every schedule. A word with races must tell one at least; one without, none.
inline void explore(const Setup &s, bool every = false) {
  std::set<Pair> oracle = World(s).oracle();
  std::vector<size_t> schedule;
  for (uint64_t runs = 0;; ++runs) {
    ASSERT_LT(runs, 3'000'000u);
    Machine m(s, schedule);
    m.run();
    EXPECT_TRUE(m.Wrong.empty()) << m.Wrong[0];
    if (!m.Lost) {
      EXPECT_EQ(m.Found.empty(), oracle.empty());
    }
    EXPECT_TRUE(std::includes(oracle.begin(), oracle.end(), m.Found.begin(), m.Found.end()));
    if (every) {
      EXPECT_EQ(m.Found, oracle);
    }
    if (::testing::Test::HasFailure()) {
      std::string text;
      for (size_t i = 0; i < m.Taken.size(); ++i)
        text += std::to_string(m.Open[i][m.Taken[i]]);
      for (size_t t = 0; t < s.threads.size(); ++t)
        for (const Access &x : s.threads[t].accesses)
          text += " " + std::to_string(t) + ":" + std::to_string(int(x.kind)) + "/" +
                  std::to_string(x.bytes) + "@" + std::to_string(x.phase);
      FAIL() << "schedule " << text;
    }
    schedule = m.Taken;
    while (!schedule.empty() && schedule.back() + 1 >= m.Open[schedule.size() - 1].size())
      schedule.pop_back();
    if (schedule.empty())
      break;
    ++schedule.back();
  }
}

constexpr Access W{Kind::Write}, R{Kind::Read}, A{Kind::Rmw}, N{Kind::NonCoherent};
constexpr Access in(Access a, uint32_t phase, uint32_t bytes = 15) {
  return {a.kind, bytes, phase};
}
/// After a barrier of the grid, which is one of the block, too.
constexpr Access later(Access a) { return {a.kind, a.bytes, 1, 0, 0, 1}; }
constexpr Access tick(Access a, uint32_t tick) { return {a.kind, a.bytes, a.phase, tick}; }
constexpr Access met(Access a, uint32_t tick) { return {a.kind, a.bytes, a.phase, tick, tick}; }
inline Setup inBlock(std::vector<ThreadPlan> threads) {
  return {.shared = true, .threads = std::move(threads), .packed = true};
}
inline ThreadPlan thread(uint32_t block, uint32_t t, std::vector<Access> a, uint32_t tag = 5) {
  return {tag, block, t, std::move(a)};
}

} // namespace scopesan::gpu::test

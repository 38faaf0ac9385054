// Programs that hand over data by barriers, latches and tickets, under random schedules with
// overlapping windows: no finding, and nothing to give up.
#include "Log.h"

#include <map>
#include <optional>
#include <random>

using namespace scopesan;
using namespace scopesan::gpu;
using namespace scopesan::gpu::test;
using core::Rule;

namespace {

using scopesan::abi::AccessKind;
using scopesan::abi::MemoryOrder;

/// One event of a made-up thread. Its atomic operations work on words.
struct Step {
  enum What { Write, Read, Fence, Load, Add, Exchange } what;
  uint64_t address = 0;
  uint64_t operand = 0;
  MemoryOrder order = MemoryOrder::Relaxed;
  uint32_t line = 0; ///< equal for the polls of one loop
};

/// A thread's next step, after what its last atomic operation has read; none = it ends.
using Program = std::function<std::optional<Step>(uint64_t read)>;

constexpr uint64_t Count = Flag, Generation = Flag + 64;
uint64_t wordOf(uint32_t thread, uint32_t round) { return X + 4096 * (round % 2) + 4 * thread; }

class Schedule {
public:
  Schedule(uint32_t seed, std::vector<Program> programs)
      : Random(seed), Threads(programs.size()), L(uint32_t(programs.size())) {
    for (size_t i = 0; i < programs.size(); ++i)
      Threads[i].next = std::move(programs[i]);
  }
  void known(uint64_t address) { L.R.locations().holds(address, 4, Content::ofFill(0, 1)); }
  void finish() {
    for (size_t left = Threads.size(); left;) {
      auto i = uint32_t(Random() % Threads.size());
      left -= !Threads[i].over && !step({i, 0}, Threads[i]);
    }
    L.end();
  }

  std::map<uint64_t, uint32_t> Memory;
  std::minstd_rand Random;
  struct Thread {
    Program next;
    std::optional<Step> now;
    bool acted = false, over = false;
    uint32_t read = 0, written = 0;
  };
  std::vector<Thread> Threads;
  Launch L;

private:
  static scopesan::abi::Op opOf(const Step &s) {
    return scopesan::abi::Op(s.what == Step::Load ? AccessKind::Load : AccessKind::Rmw, s.order,
                             scopesan::abi::Scope::Device);
  }
  /// False: the thread has ended.
  bool step(Who w, Thread &t) {
    if (!t.now) {
      t.now = t.next(t.read);
      if (!t.now) {
        L.exit(w);
        t.over = true;
        return false;
      }
      return begin(w, t);
    }
    if (!t.acted) {
      t.acted = true;
      uint32_t &value = Memory[t.now->address];
      t.read = value;
      t.written =
          t.now->what == Step::Add ? value + uint32_t(t.now->operand) : uint32_t(t.now->operand);
      if (t.now->what != Step::Load)
        value = t.written;
      return true;
    }
    if (t.now->what == Step::Load)
      L.got(w, t.read);
    else
      L.changed(w, t.read, t.written);
    t.now.reset();
    t.acted = false;
    return true;
  }
  bool begin(Who w, Thread &t) {
    L.site(1000 * (w.block + 1) + t.now->line);
    switch (t.now->what) {
    case Step::Write:
      L.write(w, t.now->address);
      break;
    case Step::Read:
      L.read(w, t.now->address);
      break;
    case Step::Fence:
      L.fence(w, scopesan::abi::Scope::Device);
      break;
    default:
      L.before(w, t.now->address, opOf(*t.now));
      return true;
    }
    t.now.reset();
    return true;
  }
};

/// Steps of a thread in a row; `Again` repeats the one before it as long as `whileTrue(read)`.
struct Script {
  struct Line {
    Step step;
    std::function<bool(uint64_t)> again; ///< null = once
    std::function<int(uint64_t)> skip;   ///< lines to leave out after it
  };
  std::vector<Line> lines;
  size_t at = 0;

  std::optional<Step> operator()(uint64_t read) {
    if (at) {
      const Line &last = lines[at - 1];
      if (last.again && last.again(read))
        --at;
      else if (last.skip)
        at += size_t(last.skip(read));
    }
    if (at >= lines.size())
      return {};
    Step s = lines[at++].step;
    s.line = uint32_t(at);
    return s;
  }
  Script &then(Step s) { return lines.push_back({s, {}, {}}), *this; }
  Script &poll(Step s, std::function<bool(uint64_t)> again) {
    return lines.push_back({s, std::move(again), {}}), *this;
  }
  Script &skip(Step s, std::function<int(uint64_t)> n) {
    return lines.push_back({s, {}, std::move(n)}), *this;
  }
};

void expectClean(Schedule &r, uint32_t seed) {
  EXPECT_EQ(r.L.S.count(Rule::DataRace), 0u) << seed;
  EXPECT_EQ(r.L.R.locations().unplaced(), 0u) << seed;
  EXPECT_EQ(r.L.R.locations().ambiguous(), 0u) << seed;
}

constexpr uint32_t Seeds = 300;

} // namespace

TEST(HandOver, ABarrierPolledByAddingNothing) {
  constexpr uint32_t n = 4, rounds = 3;
  for (uint32_t seed = 1; seed <= Seeds; ++seed)
    for (bool isKnown : {true, false}) {
      std::vector<Program> programs;
      for (uint32_t i = 0; i < n; ++i) {
        Script s;
        for (uint32_t round = 0; round < rounds; ++round) {
          uint32_t goal = n * (round + 1);
          s.then({Step::Write, wordOf(i, round)}).then({Step::Fence});
          s.then({Step::Add, Count, 1});
          s.poll({Step::Add, Count, 0}, [=](uint64_t v) { return v < goal; });
          s.then({Step::Fence}).then({Step::Read, wordOf((i + 1) % n, round)});
        }
        programs.push_back(s);
      }
      Schedule r(seed, programs);
      if (isKnown)
        r.known(Count);
      r.finish();
      expectClean(r, seed);
    }
}

TEST(HandOver, ABarrierWithAGeneration) {
  constexpr uint32_t n = 4, rounds = 3;
  for (uint32_t seed = 1; seed <= Seeds; ++seed) {
    std::vector<Program> programs;
    for (uint32_t i = 0; i < n; ++i) {
      Script s;
      for (uint32_t round = 0; round < rounds; ++round) {
        s.then({Step::Write, wordOf(i, round)}).then({Step::Fence});
        s.then({Step::Add, Generation, 0});
        s.skip({Step::Add, Count, 1}, [](uint64_t v) { return v == n - 1 ? 0 : 3; });
        s.then({Step::Exchange, Count, 0}).then({Step::Fence}).then({Step::Add, Generation, 1});
        s.poll({Step::Add, Generation, 0}, [=](uint64_t v) { return v == round; });
        s.then({Step::Fence}).then({Step::Read, wordOf((i + 1) % n, round)});
      }
      programs.push_back(s);
    }
    Schedule r(seed, programs);
    r.known(Count);
    r.known(Generation);
    r.finish();
    expectClean(r, seed);
  }
}

TEST(HandOver, ALatchWhoseCountIsNotKnown) {
  constexpr uint32_t n = 5;
  for (uint32_t seed = 1; seed <= Seeds; ++seed) {
    std::vector<Program> programs;
    for (uint32_t i = 0; i + 1 < n; ++i) {
      Script s;
      s.then({Step::Write, wordOf(i, 0)});
      s.then({Step::Add, Count, uint32_t(-1), MemoryOrder::Release});
      programs.push_back(s);
    }
    Script reader;
    reader.poll({Step::Load, Count, 0, MemoryOrder::Acquire}, [](uint64_t v) { return v != 0; });
    for (uint32_t i = 0; i + 1 < n; ++i)
      reader.then({Step::Read, wordOf(i, 0)});
    programs.push_back(reader);
    Schedule r(seed, programs);
    r.Memory[Count] = n - 1;
    r.finish();
    expectClean(r, seed);
  }
}

TEST(HandOver, TheLastTicketThatWrapsAround) {
  constexpr uint32_t n = 5;
  for (uint32_t seed = 1; seed <= Seeds; ++seed) {
    std::vector<Program> programs;
    for (uint32_t i = 0; i < n; ++i) {
      Script s;
      s.then({Step::Write, wordOf(i, 0)}).then({Step::Fence});
      // n - 1 tickets; the last one brings the counter back
      s.skip({Step::Add, Count, 1u << 30}, [](uint64_t v) { return v == 3u << 30 ? 0 : 100; });
      s.then({Step::Fence});
      for (uint32_t j = 0; j + 1 < n; ++j)
        s.then({Step::Read, wordOf(j, 0)});
      if (i + 1 < n) // the fifth does not take part
        programs.push_back(s);
    }
    Schedule r(seed, programs);
    r.known(Count);
    r.finish();
    expectClean(r, seed);
  }
}

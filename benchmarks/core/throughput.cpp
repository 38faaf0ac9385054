// Throughput and memory of the detector core, without a compiler, a GPU or a scheduler.
//
//   core_throughput [--quick] [barrier|sync|look-back [SIZE]]
//
// Traces: `barrier` (tiled kernel: global reads, shared-memory exchange, block barriers), `sync`
// (10,000 threads, 100,000 atomic objects, release/acquire pairs, locks and counters), `look-back`
// (100,000 blocks, each acquiring from its predecessor). Times are CPU seconds of this process, so
// that other work on the machine matters little; each trace runs three times, the best counts.
// SIZE: blocks, or rounds of `sync`. Memory is that of the process: compare sizes in processes of
// their own.
#include "scopesan/core/detector.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <unistd.h>
#include <vector>

using namespace scopesan::core;
using scopesan::abi::AccessKind;
using scopesan::abi::MemoryOrder;

namespace {

struct CountingSink : FindingSink {
  uint64_t findings = 0, givenUp = 0;
  void report(const Finding &) override { ++findings; }
  void gaveUp(const char *, uint64_t) override { ++givenUp; }
};

double cpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

double residentMegabytes() {
  long pages = 0, resident = 0;
  if (FILE *f = fopen("/proc/self/statm", "r")) {
    if (fscanf(f, "%ld %ld", &pages, &resident) != 2)
      resident = 0;
    fclose(f);
  }
  return double(resident) * double(sysconf(_SC_PAGESIZE)) / 1e6;
}

struct Grid {
  CountingSink sink;
  Detector d{sink, DetectorOptions()};
  NodeId launch;
  std::vector<Block *> blocks;
  Grid(uint32_t n, uint32_t threads) {
    LaunchFacts f;
    f.grid = {n, 1, 1};
    f.block = {threads, 1, 1};
    launch = d.launch(d.newTimeline(), nullptr, 0, f);
  }
  Thread &thread(Block *b, uint32_t i) { return *d.thread(b, {i}); }
  void end(Block *b) {
    for (Thread &t : b->threads)
      d.threadExit(t);
    d.endBlock(b);
  }
};

struct Result {
  double operations, seconds, megabytes;
  bool clean;
};

constexpr uint64_t Global = 0x20000000, Shared = 0x10000000;

/// Blocks of 256 threads: two global reads, a shared write, barrier, 16 shared reads, barrier.
Result barrierTrace(uint32_t blocks) {
  constexpr uint32_t Threads = 256, Phases = 20;
  double before = residentMegabytes();
  Grid g(blocks, Threads);
  double start = cpuSeconds();
  for (uint32_t n = 0; n < blocks; ++n) {
    Block *b = g.d.beginBlock(g.launch, n);
    g.d.forget(Shared, Threads * 4);
    for (uint32_t p = 0; p < Phases; ++p) {
      for (uint32_t i = 0; i < Threads; ++i) {
        g.d.read(g.thread(b, i), Global + 4 * ((n * Phases + p) * Threads + i), 4, {1});
        g.d.read(g.thread(b, i), Global + (1u << 28) + 4 * (n * Threads + i), 4, {2});
        g.d.write(g.thread(b, i), Shared + 4 * i, 4, {3});
      }
      for (uint32_t i = 0; i < Threads; ++i)
        g.d.blockBarrierArrive(g.thread(b, i), scopesan::abi::BarrierKind::Sync, 0, 0, {4});
      for (uint32_t i = 0; i < Threads; ++i)
        for (uint32_t k = 0; k < 16; ++k)
          g.d.read(g.thread(b, i), Shared + 4 * ((i & ~15u) + k), 4, {5});
      for (uint32_t i = 0; i < Threads; ++i)
        g.d.blockBarrierArrive(g.thread(b, i), scopesan::abi::BarrierKind::Sync, 0, 0, {6});
    }
    g.end(b);
  }
  return {double(g.d.checkedAccesses()), cpuSeconds() - start, residentMegabytes() - before,
          g.sink.findings == 0 && g.sink.givenUp == 0};
}

/// 40 blocks of 256 threads over 100,000 objects: nine flags of each thread handed to a partner,
/// and counters that threads of all blocks increment.
Result syncTrace(uint32_t rounds) {
  constexpr uint32_t Blocks = 40, Threads = 256, All = Blocks * Threads;
  constexpr uint32_t Objects = 100000, Flags = 9, Counters = Objects - Flags * All;
  double before = residentMegabytes();
  Grid g(Blocks, Threads);
  for (uint32_t n = 0; n < Blocks; ++n)
    g.blocks.push_back(g.d.beginBlock(g.launch, n));
  uint64_t operations = 0;
  auto atomic = [&](uint32_t t, uint32_t object, AccessKind k, MemoryOrder o) {
    Op op(k, o, Scope::Device);
    g.d.atomicAfter(g.thread(g.blocks[t % Blocks], t / Blocks), Global + 8ull * object, 4, op, {7},
                    op.isWrite(), 0);
    ++operations;
  };
  double start = cpuSeconds();
  for (uint32_t r = 0; r < rounds; ++r)
    for (uint32_t t = 0; t < All; ++t) {
      uint32_t partner = t ^ 1; // in the next block
      atomic(t, t * Flags + r % Flags, AccessKind::Store, MemoryOrder::Release);
      if (partner < t)
        atomic(t, partner * Flags + r % Flags, AccessKind::Load, MemoryOrder::Acquire);
      atomic(t, Objects - 1 - t % Counters, AccessKind::Rmw, MemoryOrder::Relaxed);
      atomic(t, Objects - 1 - (t * 7 + r) % Counters, AccessKind::Red, MemoryOrder::Relaxed);
    }
  return {double(operations), cpuSeconds() - start, residentMegabytes() - before,
          g.sink.findings == 0 && g.sink.givenUp == 0};
}

/// Decoupled look-back: block b acquires the flag of b - 1, writes its tile, releases its own flag.
Result lookBackTrace(uint32_t blocks) {
  double before = residentMegabytes();
  Grid g(blocks, 32);
  double start = cpuSeconds();
  for (uint32_t n = 0; n < blocks; ++n) {
    Block *b = g.d.beginBlock(g.launch, n);
    Thread &t = g.thread(b, 0);
    Op load(AccessKind::Load, MemoryOrder::Acquire, Scope::Device);
    Op store(AccessKind::Store, MemoryOrder::Release, Scope::Device);
    if (n) {
      g.d.atomicAfter(t, Shared + 4 * (n - 1), 4, load, {1}, false, 0);
      g.d.read(t, Global + 4 * (n - 1), 4, {2});
    }
    g.d.write(t, Global + 4 * n, 4, {3});
    g.d.atomicAfter(t, Shared + 4 * n, 4, store, {4}, true, 0);
    g.end(b);
  }
  return {double(blocks), cpuSeconds() - start, residentMegabytes() - before,
          g.sink.findings == 0 && g.sink.givenUp == 0};
}

bool row(const char *name, const char *unit, const std::function<Result()> &trace) {
  Result best{};
  bool clean = true;
  double rate = 0;
  for (int i = 0; i < 3; ++i) {
    Result r = trace();
    clean &= r.clean;
    if (r.operations / r.seconds > rate) {
      rate = r.operations / r.seconds;
      best.seconds = r.seconds;
      best.operations = r.operations;
    }
    best.megabytes = std::max(best.megabytes, r.megabytes);
  }
  printf("| %s | %.1f M %s | %.3f | %.1f M/s | %.0f MB | %s |\n", name, best.operations / 1e6, unit,
         best.seconds, rate / 1e6, best.megabytes, clean ? "yes" : "NO");
  fflush(stdout);
  return clean;
}

} // namespace

int main(int argc, char **argv) {
  bool quick = false;
  const char *only = nullptr;
  uint32_t size = 0;
  for (int i = 1; i < argc; ++i)
    if (!strcmp(argv[i], "--quick"))
      quick = true;
    else if (!only)
      only = argv[i];
    else
      size = uint32_t(strtoul(argv[i], nullptr, 10));
  struct {
    const char *name, *unit;
    Result (*run)(uint32_t);
    uint32_t size, quickSize;
  } traces[] = {{"barrier", "accesses", barrierTrace, 256, 16},
                {"sync", "operations", syncTrace, 256, 8},
                {"look-back", "blocks", lookBackTrace, 100000, 10000}};
  puts("| trace | operations | CPU s | rate | memory | clean |\n|---|---|---|---|---|---|");
  bool ok = true;
  for (const auto &t : traces)
    if (!only || !strcmp(only, t.name))
      ok &= row(t.name, t.unit, [&] { return t.run(size ? size : quick ? t.quickSize : t.size); });
  return ok ? 0 : 1;
}

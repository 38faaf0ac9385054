// Made-up logs of a launch, and what the detector says about them.
#pragma once

#include "gpu/replay.h"

#include <gtest/gtest.h>
#include <vector>

namespace scopesan::gpu::test {

class Sink : public core::FindingSink {
public:
  void report(const core::Finding &f) override { findings.push_back(f); }
  void gaveUp(const char *what, uint64_t) override { gaveUps.push_back(what); }
  std::vector<core::Finding> findings;
  std::vector<std::string> gaveUps;

  unsigned count(core::Rule rule) const {
    unsigned n = 0;
    for (const core::Finding &f : findings)
      n += f.rule == rule;
    return n;
  }
};

inline constexpr abi::Op StoreRelease(abi::AccessKind::Store, abi::MemoryOrder::Release,
                                      abi::Scope::Device);
inline constexpr abi::Op StoreRelaxed(abi::AccessKind::Store, abi::MemoryOrder::Relaxed,
                                      abi::Scope::Device);
inline constexpr abi::Op LoadAcquire(abi::AccessKind::Load, abi::MemoryOrder::Acquire,
                                     abi::Scope::Device);
inline constexpr abi::Op RmwAcqRel(abi::AccessKind::Rmw, abi::MemoryOrder::AcqRel,
                                   abi::Scope::Device);
inline constexpr abi::Op CasAcqRel(abi::AccessKind::Cas, abi::MemoryOrder::AcqRel,
                                   abi::Scope::Device);

/// One thread of the launch.
struct Who {
  uint32_t block, thread;
};

class Launch {
public:
  explicit Launch(uint32_t blocks = 2, uint32_t threads = 32, core::Dim3 cluster = {})
      : Launch(core::Dim3{blocks, 1, 1}, threads, cluster) {}
  Launch(core::Dim3 grid, uint32_t threads, core::Dim3 cluster) : D(S, {}), R(D) {
    core::LaunchFacts facts;
    facts.grid = grid;
    facts.block = {threads, 1, 1};
    facts.cluster = cluster;
    Node = D.launch(D.newTimeline(), nullptr, 0, facts);
    ReplayLaunch launch;
    launch.node = Node;
    launch.grid = grid;
    launch.cluster = cluster;
    launch.threadsPerBlock = threads;
    launch.sharedBytes = 4096;
    launch.dynamicOffset = 2048;
    launch.dynamicBytes = 2048;
    launch.stamp = Stamp;
    R.begin(launch);
  }

  Launch &read(Who w, uint64_t a, uint32_t bytes = 4) { return add(w, EventKind::Read, a, bytes); }
  Launch &write(Who w, uint64_t a, uint32_t bytes = 4) {
    return add(w, EventKind::Write, a, bytes);
  }
  Launch &before(Who w, uint64_t a, abi::Op op) {
    return add(w, EventKind::AtomicBefore, a, 4, op.raw());
  }
  /// Load.
  Launch &got(Who w, uint64_t value) { return after(w, value, 0, ValueKnown); }
  /// Store.
  Launch &stored(Who w, uint64_t value) { return after(w, 0, value, Wrote | WrittenKnown); }
  /// Read-modify-write or successful compare-exchange.
  Launch &changed(Who w, uint64_t from, uint64_t to) {
    return after(w, from, to, Wrote | WrittenKnown | ValueKnown);
  }
  /// Failed compare-exchange.
  Launch &failed(Who w, uint64_t value, uint64_t wanted) {
    return after(w, value, wanted, WrittenKnown | ValueKnown);
  }
  Launch &store(Who w, uint64_t a, uint64_t value, abi::Op op = StoreRelease) {
    return before(w, a, op).stored(w, value);
  }
  Launch &load(Who w, uint64_t a, uint64_t value, abi::Op op = LoadAcquire) {
    return before(w, a, op).got(w, value);
  }
  Launch &fence(Who w, abi::Scope scope) {
    return add(w, EventKind::Fence, 0, 0,
               abi::Op(abi::AccessKind::Fence, abi::MemoryOrder::SeqCst, scope).raw());
  }
  Launch &barrier(Who w, uint32_t count = 0) {
    return add(w, EventKind::BlockArrive, uint64_t(abi::BarrierKind::Sync) << 32, count);
  }
  Launch &exit(Who w) { return add(w, EventKind::Exit, 0, 0); }
  Launch &add(Who w, EventKind kind, uint64_t value, uint32_t low, uint32_t extra = 0) {
    Records.push_back(make(w, kind, value, low, ++Site, extra));
    return *this;
  }
  /// The second operand of the thread's next record.
  Launch &operands(Who w, uint64_t value, uint32_t low = 0, uint64_t wide = 0) {
    Records.push_back(
        make(w, EventKind::Operands, value, low, uint32_t(wide), uint32_t(wide >> 32)));
    return *this;
  }
  /// A ticket whose record has not been written.
  Launch &gap() {
    Records.push_back({});
    return *this;
  }
  /// The site of the next record; those after it follow.
  Launch &site(uint32_t s) {
    Site = s - 1;
    return *this;
  }
  void scan(bool final = true) { R.scan(Records.data(), Records.size(), final); }
  void end() {
    scan();
    R.end();
  }

  static constexpr uint32_t Stamp = 7;
  Sink S;
  core::Detector D;
  Replay R;
  core::NodeId Node;
  std::vector<Record> Records;

  Launch &after(Who w, uint64_t value, uint64_t written, uint32_t outcome) {
    Records.push_back(make(w, EventKind::AtomicAfter, value, uint32_t(written),
                           uint32_t(written >> 32), outcome));
    return *this;
  }

private:
  static Record make(Who w, EventKind kind, uint64_t value, uint32_t low, uint32_t high,
                     uint32_t extra) {
    return {value, w.block, Stamp | w.thread << 16 | uint32_t(kind) << 26, low, high, extra, Stamp};
  }
  uint32_t Site = 0;
};

inline constexpr uint64_t X = 0x7f0000001000, Y = 0x7f0000002000, Flag = 0x7f0000003000;

} // namespace scopesan::gpu::test

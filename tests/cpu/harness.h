// Runs hand-written native "kernels" on the engine, without a compiler.
#pragma once

#include "cpu/engine.h"
#include "cpu/faults.h"
#include "cpu/hooks.h"

#include <functional>
#include <memory>
#include <vector>

namespace scopesan::cpu::test {

class CollectingSink final : public core::FindingSink {
public:
  void report(const core::Finding &F) override { Findings.push_back(F); }
  void gaveUp(const char *What, uint64_t) override { GivenUp.push_back(What); }
  std::vector<core::Finding> Findings;
  std::vector<std::string> GivenUp;
};

using Body = std::function<void()>;

/// Thread index in the block, block index, of the calling native kernel.
inline uint32_t tid() { return Engine::current()->Index; }
inline uint32_t bid() { return uint32_t(Engine::current()->Owner->Linear); }

/// One engine run with its own detector. Not nestable: the engine is the process's.
class Machine {
public:
  explicit Machine(EngineSettings S = {}) {
    Settings = S;
    Detector = std::make_unique<core::Detector>(Sink, core::DetectorOptions{});
    TheEngine.abandonAll();
    TheEngine.configure(S, *Detector);
    TheEngine.Sched.Hash = 0;
    Timeline = Detector->newTimeline();
    OwnCodeIsTool = false;
    prepareFaultHandling();
  }
  ~Machine() { TheEngine.abandonAll(); }

  Launch *start(core::Dim3 Grid, core::Dim3 Block, Body F, LaunchSpec Extra = {}) {
    auto R = std::make_unique<Running>();
    R->F = std::move(F);
    R->Code.name = "native";
    R->Code.entry = [](void **Args) { (*static_cast<Body *>(Args[0]))(); };
    R->Code.staticShared = ReservedShared + 1024;
    R->Args[0] = &R->F;
    Extra.Code = &R->Code;
    Extra.Name = "native";
    Extra.Grid = Grid;
    Extra.BlockDim = Block;
    core::LaunchFacts Facts{};
    Facts.grid = Grid;
    Facts.block = Block;
    Facts.cluster = Extra.ClusterDim;
    Facts.cooperative = Extra.Cooperative;
    bool Dependent = PrimaryNode.value != 0;
    Extra.Node =
        Detector->launch(Dependent ? Detector->newTimeline() : Timeline, nullptr, 0, Facts);
    if (Dependent)
      Detector->programmatic(Extra.Node, PrimaryNode);
    Extra.Index = uint32_t(Launches.size()) + 1;
    Extra.Args = R->Args;
    Launches.push_back(std::move(R));
    return TheEngine.start(std::move(Extra));
  }

  /// Runs until all launches ended or the device stopped.
  RunStatus finish() {
    for (;;) {
      RunStatus S = TheEngine.run(1'000'000);
      if (S == RunStatus::LaunchEnded && TheEngine.active())
        continue;
      if (S != RunStatus::BudgetSpent)
        return S;
    }
  }
  RunStatus run(core::Dim3 Grid, core::Dim3 Block, Body F, LaunchSpec Extra = {}) {
    start(Grid, Block, std::move(F), std::move(Extra));
    return finish();
  }

  CollectingSink Sink;
  EngineSettings Settings;
  std::unique_ptr<core::Detector> Detector;
  core::TimelineId Timeline;
  core::NodeId PrimaryNode; ///< of the launches that start from now on; 0 = stream order

private:
  struct Running {
    Body F;
    Kernel Code{};
    void *Args[1];
  };
  std::vector<std::unique_ptr<Running>> Launches;
};

} // namespace scopesan::cpu::test

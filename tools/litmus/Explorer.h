// All sequentially consistent executions of a program, up to the order of independent steps.
//
// Depth-first search with sleep sets: exactly one interleaving per Mazurkiewicz trace, where two
// visible steps depend on each other when they access one location and one of them writes, or when
// the composition of a barrier depends on their order. The detector's verdict is the same for all
// interleavings of one trace (ExplorerTest checks that).
#pragma once

#include "Machine.h"

#include <functional>

namespace scopesan::litmus {

struct ExploreLimits {
  uint64_t executions = 20000; ///< beyond this, random sampling
  uint64_t nodes = 2000000;    ///< steps taken in the search, likewise
  uint64_t samples = 2000;     ///< random schedules then
  uint64_t seed = 1;
  bool everyInterleaving = false; ///< no reduction: every order of visible steps
};

struct ExploreResult {
  uint64_t executions = 0; ///< visited: complete, or stuck at barriers
  uint64_t abandoned = 0;  ///< a loop would repeat for ever, or an expectation was not met
  bool exhaustive = true;  ///< false: the bound was reached, the rest was sampled
};

/// Called with the end of each execution; `finished` = every thread ended or waits at a barrier.
/// Returns false to stop the search.
using ExecutionVisitor = std::function<bool(const State &end, bool finished)>;

ExploreResult explore(const Machine &m, const ExploreLimits &limits, const ExecutionVisitor &visit);

} // namespace scopesan::litmus

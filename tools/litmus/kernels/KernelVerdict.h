// Compares what the kernels of a row did under ScopeSan with the row's verdict in the table and
// with the model's executions of the program.
#pragma once

#include "Compare.h"
#include "Observations.h"

namespace scopesan::litmus {

struct KernelResult {
  RowResult model; ///< of the explorer
  Outcome outcome = Outcome::NotRun;
  std::string reason;
  bool needsMoreRuns = false; ///< nothing is wrong, but no run has shown what some must show
  uint64_t runs = 0, considered = 0, racy = 0, stuck = 0;
  uint64_t missingDevices = 0; ///< runs that the backend has too few devices for

  const char *frequency() const { return !racy ? "never" : racy == considered ? "always" : "some"; }
};

/// `runs`: null when the row was not run; `skipped`: why it has no CUDA form, else empty.
KernelResult judgeKernels(const Row &row, const std::vector<ObservedRun> *runs,
                          const std::string &skipped, const CompareOptions &options);

} // namespace scopesan::litmus

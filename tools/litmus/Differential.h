// Compares the detector with the axiomatic model, execution by execution.
#pragma once

#include "RandomProgram.h"
#include "Verdict.h"

namespace scopesan::litmus {

enum class Difference : uint8_t {
  None,
  Invented, ///< a finding names a pair that does not race by the axioms
  Missed    ///< a location has a racing pair by the axioms and no finding
};

struct DifferentialResult {
  uint64_t executions = 0, racyExecutions = 0;
  // Executions with differences that a rule explains.
  uint64_t orderedByScFences = 0; ///< S5: fence.sc order alone orders the pairs
  uint64_t ownWeakObserved = 0;   ///< S16, Observation::strongWritesOnly
  uint64_t wholeRmwObserved = 0;  ///< S16, Observation::wholeRmw
  uint64_t earlierObserved = 0;   ///< S16, Observation::coversEarlier
  bool exhaustive = true;
  Difference difference = Difference::None;
  std::string details; ///< execution and pairs of the first difference
};

struct DifferentialOptions {
  bool cxxMode = false;
  ExploreLimits limits;
};

DifferentialResult compareWithAxioms(const Program &p, const DifferentialOptions &options);

/// Removes operations and threads as long as the difference stays; returns the smaller program.
ProgramText shrink(ProgramText text, const DifferentialOptions &options, Difference kind);

} // namespace scopesan::litmus

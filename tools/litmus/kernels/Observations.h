// What runs of emitted kernels did, as tests/litmus/run_kernels writes it down.
#pragma once

#include "Machine.h"

#include <map>

namespace scopesan::litmus {

struct ObservedFinding {
  std::string rule;                                                    ///< "D1"
  std::pair<uint32_t, uint32_t> first{None, None}, second{None, None}; ///< thread, operation
};

/// One run of one row.
struct ObservedRun {
  uint64_t seed = 0;
  bool stuck = false;
  std::string error;                   ///< a CUDA error; empty = none
  std::vector<std::vector<Step>> logs; ///< by thread; Step::read of loads and RMWs, else written
  std::vector<bool> ended;             ///< by thread
  std::vector<int64_t> memory;         ///< by slot of LocationBytes; empty when not known
  std::vector<ObservedFinding> findings;
  std::vector<std::string> incomplete; ///< X1
};

struct Observations {
  std::map<uint32_t, std::vector<ObservedRun>> runs; ///< by row number
  std::map<uint32_t, std::string> skipped;           ///< by row number: why it has no CUDA form
  std::string error;
};

/// Lines, one run after the other:
///   skip <row> <reason>
///   run <row> <seed> ok | stuck | error <name>
///   t <thread> ended|running <operation>:<wrote>:<value>...
///   m <value>...
///   f <rule> <thread>.<operation>|- <thread>.<operation>|-
///   x <text>
Observations readObservations(const std::string &path);

} // namespace scopesan::litmus

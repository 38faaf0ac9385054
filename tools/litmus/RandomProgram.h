// Random programs in the neutral notation, for the differential test.
#pragma once

#include "Table.h"

#include <random>

namespace scopesan::litmus {

/// A program as text that is easy to shrink: operations by thread.
struct ProgramText {
  std::vector<std::string> positions;
  std::vector<std::vector<std::string>> ops;
  std::vector<std::string> names; ///< empty: T0, T1, ...
  std::string placement, notes;   ///< placement: empty = from the positions
  Row row(const std::string &id) const;
};

struct RandomLimits {
  uint32_t maxThreads = 4;
  uint32_t maxMemoryOps = 9;
  bool proxies = false;   ///< S13: surface, texture and alias views of one location, their fences
  bool launches = false;  ///< S14: every thread a kernel; streams and events order some of them
  bool volatiles = false; ///< some relaxed loads and stores are volatile (O2)
  bool hosts = false;     ///< S15: some threads are host threads, with API calls in between
};

/// The same seed gives the same program on every platform.
ProgramText randomProgram(uint64_t seed, const RandomLimits &limits = {});

} // namespace scopesan::litmus

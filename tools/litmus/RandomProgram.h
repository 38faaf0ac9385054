// Random programs in the neutral notation, for the differential test.
#pragma once

#include "Table.h"

#include <random>

namespace scopesan::litmus {

/// A program as text that is easy to shrink: operations by thread.
struct ProgramText {
  std::vector<std::string> positions;
  std::vector<std::vector<std::string>> ops;
  Row row(const std::string &id) const;
};

struct RandomLimits {
  uint32_t maxThreads = 4;
  uint32_t maxMemoryOps = 9;
};

/// The same seed gives the same program on every platform.
ProgramText randomProgram(uint64_t seed, const RandomLimits &limits = {});

} // namespace scopesan::litmus

// What a single thread may do, for every value its reads might return.
#pragma once

#include "../Program.h"

#include <set>

namespace scopesan::litmus {

struct TraceStep {
  uint32_t instr = 0;
  int64_t read = 0, written = 0;
  bool wrote = false;
  int64_t barrier = 0, logical = 0, count = 0; ///< BlockBarrier; count 0 = not given
  uint64_t dependsOn = 0;                      ///< earlier steps whose value this one needs
  bool writeNeedsRead = false;                 ///< RMW: what is written depends on what was read
};

struct Trace {
  std::vector<TraceStep> steps;
  std::vector<int64_t> registers;
  std::vector<bool> assigned;
  bool done = true; ///< false: waits at its last step, a barrier, for ever
};

/// Values that each root location can hold.
using Domain = std::vector<std::set<int64_t>>;

/// All traces of a thread. `limit` bounds their number; exceeding it returns false.
bool threadTraces(const Program &p, uint32_t thread, const Domain &domain, size_t limit,
                  std::vector<Trace> &out);
/// Least fixed point of initial values and everything some trace writes.
bool valueDomain(const Program &p, size_t limit, Domain &out);

int64_t rmwResult(RmwKind k, int64_t old, int64_t operand);

} // namespace scopesan::litmus

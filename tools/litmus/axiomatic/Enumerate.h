// All executions of a program that the axioms of PTX 8.10 allow, sequentially consistent or not.
#pragma once

#include "Model.h"
#include "Traces.h"

#include <functional>

namespace scopesan::litmus {

struct EnumerateLimits {
  size_t traces = 2000;           ///< per thread
  uint64_t candidates = 20000000; ///< looked at
  uint64_t orders = ~uint64_t(0); ///< of fences and of writes, tried for all candidates together
};

/// A consistent execution and the traces it is made of.
struct AxiomaticExecution {
  const Candidate *candidate;
  const StaticRelations *relations;
  const Derived *derived;
  std::vector<const Trace *> traces;
  bool satisfiesGuard = true;
};

enum class Enumerated : uint8_t {
  All,
  TooMany, ///< a limit was exceeded: some executions were not looked at
  Unknown  ///< the program has operations that the model does not know
};

/// Calls `visit` for each consistent execution; false from it stops.
Enumerated enumerate(const Program &p, const EnumerateLimits &limits,
                     const std::function<bool(const AxiomaticExecution &)> &visit);

struct AxiomaticVerdict {
  Enumerated extent = Enumerated::Unknown;
  uint64_t executions = 0, considered = 0;
  uint64_t racyPtx = 0, racyCxx = 0; ///< of the considered ones
  /// Likewise where fence.sc order makes no edges (S5). The order still decides which executions
  /// exist.
  uint64_t racyPtxS5 = 0, racyCxxS5 = 0;
  bool complete() const { return extent == Enumerated::All; }
};
AxiomaticVerdict axiomaticVerdict(const Program &p, const EnumerateLimits &limits = {});

} // namespace scopesan::litmus

// Finds an order of the operations that threads logged in which each read returns the latest write:
// an execution of the program on a sequentially consistent machine, which the CPU backend is.
#pragma once

#include "Observations.h"

namespace scopesan::litmus {

enum class OrderSearch : uint8_t {
  Found,
  NotFound, ///< no order explains the values: a bug of the backend or of the emitted code
  Unknown   ///< the program has operations whose effects logs do not tell, or logs are too long
};

/// On Found, `steps` are the accesses in order, with Step::from.
OrderSearch findOrder(const Program &p, const ObservedRun &run, std::vector<Step> &steps);

} // namespace scopesan::litmus

// The smallest engine that generated code can run on: one thread, thread (1,2,3), lane 5.
#pragma once

#include "cpu_abi.h"

#include <string>

namespace scopesan::test {

/// Text of the last __scopesan_cpu_unsupported, or "exit", "trap".
extern std::string StoppedBy;
/// Number of __scopesan_cpu_yield calls.
extern unsigned Yields;

/// What the last bulk copy or asynchronous store was told.
struct Bulk {
  uint32_t Reduction = 0, Masks = 0;
};
extern Bulk LastBulk;

/// Runs a kernel as the fake thread. False when it stopped early (StoppedBy says why).
bool run(const cpu::Kernel &K, void **Args);

} // namespace scopesan::test

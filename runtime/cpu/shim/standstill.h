// Notices that the host only computes while kernels wait: they run in calls of the CUDA API. A loop
// that waits for a kernel without a call never ends then.
#pragma once

#include <stdint.h>
#include <string>

namespace scopesan::cpu {

/// A launch was enqueued, or is done. `sequence`: of its operation.
void launchWaits(uint64_t Sequence, const std::string &Kernel, uint32_t Index);
void operationDone(uint64_t Sequence);
/// The host called the API, or the device runs.
void hostIsAlive();

} // namespace scopesan::cpu

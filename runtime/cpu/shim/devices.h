// The modelled devices: what the program may set of each, and which memory its kernels reach.
#pragma once

#include "cpu/shim/cuda_api.h"
#include "cpu/state.h"

#include <set>
#include <vector>

namespace scopesan::cpu {

struct Device {
  std::set<int> Peers;          ///< whose memory its kernels may access
  cudaMemPool_t Pool = nullptr; ///< current pool of cudaMallocAsync; null = the default one
  unsigned Flags = cudaDeviceScheduleAuto;
};

/// May a thread of the device access the address? Tells why not (D8).
Reach reachOf(uint64_t Address, uint32_t Device);

} // namespace scopesan::cpu

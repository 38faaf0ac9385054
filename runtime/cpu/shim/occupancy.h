// The modelled device's limits and how many blocks of a kernel fit on a multiprocessor.
#pragma once

#include "cpu/shim/modules.h"

namespace scopesan::cpu {

/// An H200 in everything that programs ask, except the number of multiprocessors.
struct DeviceLimits {
  static constexpr int Architecture = 90; ///< sm_90
  static constexpr int WarpSize = 32;
  static constexpr int ThreadsPerBlock = 1024;
  static constexpr int ThreadsPerSm = 2048;
  static constexpr int BlocksPerSm = 32;
  static constexpr int RegistersPerSm = 65536;
  static constexpr int RegistersPerThread = 32; ///< what every kernel is said to use
  static constexpr int SharedPerSm = 233472;
  static constexpr int SharedPerBlock = 49152;
  static constexpr int SharedPerBlockOptin = 232448;
  static constexpr int ReservedShared = 1024;
  static constexpr int PortableClusterSize = 8;
  static constexpr int LargestClusterSize = 16;
};

int multiprocessors();
/// Bytes of static shared memory of the kernel, without the reserved area.
size_t staticShared(const KernelFunction &F);
int maxThreads(const KernelFunction &F);
/// Blocks per multiprocessor; 0 when not even one fits.
int blocksPerMultiprocessor(const KernelFunction &F, int BlockSize, size_t DynamicShared);

} // namespace scopesan::cpu

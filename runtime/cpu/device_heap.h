// Memory that device code allocates itself (malloc, new).
#pragma once

#include <map>
#include <stdint.h>

namespace scopesan::cpu {

class DeviceHeap {
public:
  /// Null when the limit (cudaLimitMallocHeapSize) is reached.
  void *allocate(uint64_t Bytes);
  bool release(void *P);
  bool contains(uint64_t Address) const;

  uint64_t Limit = 8u << 20; ///< CUDA's default

private:
  uint64_t Used = 0;
  std::map<uint64_t, uint64_t> Sizes; ///< by address
};

extern DeviceHeap TheDeviceHeap;

} // namespace scopesan::cpu

// Memory that device code allocates itself (malloc, new).
#pragma once

#include <stdint.h>
#include <unordered_map>

namespace scopesan::cpu {

class DeviceHeap {
public:
  /// Null when the limit (cudaLimitMallocHeapSize) is reached.
  void *allocate(uint64_t Bytes);
  bool release(void *P);

  uint64_t Limit = 8u << 20; ///< CUDA's default

private:
  uint64_t Used = 0;
  std::unordered_map<void *, uint64_t> Sizes;
};

extern DeviceHeap TheDeviceHeap;

} // namespace scopesan::cpu

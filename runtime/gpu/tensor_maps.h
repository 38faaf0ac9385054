// Tensor maps that the host has encoded or that kernels have changed, by their content.
//
// A kernel cannot say which call made the map that it uses: it may have been copied, or built in
// shared memory and published. Its 128 bytes say it, whatever the driver puts there.
#pragma once

#include "host/tensor_map.h"
#include "scopesan/gpu_abi.h"

#include <string.h>
#include <unordered_map>

namespace scopesan::gpu {

class TensorMaps {
public:
  struct Known {
    host::TensorMap map;
    const char *lacks = nullptr; ///< what of it tensor copies here do not know; null: nothing
  };

  static uint64_t hashOf(const void *map) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < tensor::MapWords; ++i) {
      uint64_t word;
      memcpy(&word, static_cast<const char *>(map) + i * sizeof word, sizeof word);
      hash = tensor::hashStep(hash, word);
    }
    return hash;
  }

  /// Null: a map that nobody was seen to make.
  const Known *find(uint64_t hash) const {
    auto known = Maps.find(hash);
    return known == Maps.end() ? nullptr : &known->second;
  }
  void add(uint64_t hash, const Known &known) {
    if (Maps.size() >= MostMaps)
      Maps.clear(); // what is still used becomes unknown, which is X1
    Maps[hash] = known;
  }
  /// `change(map)`: of the map with hash `before`, which has hash `after` since; false: to
  /// something that tensor copies here do not know.
  template <typename Change>
  void changed(uint64_t before, uint64_t after, const char *otherwise, Change change) {
    const Known *known = find(before);
    if (!known)
      return;
    Known next = *known;
    if (!next.lacks && !change(next.map))
      next.lacks = otherwise;
    add(after, next);
  }

private:
  static constexpr size_t MostMaps = 1 << 18;
  std::unordered_map<uint64_t, Known> Maps;
};

} // namespace scopesan::gpu

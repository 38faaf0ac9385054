// Where host code called from: return addresses, remembered once each. Not thread-safe by itself.
#pragma once

#include "json.h"
#include "scopesan/core/ids.h"

#include <map>
#include <vector>

namespace scopesan::host {

/// A host call stack. 0 = none.
struct StackId {
  uint32_t value = 0;
  constexpr bool operator==(const StackId &) const = default;
};

/// The calling thread's return addresses outside this library, innermost first. A few microseconds.
std::vector<uint64_t> unwind();

class StackRegistry {
public:
  StackId add(std::vector<uint64_t> addresses);
  /// Writes the frames outside the CUDA libraries as [{module, offset}], innermost first. The
  /// offset is that of the call in the module's file.
  void write(JsonWriter &json, StackId stack) const;

private:
  std::map<std::vector<uint64_t>, uint32_t> ids;
  std::vector<const std::vector<uint64_t> *> stacks; // by id - 1
};

} // namespace scopesan::host

// One driver call that the program made, and the handlers of each family of calls.
#pragma once

#include "cupti/collector.h"
#include "cupti/cupti_api.h"

#include <span>
#include <string_view>

namespace scopesan::cupti {

struct Call {
  const CUpti_CallbackData *data;
  bool enter, perThread, succeeded;
  std::string api; ///< what the program called: the runtime's name where there is one
  /// Kept from ENTER to EXIT.
  uint64_t &kept() const { return *data->correlationData; }
  gpu::Stream &stream(Collector &c, CUstream handle) const {
    return c.Order.stream(handle, perThread, data->context);
  }
};
template <typename T> const T &params(const Call &c) {
  return *static_cast<const T *>(c.data->functionParams);
}
inline uint64_t raw(const void *p) { return reinterpret_cast<uint64_t>(p); }

/// Work that is captured does not run now.
bool captured(CUstream stream);

using Handler = void (*)(Collector &, const Call &);
/// A driver function that carries facts. The name lacks the suffix of the per-thread variants.
struct CallRow {
  std::string_view name;
  Handler handle;
  /// From its ENTER to its EXIT nothing else may happen: the log belongs to one launch.
  bool isLaunch = false;
};
std::span<const CallRow> launchCalls();
std::span<const CallRow> copyCalls();
std::span<const CallRow> orderCalls();
std::span<const CallRow> memoryCalls();
std::span<const CallRow> contextCalls();
/// ENTER and EXIT of cudaDeviceReset.
void deviceReset(Collector &c, bool enter);

} // namespace scopesan::cupti

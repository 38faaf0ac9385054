// One driver call that the program made, and the handlers of each family of calls.
#pragma once

#include "cupti/collector.h"
#include "cupti/cupti_api.h"
#include "host/copy_promise.h"

#include <span>
#include <string_view>

namespace scopesan::cupti {

struct Call {
  const CUpti_CallbackData *data;
  bool enter, perThread, succeeded;
  std::string api;   ///< what the program called: the runtime's name where there is one
  CUcontext context; ///< current
  /// Kept from ENTER to EXIT.
  uint64_t &kept() const { return *data->correlationData; }
  gpu::Stream &stream(Collector &c, CUstream given) const {
    return c.Order.stream(given, perThread, context);
  }
  /// The stream as a call of our own names it.
  CUstream handle(CUstream given) const {
    return perThread && !given ? CU_STREAM_PER_THREAD : given;
  }
  /// Work that is captured does not run now.
  bool captured(CUstream given) const;
  /// A call whose work was captured: gives its node the call's name.
  void nameCaptured(Collector &c, CUstream given) const {
    if (!enter && succeeded)
      c.Graphs.nameCaptured(handle(given), api);
  }
  host::Origin origin(const gpu::Stream &s) const {
    return {.stream = s.ordinal, .stack = host::captureStack()};
  }
};
template <typename T> const T &params(const Call &c) {
  return *static_cast<const T *>(c.data->functionParams);
}
inline uint64_t raw(const void *p) { return reinterpret_cast<uint64_t>(p); }

/// A copy or fill of the program, as its handler found it.
struct Transfer {
  bool async = false;
  bool isCopy = false;
  Box from, to;
  gpu::Content content{}; ///< of each row, where it is known
};
void transfer(Collector &c, const Call &k, CUstream stream, const Transfer &t);
/// The sides of a copy in the driver's form. False: CUDA arrays, which are not checked.
bool boxesOf(const CUDA_MEMCPY3D &m, Box &from, Box &to);

/// What a launch asks for. `withDomain`: also what it takes from its stream.
LaunchRequest requestOf(CUfunction f, const CUlaunchConfig &g, CUstream stream, bool withDomain);

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
std::span<const CallRow> batchCalls();
std::span<const CallRow> orderCalls();
std::span<const CallRow> graphCalls();
std::span<const CallRow> graphExecCalls();
std::span<const CallRow> memoryCalls();
std::span<const CallRow> contextCalls();
std::span<const CallRow> tensorCalls();
/// ENTER and EXIT of cudaDeviceReset.
void deviceReset(Collector &c, bool enter);

} // namespace scopesan::cupti

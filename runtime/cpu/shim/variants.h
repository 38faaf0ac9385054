// Default streams of the API variants.
#pragma once

#include "cpu/shim/context.h"

namespace scopesan::cpu {

/// The _ptsz and _ptds variants mean the calling thread's stream where 0 is given.
inline cudaStream_t perThread(cudaStream_t S) { return S ? S : cudaStreamPerThread; }

/// A call that needs a working device and a valid stream: `Body(Context &, Stream &)`.
template <typename Function> cudaError_t streamCall(cudaStream_t Handle, Function Body) {
  return deviceCall([&](Context &C) {
    Stream *S = C.Streams.lookup(Handle, currentDevice());
    return S ? Body(C, *S) : cudaErrorInvalidResourceHandle;
  });
}

} // namespace scopesan::cpu

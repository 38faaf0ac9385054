// The CUDA runtime's own declarations, exported from this library.
#pragma once

#pragma GCC visibility push(default)
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

/// Marks an exported function that the header does not declare (the _ptsz and _ptds variants, whose
/// default stream is the calling thread's).
#define SCOPESAN_EXPORT extern "C" __attribute__((visibility("default")))

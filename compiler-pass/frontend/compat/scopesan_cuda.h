// Included before every unit by scopesan.cfg: what nvcc gives a CUDA program and clang 22 does not.
// clang's own __clang_cuda_runtime_wrapper.h comes first. Empty for host languages.
#ifndef SCOPESAN_COMPAT_CUDA_H
#define SCOPESAN_COMPAT_CUDA_H
#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)
#include "version.h"
#include "attributes.h"
#include "host.h"
#include "intrinsics.h"
#include "atomics.h"
#endif
#endif

// What nvcc gives a CUDA program and clang 22 does not. Comes after clang's own start-up header
// (see wrapper/).
#ifndef SCOPESAN_COMPAT_CUDA_H
#define SCOPESAN_COMPAT_CUDA_H
#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)
#if __cplusplus >= 201103L
#include "atomics.h"
#endif
#include "attributes.h"
#include "host.h"
#include "intrinsics.h"
#include "version.h"
#endif
#endif

// Host code: headers that cuda_runtime.h brings along with nvcc, and host versions of functions of
// the global namespace that clang's headers declare for the device only.
#pragma once
#pragma GCC system_header

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vector>

#define SCOPESAN_HOST static inline __attribute__((host, always_inline, unused))

// crt/math_functions.h: all pairs of types that nvcc has.
#define SCOPESAN_MIN_MAX(Result, A, B)                                                             \
  SCOPESAN_HOST Result min(const A a, const B b) {                                                 \
    return (Result)b < (Result)a ? (Result)b : (Result)a;                                          \
  }                                                                                                \
  SCOPESAN_HOST Result max(const A a, const B b) {                                                 \
    return (Result)a < (Result)b ? (Result)b : (Result)a;                                          \
  }
#define SCOPESAN_INTEGER_MIN_MAX(T)                                                                \
  SCOPESAN_MIN_MAX(T, T, T)                                                                        \
  SCOPESAN_MIN_MAX(unsigned T, unsigned T, unsigned T)                                             \
  SCOPESAN_MIN_MAX(unsigned T, T, unsigned T)                                                      \
  SCOPESAN_MIN_MAX(unsigned T, unsigned T, T)
SCOPESAN_INTEGER_MIN_MAX(int)
SCOPESAN_INTEGER_MIN_MAX(long)
SCOPESAN_INTEGER_MIN_MAX(long long)
#undef SCOPESAN_INTEGER_MIN_MAX
#undef SCOPESAN_MIN_MAX

// A NaN is no smallest or largest value: fmin's and fmax's meaning.
#define SCOPESAN_FLOAT_MIN_MAX(Result, A, B, Suffix)                                               \
  SCOPESAN_HOST Result min(const A a, const B b) { return __builtin_fmin##Suffix(a, b); }          \
  SCOPESAN_HOST Result max(const A a, const B b) { return __builtin_fmax##Suffix(a, b); }
SCOPESAN_FLOAT_MIN_MAX(float, float, float, f)
SCOPESAN_FLOAT_MIN_MAX(double, double, double, )
SCOPESAN_FLOAT_MIN_MAX(double, float, double, )
SCOPESAN_FLOAT_MIN_MAX(double, double, float, )
#undef SCOPESAN_FLOAT_MIN_MAX

SCOPESAN_HOST unsigned umin(const unsigned a, const unsigned b) { return min(a, b); }
SCOPESAN_HOST unsigned umax(const unsigned a, const unsigned b) { return max(a, b); }
SCOPESAN_HOST long long llmin(const long long a, const long long b) { return min(a, b); }
SCOPESAN_HOST long long llmax(const long long a, const long long b) { return max(a, b); }
SCOPESAN_HOST unsigned long long ullmin(const unsigned long long a, const unsigned long long b) {
  return min(a, b);
}
SCOPESAN_HOST unsigned long long ullmax(const unsigned long long a, const unsigned long long b) {
  return max(a, b);
}
SCOPESAN_HOST void sincos(const float x, float *const s, float *const c) { sincosf(x, s, c); }

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
  SCOPESAN_HOST Result min(const A __ss_a, const B __ss_b) {                                       \
    return (Result)__ss_b < (Result)__ss_a ? (Result)__ss_b : (Result)__ss_a;                      \
  }                                                                                                \
  SCOPESAN_HOST Result max(const A __ss_a, const B __ss_b) {                                       \
    return (Result)__ss_a < (Result)__ss_b ? (Result)__ss_b : (Result)__ss_a;                      \
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
  SCOPESAN_HOST Result min(const A __ss_a, const B __ss_b) {                                       \
    return __builtin_fmin##Suffix(__ss_a, __ss_b);                                                 \
  }                                                                                                \
  SCOPESAN_HOST Result max(const A __ss_a, const B __ss_b) {                                       \
    return __builtin_fmax##Suffix(__ss_a, __ss_b);                                                 \
  }
SCOPESAN_FLOAT_MIN_MAX(float, float, float, f)
SCOPESAN_FLOAT_MIN_MAX(double, double, double, )
SCOPESAN_FLOAT_MIN_MAX(double, float, double, )
SCOPESAN_FLOAT_MIN_MAX(double, double, float, )
#undef SCOPESAN_FLOAT_MIN_MAX

SCOPESAN_HOST unsigned umin(const unsigned __ss_a, const unsigned __ss_b) {
  return min(__ss_a, __ss_b);
}
SCOPESAN_HOST unsigned umax(const unsigned __ss_a, const unsigned __ss_b) {
  return max(__ss_a, __ss_b);
}
SCOPESAN_HOST long long llmin(const long long __ss_a, const long long __ss_b) {
  return min(__ss_a, __ss_b);
}
SCOPESAN_HOST long long llmax(const long long __ss_a, const long long __ss_b) {
  return max(__ss_a, __ss_b);
}
SCOPESAN_HOST unsigned long long ullmin(const unsigned long long __ss_a,
                                        const unsigned long long __ss_b) {
  return min(__ss_a, __ss_b);
}
SCOPESAN_HOST unsigned long long ullmax(const unsigned long long __ss_a,
                                        const unsigned long long __ss_b) {
  return max(__ss_a, __ss_b);
}
SCOPESAN_HOST void sincos(const float __ss_x, float *const __ss_s, float *const __ss_c) {
  sincosf(__ss_x, __ss_s, __ss_c);
}

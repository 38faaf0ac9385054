// Arithmetic under a directed rounding mode: 0 to zero, 1 nearest, 2 up, 3 down
// (llvm.set.rounding).
#include "support.h"

#pragma STDC FENV_ACCESS ON

// The volatile copies keep the operation between the two mode changes.
#define ROUNDED(Type, Mode, Expression)                                                            \
  __builtin_set_flt_rounds(Mode);                                                                  \
  volatile Type result = (Expression);                                                             \
  __builtin_set_flt_rounds(1);                                                                     \
  return result

#define BINARY(Name, Type, Suffix, Operator)                                                       \
  __attribute__((noinline)) Type __scopesan_ptx_##Name##_##Suffix(Type a, Type b, int mode) {      \
    volatile Type x = a, y = b;                                                                    \
    ROUNDED(Type, mode, x Operator y);                                                             \
  }

BINARY(add, float, f32, +)
BINARY(sub, float, f32, -)
BINARY(mul, float, f32, *)
BINARY(div, float, f32, /)
BINARY(add, double, f64, +)
BINARY(sub, double, f64, -)
BINARY(mul, double, f64, *)
BINARY(div, double, f64, /)

#define OTHERS(Type, Suffix, Fma, Sqrt)                                                            \
  __attribute__((noinline)) Type __scopesan_ptx_fma_##Suffix(Type a, Type b, Type c, int mode) {   \
    volatile Type x = a, y = b, z = c;                                                             \
    ROUNDED(Type, mode, Fma(x, y, z));                                                             \
  }                                                                                                \
  __attribute__((noinline)) Type __scopesan_ptx_sqrt_##Suffix(Type a, int mode) {                  \
    volatile Type x = a;                                                                           \
    ROUNDED(Type, mode, Sqrt(x));                                                                  \
  }                                                                                                \
  __attribute__((noinline)) Type __scopesan_ptx_s64_to_##Suffix(int64_t a, int mode) {             \
    volatile int64_t x = a;                                                                        \
    ROUNDED(Type, mode, (Type)x);                                                                  \
  }                                                                                                \
  __attribute__((noinline)) Type __scopesan_ptx_u64_to_##Suffix(uint64_t a, int mode) {            \
    volatile uint64_t x = a;                                                                       \
    ROUNDED(Type, mode, (Type)x);                                                                  \
  }

OTHERS(float, f32, __builtin_fmaf, __builtin_sqrtf)
OTHERS(double, f64, __builtin_fma, __builtin_sqrt)

__attribute__((noinline)) float __scopesan_ptx_f64_to_f32(double a, int mode) {
  volatile double x = a;
  ROUNDED(float, mode, (float)x);
}

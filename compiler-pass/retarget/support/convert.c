// Small floating-point formats, and the compiler-rt routines that older libgcc versions lack.
#include "support.h"

typedef struct {
  uint32_t exponentBits, mantissaBits;
  uint32_t hasInfinity; ///< 0: e4m3, whose top exponent holds numbers and one NaN
} Format;

// Order of Arith::narrow. tf32 is stored in the upper bits of a float.
static const Format Formats[] = {{5, 10, 1}, {8, 7, 1}, {8, 10, 1}, {4, 3, 0}, {5, 2, 1}};
enum { Tf32 = 2 };

/// Whether a magnitude with remainder `rest` (of 2^shift) rounds away from zero.
static int roundsAway(uint32_t mode, uint32_t negative, uint64_t rest, uint64_t half,
                      uint64_t mantissa) {
  switch (mode) {
  case 0:
    return 0;
  case 2:
    return rest && !negative;
  case 3:
    return rest && negative;
  case 4:
    return rest >= half;
  default:
    return rest > half || (rest == half && (mantissa & 1));
  }
}

static uint32_t overflowBits(Format f, uint32_t mode, uint32_t negative, uint32_t saturate) {
  uint32_t topExponent = (1u << f.exponentBits) - 1, m = (1u << f.mantissaBits) - 1;
  uint32_t largest = f.hasInfinity ? (topExponent - 1) << f.mantissaBits | m
                                   : topExponent << f.mantissaBits | (m - 1);
  uint32_t towardZero = mode == 0 || (mode == 2 && negative) || (mode == 3 && !negative);
  if (saturate || towardZero)
    return largest;
  return f.hasInfinity ? topExponent << f.mantissaBits : topExponent << f.mantissaBits | m;
}

/// Encodes `x` in a format; `saturate` turns overflow into the largest finite number (.satfinite).
uint32_t __scopesan_ptx_narrow(double x, uint32_t format, uint32_t mode, uint32_t saturate) {
  Format f = Formats[format];
  uint64_t bits;
  __builtin_memcpy(&bits, &x, 8);
  uint32_t negative = bits >> 63, signBit = negative << (f.exponentBits + f.mantissaBits);
  uint32_t storageShift = format == Tf32 ? 13 : 0;
  uint32_t topExponent = (1u << f.exponentBits) - 1, bias = topExponent >> 1;
  int64_t exponent = (int64_t)(bits >> 52 & 2047) - 1023;
  uint64_t mantissa = bits & ((1ull << 52) - 1);
  uint32_t allOnes = topExponent << f.mantissaBits | ((1u << f.mantissaBits) - 1);
  if (x != x) // the canonical NaN
    return allOnes << storageShift;
  if (exponent == 1024)
    return (signBit | overflowBits(f, 1, negative, saturate)) << storageShift;
  if ((bits << 1) == 0)
    return signBit << storageShift;
  if (exponent > -1023)
    mantissa |= 1ull << 52;
  else
    exponent = -1022;
  int64_t minExponent = 1 - (int64_t)bias, shift = 52 - f.mantissaBits;
  if (exponent < minExponent)
    shift += minExponent - exponent;
  uint64_t kept = 0, rest = 1, half = 2;
  if (shift < 63) {
    kept = mantissa >> shift;
    rest = mantissa & ((1ull << shift) - 1);
    half = 1ull << (shift - 1);
  }
  kept += roundsAway(mode, negative, rest, half, kept);
  // The hidden bit carries into the exponent field, as does rounding up.
  uint64_t field = exponent < minExponent ? 0 : (uint64_t)(exponent - minExponent);
  uint64_t magnitude = (field << f.mantissaBits) + kept;
  uint64_t limit = f.hasInfinity ? (uint64_t)topExponent << f.mantissaBits : allOnes;
  if (magnitude >= limit)
    magnitude = overflowBits(f, mode, negative, saturate);
  return (signBit | (uint32_t)magnitude) << storageShift;
}

static float scaled(uint32_t negative, uint32_t mantissa, int exponent) {
  float v = (float)mantissa;
  for (; exponent > 0; exponent--)
    v *= 2;
  for (; exponent < 0; exponent++)
    v *= 0.5f;
  return negative ? -v : v;
}

float __scopesan_ptx_widen_e4m3(uint32_t b) {
  uint32_t e = b >> 3 & 15, m = b & 7;
  if (e == 15 && m == 7)
    return __builtin_nanf("");
  return e ? scaled(b >> 7 & 1, m | 8, (int)e - 10) : scaled(b >> 7 & 1, m, -9);
}

float __scopesan_ptx_widen_e5m2(uint32_t b) {
  uint32_t e = b >> 2 & 31, m = b & 3, negative = b >> 7 & 1;
  if (e == 31)
    return m ? __builtin_nanf("") : negative ? -__builtin_inff() : __builtin_inff();
  return e ? scaled(negative, m | 4, (int)e - 17) : scaled(negative, m, -16);
}

// Results travel in vector registers, as the code generator expects of these routines.
static uint16_t narrowed(double x, uint32_t format) {
  return (uint16_t)__scopesan_ptx_narrow(x, format, 1, 0);
}

_Float16 __truncdfhf2(double x) {
  uint16_t bits = narrowed(x, 0);
  _Float16 result;
  __builtin_memcpy(&result, &bits, 2);
  return result;
}

_Float16 __truncsfhf2(float x) { return __truncdfhf2(x); }

__bf16 __truncdfbf2(double x) {
  uint16_t bits = narrowed(x, 1);
  __bf16 result;
  __builtin_memcpy(&result, &bits, 2);
  return result;
}

__bf16 __truncsfbf2(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, 4);
  if (x != x)
    bits |= 0x400000;
  else
    bits += 0x7fff + (bits >> 16 & 1);
  uint16_t top = bits >> 16;
  __bf16 result;
  __builtin_memcpy(&result, &top, 2);
  return result;
}

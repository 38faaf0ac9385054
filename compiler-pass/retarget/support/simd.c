// SIMD video instructions of PTX (PTX ISA 9.7.18): two halves or four bytes in one register.
#include "support.h"

enum { Add, Subtract, Average, AbsoluteDifference, Minimum, Maximum };
enum { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

static int32_t lane(uint32_t v, uint32_t shift, uint32_t bits, uint32_t isSigned) {
  uint32_t field = v >> shift & ((1u << bits) - 1);
  return isSigned && field >> (bits - 1) ? (int32_t)(field - (1u << bits)) : (int32_t)field;
}

static int32_t compute(uint32_t operation, int32_t a, int32_t b) {
  int32_t sum = a + b, difference = a - b;
  switch (operation) {
  case Add:
    return sum;
  case Subtract:
    return difference;
  case Average: // halves are rounded away from zero, as the specification's pseudo code does
    return (sum >= 0 ? sum + 1 : sum) >> 1;
  case AbsoluteDifference:
    return difference < 0 ? -difference : difference;
  case Minimum:
    return a < b ? a : b;
  default:
    return a < b ? b : a;
  }
}

static int32_t compare(uint32_t relation, int32_t a, int32_t b) {
  switch (relation) {
  case Equal:
    return a == b;
  case NotEqual:
    return a != b;
  case Less:
    return a < b;
  case LessEqual:
    return a <= b;
  case Greater:
    return a > b;
  default:
    return a >= b;
  }
}

static int32_t clamp(int32_t v, uint32_t bits, uint32_t isSigned) {
  int32_t high = (int32_t)((1u << (isSigned ? bits - 1 : bits)) - 1);
  int32_t low = isSigned ? -high - 1 : 0;
  return v < low ? low : v > high ? high : v;
}

/// v<operation>{2,4}: `bits` per element; `saturate`: 0 no, 1 to unsigned, 2 to signed elements;
/// `accumulate`: the elements' sum is added to `c`, which is otherwise not used (no write mask).
uint32_t __scopesan_ptx_simd(uint32_t operation, uint32_t bits, uint32_t a, uint32_t aSigned,
                             uint32_t b, uint32_t bSigned, uint32_t saturate, uint32_t accumulate,
                             uint32_t c) {
  uint32_t packed = 0, sum = c, mask = (1u << bits) - 1;
  for (uint32_t i = 0; i < 32; i += bits) {
    int32_t t = compute(operation, lane(a, i, bits, aSigned), lane(b, i, bits, bSigned));
    if (saturate)
      t = clamp(t, bits, saturate == 2);
    packed |= ((uint32_t)t & mask) << i;
    sum += (uint32_t)t;
  }
  return accumulate ? sum : packed;
}

/// vset{2,4}: 1 where the relation holds.
uint32_t __scopesan_ptx_simd_set(uint32_t relation, uint32_t bits, uint32_t a, uint32_t aSigned,
                                 uint32_t b, uint32_t bSigned, uint32_t accumulate, uint32_t c) {
  uint32_t packed = 0, sum = c;
  for (uint32_t i = 0; i < 32; i += bits) {
    uint32_t t =
        (uint32_t)compare(relation, lane(a, i, bits, aSigned), lane(b, i, bits, bSigned));
    packed |= t << i;
    sum += t;
  }
  return accumulate ? sum : packed;
}

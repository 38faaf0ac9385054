// Bit manipulation of PTX: prmt, bfe, bfi, fns, dp4a, dp2a (PTX ISA 9.7.8).
#include "support.h"

/// `mode`: 0 default, 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16.
uint32_t __scopesan_ptx_prmt(uint32_t a, uint32_t b, uint32_t selector, uint32_t mode) {
  static const uint16_t Table[7][4] = {{0},
                                       {0x3210, 0x4321, 0x5432, 0x6543},
                                       {0x5670, 0x6701, 0x7012, 0x0123},
                                       {0x0000, 0x1111, 0x2222, 0x3333},
                                       {0x3210, 0x3211, 0x3222, 0x3333},
                                       {0x0000, 0x1110, 0x2210, 0x3210},
                                       {0x1010, 0x3232, 0x1010, 0x3232}};
  if (mode)
    selector = Table[mode][selector & 3];
  uint64_t bytes = a | (uint64_t)b << 32;
  uint32_t result = 0;
  for (int i = 0; i < 4; i++) {
    uint32_t pick = selector >> 4 * i & 15;
    uint32_t byte = bytes >> 8 * (pick & 7) & 255;
    if (pick & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << 8 * i;
  }
  return result;
}

static uint64_t lowBits(uint32_t n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

uint64_t __scopesan_ptx_bfe_u(uint64_t v, uint32_t pos, uint32_t len, uint32_t width) {
  pos &= 255;
  len &= 255;
  return pos >= width ? 0 : (v & lowBits(width)) >> pos & lowBits(len);
}

/// The field is extended with the bit at its top, or at the top of `v` when it reaches beyond.
uint64_t __scopesan_ptx_bfe_s(uint64_t v, uint32_t pos, uint32_t len, uint32_t width) {
  pos &= 255;
  len &= 255;
  if (!len)
    return 0;
  uint32_t top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
  uint64_t sign = v >> top & 1 ? ~0ull : 0;
  uint64_t field = pos >= width ? sign : (v & lowBits(width)) >> pos;
  uint32_t kept = pos >= width ? 0 : top - pos + 1;
  return (field & lowBits(kept)) | (sign & ~lowBits(kept));
}

uint64_t __scopesan_ptx_bfi(uint64_t field, uint64_t into, uint32_t pos, uint32_t len,
                            uint32_t width) {
  pos &= 255;
  len &= 255;
  if (pos >= width)
    return into;
  uint64_t mask = lowBits(len) << pos & lowBits(width);
  return (into & ~mask) | (field << pos & mask);
}

/// fns: position of the `offset`-th set bit from `base` upwards (downwards if negative); ~0 if
/// none.
uint32_t __scopesan_ptx_fns(uint32_t mask, uint32_t base, int32_t offset) {
  if (offset == 0)
    return mask >> (base & 31) & 1 ? base : ~0u;
  int step = offset > 0 ? 1 : -1, left = offset > 0 ? offset : -offset;
  for (int pos = (int)base; pos >= 0 && pos < 32; pos += step)
    if (mask >> pos & 1 && --left == 0)
      return pos;
  return ~0u;
}

static int32_t lane(uint32_t v, uint32_t shift, uint32_t bits, uint32_t isSigned) {
  uint32_t field = v >> shift & ((1u << bits) - 1);
  return isSigned && field >> (bits - 1) ? (int32_t)(field - (1u << bits)) : (int32_t)field;
}

uint32_t __scopesan_ptx_dp4a(uint32_t a, uint32_t aSigned, uint32_t b, uint32_t bSigned,
                             uint32_t c) {
  for (uint32_t i = 0; i < 32; i += 8)
    c += (uint32_t)(lane(a, i, 8, aSigned) * lane(b, i, 8, bSigned));
  return c;
}

/// `high` picks the upper two bytes of b (dp2a.hi).
uint32_t __scopesan_ptx_dp2a(uint32_t a, uint32_t aSigned, uint32_t b, uint32_t bSigned,
                             uint32_t high, uint32_t c) {
  for (uint32_t i = 0; i < 2; i++)
    c += (uint32_t)(lane(a, 16 * i, 16, aSigned) * lane(b, 16 * high + 8 * i, 8, bSigned));
  return c;
}

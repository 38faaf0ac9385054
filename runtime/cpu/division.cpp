#include "cpu/division.h"

#include <stdint.h>

using namespace scopesan::cpu;

namespace {

struct Division {
  unsigned Length = 0; ///< bytes of the instruction; 0 = not a division
  unsigned Bits = 32;
  bool Signed = false;
};

/// Bytes that ModRM, SIB and displacement take.
unsigned operandLength(const uint8_t *P) {
  unsigned Mode = P[0] >> 6, Rm = P[0] & 7, Length = 1;
  if (Mode == 3)
    return Length;
  if (Rm == 4) {
    if (Mode == 0 && (P[1] & 7) == 5)
      Length += 4;
    ++Length;
  } else if (Mode == 0 && Rm == 5) {
    Length += 4;
  }
  return Length + (Mode == 1 ? 1 : Mode == 2 ? 4 : 0);
}

/// Decodes F6 and F7 with /6 (div) and /7 (idiv) in 64-bit mode.
Division decode(const uint8_t *P) {
  Division D;
  const uint8_t *Start = P;
  while (*P == 0x66 || *P == 0x2e || *P == 0x3e || *P == 0x64 || *P == 0x65)
    if (*P++ == 0x66)
      D.Bits = 16;
  if ((*P & 0xf0) == 0x40) {
    if (*P & 8)
      D.Bits = 64;
    ++P;
  }
  uint8_t Opcode = *P++;
  unsigned Form = P[0] >> 3 & 7;
  if ((Opcode != 0xf6 && Opcode != 0xf7) || Form < 6)
    return {};
  if (Opcode == 0xf6)
    D.Bits = 8;
  D.Signed = Form == 7;
  D.Length = unsigned(P - Start) + operandLength(P);
  return D;
}

} // namespace

bool scopesan::cpu::completeDivision(ucontext_t &Context) {
  auto &Registers = Context.uc_mcontext.gregs;
  Division D = decode(reinterpret_cast<const uint8_t *>(Registers[REG_RIP]));
  if (!D.Length)
    return false;
  auto Low = uint64_t(Registers[REG_RAX]), High = uint64_t(Registers[REG_RDX]);
  // Unspecified by PTX; what the hardware gives: all ones, and the dividend as the remainder. The
  // one overflow, minimum / -1, cannot be told apart from here without the divisor: with a signed
  // minimum dividend it is by far the likelier cause.
  uint64_t Minimum = uint64_t(1) << (D.Bits - 1);
  uint64_t Mask = D.Bits == 64 ? ~uint64_t(0) : (uint64_t(1) << D.Bits) - 1;
  bool Overflow = D.Signed && (Low & Mask) == Minimum;
  uint64_t Quotient = Overflow ? Minimum : Mask, Remainder = Overflow ? 0 : Low & Mask;
  if (D.Bits == 8) {
    Low = (Low & ~uint64_t(0xffff)) | (Remainder & 0xff) << 8 | (Quotient & 0xff);
  } else if (D.Bits == 16) {
    Low = (Low & ~Mask) | Quotient;
    High = (High & ~Mask) | Remainder;
  } else {
    Low = Quotient;
    High = Remainder;
  }
  Registers[REG_RAX] = greg_t(Low);
  Registers[REG_RDX] = greg_t(High);
  Registers[REG_RIP] += D.Length;
  return true;
}

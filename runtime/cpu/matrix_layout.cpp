// Which lane holds which element.
#include "cpu/matrix.h"

using namespace scopesan::cpu;

ElementPlace scopesan::cpu::placeOf(const MatrixForm &F, MatrixOperand O, uint32_t Lane,
                                    uint32_t I) {
  if (F.Layout == MatrixLayout::Wmma) {
    uint32_t Columns = columnsOf(F, O);
    uint32_t Slot = (Lane * elementsOf(F, O) + I) % (rowsOf(F, O) * Columns);
    return {Slot / Columns, Slot % Columns};
  }
  // Lanes in eight groups of four. A 32-bit register holds `Packed` neighbours along K.
  uint32_t Group = Lane / 4, InGroup = Lane % 4, Bits = bitsOf(typeOf(F, O));
  uint32_t Packed = Bits < 32 ? 32 / Bits : 1, Register = I / Packed;
  uint32_t Halves = rowsOf(F, O) == 8 ? 1 : 2;
  switch (O) {
  case MatrixOperand::A:
    return {Group + 8 * (Register % Halves),
            InGroup * Packed + I % Packed + Register / Halves * 4 * Packed};
  case MatrixOperand::B:
    return {InGroup * Packed + I % Packed + Register * 4 * Packed, Group};
  case MatrixOperand::C:
    break;
  }
  return {Group + 8 * (I / 2 % Halves), I / (2 * Halves) * 8 + InGroup * 2 + I % 2};
}

// Which lane holds which element, and where elements lie in shared memory.
#include "cpu/matrix.h"

#include "cpu/engine.h"

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

SharedMatrix::SharedMatrix(const Thread &T, uint64_t Descriptor, MatrixType Type, bool Transposed,
                           std::string &Error)
    : Transposed(Transposed) {
  constexpr uint32_t Window = 1 << 18; // the descriptor has 18 bits of an address
  auto Field = [&](int At) { return uint32_t(Descriptor >> At & 0x3fff) << 4; };
  char *Shared = T.Owner->Shared;
  uint32_t Offset = (Field(0) - uint32_t(reinterpret_cast<uint64_t>(Shared))) & (Window - 1);
  Start = Shared + Offset;
  Leading = Field(16);
  Stride = Field(32);
  Bytes = bitsOf(Type) / 8;
  constexpr uint32_t UnitsOf[] = {1, 8, 4, 2};
  Units = UnitsOf[Descriptor >> 62];
  if (Offset >= T.Owner->Grid->SlotBytes)
    Error = "a matrix descriptor that names no shared memory of the block";
  else if (Descriptor >> 49 & 7)
    Error = "a matrix descriptor with a base offset";
}

char *SharedMatrix::element(uint32_t Across, uint32_t Along) const {
  uint32_t PerUnit = 16 / Bytes;
  uint64_t Offset;
  if (!Transposed) { // 8 rows of `Units` units; the unit along K
    uint32_t Unit = Along / PerUnit;
    Offset = Across % 8 * 16 * Units + Across / 8 * Stride + Along % PerUnit * Bytes +
             Unit * (Units == 1 ? Leading : 16);
  } else { // 8 steps along K, each a row of `Units` units
    uint32_t Unit = Across / PerUnit;
    Offset = Across % PerUnit * Bytes + Unit % Units * 16 + Along % 8 * 16 * Units +
             Unit / Units * (Units == 1 ? Stride : Leading) +
             Along / 8 * (Units == 1 ? Leading : Stride);
  }
  uint64_t At = reinterpret_cast<uint64_t>(Start) + Offset;
  return reinterpret_cast<char *>(At ^ ((At >> 7 & (Units - 1)) << 4));
}

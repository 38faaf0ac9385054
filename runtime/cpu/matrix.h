// Matrix operations of a warp (PTX ISA 9.7.15, 9.7.16): fragments, shared-memory matrices, groups.
#pragma once

#include "cpu/cpu_abi.h"
#include "cpu/state.h"

#include <string>

namespace scopesan::cpu {

enum class MatrixOperand : uint32_t { A, B, C };

struct ElementPlace {
  uint32_t Row, Column;
};

constexpr uint32_t rowsOf(const MatrixForm &F, MatrixOperand O) {
  return O == MatrixOperand::B ? F.K : F.Layout == MatrixLayout::Wgmma ? 16 : F.M;
}
constexpr uint32_t columnsOf(const MatrixForm &F, MatrixOperand O) {
  return O == MatrixOperand::A ? F.K : F.N;
}
constexpr MatrixType typeOf(const MatrixForm &F, MatrixOperand O) {
  return O == MatrixOperand::A ? F.A : O == MatrixOperand::B ? F.B : F.C;
}
/// Elements that each lane holds. wmma holds 16 of an f16 factor, some of them twice.
constexpr uint32_t elementsOf(const MatrixForm &F, MatrixOperand O) {
  bool Twice =
      F.Layout == MatrixLayout::Wmma && O != MatrixOperand::C && typeOf(F, O) == MatrixType::F16;
  return Twice ? 16 : rowsOf(F, O) * columnsOf(F, O) / 32;
}
/// Where element `I` of `Lane` stands in the matrix.
ElementPlace placeOf(const MatrixForm &F, MatrixOperand O, uint32_t Lane, uint32_t I);

/// A matrix in shared memory as a descriptor gives it (PTX ISA 9.7.16.5.1): rows of A, or columns
/// of B, of 32 bytes along K.
class SharedMatrix {
public:
  /// `Error` says why a descriptor cannot be followed.
  SharedMatrix(const Thread &T, uint64_t Descriptor, MatrixType Type, bool Transposed,
               std::string &Error);
  /// Address of the element `Along` K in row (of A) or column (of B) `Across`.
  char *element(uint32_t Across, uint32_t Along) const;

private:
  char *Start;
  uint32_t Leading, Stride, ///< bytes between core matrices, or blocks of them
      Units,                ///< of 16 bytes in a row of the swizzled pattern: 1, 2, 4, 8
      Bytes;                ///< of an element
  bool Transposed;
};

/// The thread's warpgroup.
Warpgroup &warpgroupOf(Thread &T);

} // namespace scopesan::cpu

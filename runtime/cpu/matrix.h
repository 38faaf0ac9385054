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

/// The thread's warpgroup.
Warpgroup &warpgroupOf(Thread &T);

} // namespace scopesan::cpu

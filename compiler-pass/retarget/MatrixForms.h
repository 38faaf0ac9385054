// Forms of matrix instructions as the engine takes them (runtime/cpu/cpu_abi.h).
#pragma once

#include "Modifiers.h"

#include "cpu_abi.h"

#include <optional>

namespace scopesan::retarget {

/// Of mma and wmma (PTX ISA 9.7.15), from the parts of the instruction's or intrinsic's name.
/// Nothing when the form is not known. wmma.load and .store name one type, `Operand` 0 A, 1 B, 2 C.
std::optional<cpu::MatrixForm> mmaForm(const Modifiers &Mods);
std::optional<cpu::MatrixForm> wmmaForm(const Modifiers &Mods);
std::optional<cpu::MatrixForm> wmmaMemoryForm(const Modifiers &Mods, unsigned &Operand);
/// wgmma.mma_async.sync.aligned.shape.dtype.atype.btype (PTX ISA 9.7.16.5.2)
std::optional<cpu::MatrixForm> wgmmaForm(const Modifiers &Mods);

/// Registers of one lane and their size in bits: 64 for f64, else 32.
struct FragmentShape {
  unsigned Registers, Bits;
};
/// `Operand`: 0 A, 1 B, 2 C, 3 D.
FragmentShape fragmentShape(const cpu::MatrixForm &F, unsigned Operand);

} // namespace scopesan::retarget

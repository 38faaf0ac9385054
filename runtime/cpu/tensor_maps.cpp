// tensormap.replace (PTX ISA 9.7.9.28): changes a tensor map that cuTensorMapEncodeTiled has made.
#include "cpu/async_copies.h"
#include "cpu/cpu_abi.h"
#include "cpu/engine.h"
#include "cpu/tensor_copies.h"

#include <iterator>
#include <string.h>
#include <string>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

struct ElementType {
  uint8_t Bytes, Reduces;
};

/// Of each value of .elemtype, in its order: u8, u16, u32, s32, u64, s64, f16, f32, f32.ftz, f64,
/// bf16, tf32, tf32.ftz.
constexpr ElementType Types[] = {
    {1, TensorMap::NoReduction},   {2, TensorMap::NoReduction},    {4, uint8_t(ReduceType::U32)},
    {4, uint8_t(ReduceType::S32)}, {8, uint8_t(ReduceType::U64)},  {8, uint8_t(ReduceType::S64)},
    {2, uint8_t(ReduceType::F16)}, {4, uint8_t(ReduceType::F32)},  {4, uint8_t(ReduceType::F32)},
    {8, uint8_t(ReduceType::F64)}, {2, uint8_t(ReduceType::BF16)}, {4, TensorMap::NoReduction},
    {4, TensorMap::NoReduction}};

/// False for a value that tensor copies here do not know.
bool replaceMode(TensorMap &M, TensorMapField Field, uint64_t Value) {
  constexpr uint8_t UnitsOf[] = {1, 2, 4, 8}; // none, 32, 64, 128 bytes
  switch (Field) {
  case TensorMapField::Type:
    if (Value >= std::size(Types))
      return false;
    M.ElementBytes = Types[Value].Bytes;
    M.Reduces = Types[Value].Reduces;
    return true;
  case TensorMapField::Swizzle:
    if (Value >= std::size(UnitsOf))
      return false;
    M.SwizzleUnits = UnitsOf[Value];
    return true;
  case TensorMapField::Fill:
    M.FillsNan = Value == 1;
    return Value <= 1;
  default: // no interleaving, atoms of 16 bytes
    return Value == 0;
  }
}

bool replace(TensorMap &M, TensorMapField Field, uint32_t D, uint64_t Value) {
  if (M.Magic != TensorMap::MagicNumber || D >= TensorMap::MaxRank)
    return false;
  switch (Field) {
  case TensorMapField::Address:
    M.Address = Value;
    return Value % 16 == 0;
  case TensorMapField::Rank:
    M.Rank = uint8_t(Value + 1);
    return Value < TensorMap::MaxRank;
  case TensorMapField::Box:
    M.Box[D] = uint16_t(Value);
    return Value >= 1 && Value <= 256;
  case TensorMapField::Size:
    M.LastIndex[D] = uint32_t(Value - 1);
    return true; // 0 stands for 2^32
  case TensorMapField::Stride:
    if (D + 1 >= TensorMap::MaxRank)
      return false;
    M.Strides[D] = Value;
    return Value % 16 == 0;
  case TensorMapField::Step:
    M.Steps[D] = uint8_t(Value);
    return Value >= 1 && Value <= 8;
  default:
    return replaceMode(M, Field, Value);
  }
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

void __scopesan_cpu_tensormap_replace(void *Map, uint32_t Field, uint32_t Index, uint64_t Value) {
  TensorMap M;
  readDeviceMemory(&M, Map, sizeof M);
  if (!replace(M, TensorMapField(Field), Index, Value))
    TheEngine.failFromFiber(FailureCode::LaunchFailure,
                            "tensormap.replace: not a tensor map made by cuTensorMapEncodeTiled, "
                            "or a value that the CPU backend does not know, " +
                                describeThread(*Engine::current()));
  writeDeviceMemory(Map, &M, sizeof M);
}

#pragma GCC visibility pop
}

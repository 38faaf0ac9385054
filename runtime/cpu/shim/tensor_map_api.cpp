// Tensor maps, and the driver's entry points that programs ask the runtime for.
#include "cpu/cpu_abi.h"
#include "cpu/shim/context.h"
#include "cpu/tensor_map.h"

#include "host/collector.h"

#include <cuda.h>
#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

uint32_t bytesOf(CUtensorMapDataType T) {
  switch (T) {
  case CU_TENSOR_MAP_DATA_TYPE_UINT8:
    return 1;
  case CU_TENSOR_MAP_DATA_TYPE_UINT16:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
  case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
    return 2;
  case CU_TENSOR_MAP_DATA_TYPE_UINT32:
  case CU_TENSOR_MAP_DATA_TYPE_INT32:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
  case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
  case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
    return 4;
  case CU_TENSOR_MAP_DATA_TYPE_UINT64:
  case CU_TENSOR_MAP_DATA_TYPE_INT64:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
    return 8;
  default:
    return 0;
  }
}

uint8_t reductionOf(CUtensorMapDataType T) {
  switch (T) {
  case CU_TENSOR_MAP_DATA_TYPE_UINT32:
    return uint8_t(ReduceType::U32);
  case CU_TENSOR_MAP_DATA_TYPE_INT32:
    return uint8_t(ReduceType::S32);
  case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    return uint8_t(ReduceType::U64);
  case CU_TENSOR_MAP_DATA_TYPE_INT64:
    return uint8_t(ReduceType::S64);
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    return uint8_t(ReduceType::F16);
  case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
    return uint8_t(ReduceType::BF16);
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
    return uint8_t(ReduceType::F32);
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
    return uint8_t(ReduceType::F64);
  default:
    return TensorMap::NoReduction;
  }
}

/// 0 for the atom variants of 128 bytes, which tensor copies here do not know.
uint8_t unitsOf(CUtensorMapSwizzle S) {
  switch (S) {
  case CU_TENSOR_MAP_SWIZZLE_NONE:
    return 1;
  case CU_TENSOR_MAP_SWIZZLE_32B:
    return 2;
  case CU_TENSOR_MAP_SWIZZLE_64B:
    return 4;
  case CU_TENSOR_MAP_SWIZZLE_128B:
    return 8;
  default:
    return 0;
  }
}

CUresult lacks(const char *What) {
  host::incomplete(std::string("the CPU backend lacks ") + What);
  return CUDA_ERROR_NOT_SUPPORTED;
}

/// The rules of the driver's documentation for CU_TENSOR_MAP_INTERLEAVE_NONE.
bool isValid(const TensorMap &M, const cuuint64_t *Sizes, const cuuint64_t *Strides,
             const cuuint32_t *Box, const cuuint32_t *Steps) {
  if (M.Rank < 1 || M.Rank > TensorMap::MaxRank || !M.Address || M.Address % 16)
    return false;
  for (uint32_t D = 0; D < M.Rank; ++D) {
    bool Size = Sizes[D] >= 1 && Sizes[D] <= uint64_t(1) << 32;
    if (!Size || Box[D] < 1 || Box[D] > 256 || Steps[D] < 1 || Steps[D] > 8)
      return false;
    if (D + 1 < M.Rank && (Strides[D] % 16 || Strides[D] >= uint64_t(1) << 40))
      return false;
  }
  uint32_t Inner = Box[0] * M.ElementBytes;
  return Inner % 16 == 0 && (M.SwizzleUnits == 1 || Inner <= M.SwizzleUnits * 16u);
}

} // namespace

extern "C" {
#pragma GCC visibility push(default)

CUresult cuTensorMapEncodeTiled(CUtensorMap *Map, CUtensorMapDataType Type, cuuint32_t Rank,
                                void *Address, const cuuint64_t *Sizes, const cuuint64_t *Strides,
                                const cuuint32_t *Box, const cuuint32_t *Steps,
                                CUtensorMapInterleave Interleave, CUtensorMapSwizzle Swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill Fill) {
  if (!Map || !Sizes || !Box || !Steps || (Rank > 1 && !Strides))
    return CUDA_ERROR_INVALID_VALUE;
  if (Interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
    return lacks("interleaved tensor maps");
  TensorMap M;
  M.Rank = uint8_t(Rank);
  M.ElementBytes = uint8_t(bytesOf(Type));
  M.SwizzleUnits = unitsOf(Swizzle);
  if (!M.ElementBytes || !M.SwizzleUnits)
    return lacks(M.ElementBytes ? "this swizzle of tensor maps" : "this type of tensor maps");
  M.Reduces = reductionOf(Type);
  M.FillsNan = Fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  M.Address = reinterpret_cast<uint64_t>(Address);
  if (!isValid(M, Sizes, Strides, Box, Steps))
    return CUDA_ERROR_INVALID_VALUE;
  for (uint32_t D = 0; D < Rank; ++D) {
    M.LastIndex[D] = uint32_t(Sizes[D] - 1);
    M.Box[D] = uint16_t(Box[D]);
    M.Steps[D] = uint8_t(Steps[D]);
    if (D + 1 < Rank)
      M.Strides[D] = Strides[D];
  }
  memset(Map, 0, sizeof *Map);
  memcpy(Map, &M, sizeof M);
  return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *Map, void *Address) {
  uint64_t A = reinterpret_cast<uint64_t>(Address);
  TensorMap M;
  if (!Map || !A || A % 16)
    return CUDA_ERROR_INVALID_VALUE;
  memcpy(static_cast<void *>(&M), Map, sizeof M);
  if (M.Magic != TensorMap::MagicNumber)
    return CUDA_ERROR_INVALID_VALUE;
  M.Address = A;
  memcpy(Map, &M, sizeof M);
  return CUDA_SUCCESS;
}

#pragma GCC visibility pop
}

namespace {

cudaError_t entryPoint(const char *Symbol, void **Function,
                       cudaDriverEntryPointQueryResult *Status) {
  struct {
    const char *Name;
    void *Function;
  } Known[] = {{"cuTensorMapEncodeTiled", reinterpret_cast<void *>(&cuTensorMapEncodeTiled)},
               {"cuTensorMapReplaceAddress", reinterpret_cast<void *>(&cuTensorMapReplaceAddress)}};
  if (!Symbol || !Function)
    return record(cudaErrorInvalidValue);
  *Function = nullptr;
  for (auto &K : Known)
    if (!strcmp(K.Name, Symbol))
      *Function = K.Function;
  if (!*Function)
    host::incomplete(std::string("the CPU backend lacks ") + Symbol);
  if (Status)
    *Status = *Function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return *Function || Status ? cudaSuccess : record(cudaErrorSymbolNotFound);
}

} // namespace

cudaError_t cudaGetDriverEntryPoint(const char *Symbol, void **Function, unsigned long long,
                                    cudaDriverEntryPointQueryResult *Status) {
  return entryPoint(Symbol, Function, Status);
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *Symbol, void **Function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult *Status) {
  return entryPoint(Symbol, Function, Status);
}

// Tensor maps.
#include "cpu/shim/context.h"

#include "host/collector.h"
#include "host/tensor_map.h"

#include <cuda.h>
#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

static_assert(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ == 12 && CU_TENSOR_MAP_SWIZZLE_128B == 3 &&
                  CU_TENSOR_MAP_INTERLEAVE_NONE == 0 && CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE == 0,
              "host::TensorMapRequest numbers them so");

extern "C" {
#pragma GCC visibility push(default)

CUresult cuTensorMapEncodeTiled(CUtensorMap *Map, CUtensorMapDataType Type, cuuint32_t Rank,
                                void *Address, const cuuint64_t *Sizes, const cuuint64_t *Strides,
                                const cuuint32_t *Box, const cuuint32_t *Steps,
                                CUtensorMapInterleave Interleave, CUtensorMapSwizzle Swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill Fill) {
  host::TensorMapRequest R;
  R.type = uint32_t(Type), R.rank = Rank;
  R.address = reinterpret_cast<uint64_t>(Address);
  static_assert(sizeof(cuuint64_t) == sizeof(uint64_t) && sizeof(cuuint32_t) == sizeof(uint32_t));
  R.sizes = Sizes, R.strides = Strides, R.box = Box, R.steps = Steps;
  R.interleave = uint32_t(Interleave), R.swizzle = uint32_t(Swizzle), R.fill = uint32_t(Fill);
  host::TensorMap M;
  const char *Lacks = nullptr;
  host::Encoding E = Map ? host::encodeTiled(R, M, Lacks) : host::Encoding::Invalid;
  if (E == host::Encoding::Lacking)
    host::incomplete(std::string("the CPU backend lacks ") + Lacks);
  if (E != host::Encoding::Done)
    return E == host::Encoding::Lacking ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
  memset(Map, 0, sizeof *Map);
  memcpy(Map, &M, sizeof M);
  return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *Map, void *Address) {
  host::TensorMap M;
  if (!Map)
    return CUDA_ERROR_INVALID_VALUE;
  memcpy(static_cast<void *>(&M), Map, sizeof M);
  if (!host::replaceAddress(M, reinterpret_cast<uint64_t>(Address)))
    return CUDA_ERROR_INVALID_VALUE;
  memcpy(Map, &M, sizeof M);
  return CUDA_SUCCESS;
}

#pragma GCC visibility pop
}

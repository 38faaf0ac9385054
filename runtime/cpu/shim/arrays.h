// CUDA arrays. Their texels lie in memory of the table, row by row without gaps; programs know only
// the handle.
#pragma once

#include "cpu/shim/context.h"
#include "cpu/shim/work.h"
#include "cpu/textures.h"

/// What a cudaArray_t points at.
struct cudaArray {
  scopesan::cpu::TexelMemory Memory;
  cudaChannelFormatDesc Channels{};
  cudaExtent Extent{}; ///< as the program gave it: 0 for dimensions that are not there
  unsigned Flags = 0;
  bool Normalized = false; ///< a format of normalized integers

  uint64_t bytes() const { return Memory.SlicePitch * Memory.Depth; }
};

namespace scopesan::cpu {

/// Null for what is no array, or no longer.
const cudaArray *lookupArray(cudaArray_const_t Handle);

/// The texel format that the descriptor stands for. `Normalized`: integers always read as
/// fractions. An error for what is none; what the backend lacks is recorded.
cudaError_t texelFormat(const cudaChannelFormatDesc &D, TexelFormat &F, bool &Normalized);

/// Records that the backend lacks `What`.
cudaError_t lacks(const std::string &What);

/// The copy that the parameters stand for, arrays included.
cudaError_t copyOf(const char *Api, const cudaMemcpy3DParms &P, CopyWork &W);

} // namespace scopesan::cpu

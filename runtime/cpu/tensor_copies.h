// The part of a tensor that a tensor copy moves (PTX ISA 9.7.9.27, tiled mode).
#pragma once

#include "cpu/tensor_map.h"

#include <string>
#include <vector>

namespace scopesan::cpu {

/// A box in a tensor and its image in shared memory, which is dense, its dimension 0 innermost.
struct TensorTile {
  /// Bytes of the image that lie next to each other in the tensor as well, and inside of it.
  struct Run {
    char *Global;
    uint32_t Offset, Bytes;
  };
  std::vector<Run> Runs;
  uint32_t Bytes = 0;
  uint32_t ElementBytes = 1;
  uint32_t SwizzleUnits = 1;
  bool FillsNan = false;

  /// `Error` says why the map cannot be followed.
  TensorTile(const TensorMap &Map, uint32_t Rank, const int32_t *Start, std::string &Error);
  /// Address of byte `Offset` of the image at `Shared`; 16 bytes from a multiple of 16 on are
  /// neighbours.
  char *inShared(char *Shared, uint32_t Offset) const;
  void toShared(char *Shared, const char *Image) const;
  void fromShared(const char *Shared, char *Image) const;
  /// Sets the whole image to what stands for the outside of the tensor.
  void fill(char *Image) const;
};

} // namespace scopesan::cpu

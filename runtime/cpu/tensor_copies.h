// The image of a tensor copy's tile in memory (PTX ISA 9.7.9.27, tiled mode).
#pragma once

#include "host/tensor_map.h"

namespace scopesan::cpu {

using host::TensorMap;
using host::TensorTile;

/// Copies the tile's image, which is dense at `Image`, to or from its place at `Shared`.
void toShared(const TensorTile &Tile, char *Shared, const char *Image);
void fromShared(const TensorTile &Tile, const char *Shared, char *Image);
/// Sets the whole image to what stands for the outside of the tensor.
void fillImage(const TensorTile &Tile, char *Image);

} // namespace scopesan::cpu

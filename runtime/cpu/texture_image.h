// What a texture object makes of coordinates (CUDA C++ Programming Guide, texture fetching): pure
// arithmetic, no object table, no detector.
#pragma once

#include "scopesan/texture_form.h"

#include <stdint.h>

namespace scopesan::cpu {

using abi::SurfaceBoundary;
using abi::TextureForm;
using abi::TextureGeometry;
using abi::TextureOperation;

enum class ChannelKind : uint8_t { Signed, Unsigned, Float };
struct TexelFormat {
  ChannelKind Kind = ChannelKind::Unsigned;
  uint8_t Bits = 8;     ///< of each channel: 8, 16 or 32
  uint8_t Channels = 1; ///< 1, 2 or 4

  constexpr uint32_t bytes() const { return uint32_t(Bits / 8) * Channels; }
  constexpr bool operator==(const TexelFormat &) const = default;
};

/// Texels in memory.
struct TexelMemory {
  uint64_t Base = 0;
  uint64_t RowPitch = 0, SlicePitch = 0; ///< bytes from row to row and from layer to layer
  uint32_t Width = 1, Height = 1;
  uint32_t Depth = 1; ///< or layers; faces of cubes are layers, six by six
  TexelFormat Format;
  TextureGeometry Geometry = TextureGeometry::D1;

  uint64_t at(uint32_t X, uint32_t Y, uint32_t Z) const {
    return Base + Z * SlicePitch + Y * RowPitch + uint64_t(X) * Format.bytes();
  }
};

enum class AddressMode : uint8_t { Wrap, Clamp, Mirror, Border };

struct Sampler {
  AddressMode Mode[3] = {AddressMode::Clamp, AddressMode::Clamp, AddressMode::Clamp};
  bool Linear = false;                ///< filter mode
  bool NormalizedCoordinates = false; ///< one texture is as wide as 1.0
  bool NormalizedFloat = false;       ///< integers read as fractions of their largest value
  bool FromSrgb = false;
  float Border[4] = {};
};

/// One texel that a fetch combines.
struct Tap {
  uint64_t Address = 0; ///< 0: outside, the border
  float Weight = 1;
};
struct Taps {
  uint32_t Count = 0;
  Tap Of[8];
};

/// Which texels a fetch reads. `Coordinates` as in cpu_abi.h. Gathered ones have no weights.
Taps locate(const TexelMemory &M, const Sampler &S, const TextureForm &F,
            const uint32_t *Coordinates);

/// The values of the channels of one texel, 0 where there is none.
struct Texel {
  uint32_t Bits[4] = {}; ///< integers extended to 32 bits, or floats
};
/// What a tap reads: `Bytes` null for the border.
Texel decode(const TexelMemory &M, const Sampler &S, const void *Bytes);
/// Does a fetch return floats?
bool readsFloats(const TexelMemory &M, const Sampler &S);
/// The result of the fetch from its taps.
Texel combine(const TexelMemory &M, const Sampler &S, const TextureForm &F, const Taps &T,
              const Texel *Read);

enum class SurfacePlace : uint8_t { Inside, Outside, Misaligned };
/// Where a surface access lies.
SurfacePlace locateSurface(const TexelMemory &M, const TextureForm &F, const uint32_t *Coordinates,
                           uint64_t &Address);

} // namespace scopesan::cpu

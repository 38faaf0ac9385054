// The forms of texture and surface instructions (PTX ISA 9.7.10, 9.7.11), as the pass, the CPU
// lowering and the CPU backend's engine name them.
//
// Freestanding.
#pragma once

#include <stdint.h>

namespace scopesan::abi {

enum class TextureGeometry : uint8_t { D1, D1Array, D2, D2Array, D3, Cube, CubeArray };
constexpr bool isArray(TextureGeometry G) {
  return G == TextureGeometry::D1Array || G == TextureGeometry::D2Array ||
         G == TextureGeometry::CubeArray;
}
constexpr bool isCube(TextureGeometry G) {
  return G == TextureGeometry::Cube || G == TextureGeometry::CubeArray;
}
/// Coordinates without the layer.
constexpr unsigned dimensions(TextureGeometry G) {
  return G == TextureGeometry::D1 || G == TextureGeometry::D1Array   ? 1
         : G == TextureGeometry::D2 || G == TextureGeometry::D2Array ? 2
                                                                     : 3;
}

enum class TextureOperation : uint8_t { Fetch, Gather, SurfaceRead, SurfaceWrite };

/// What a surface instruction does outside of the surface.
enum class SurfaceBoundary : uint8_t { Trap, Clamp, Zero };

/// The layer, if there is one, is the first coordinate.
struct TextureForm {
  TextureOperation Operation = TextureOperation::Fetch;
  TextureGeometry Geometry = TextureGeometry::D1;
  bool FloatCoordinates = false; ///< Fetch
  uint8_t Component = 0;         ///< Gather: 0 red to 3 alpha
  SurfaceBoundary Boundary = SurfaceBoundary::Trap;
  uint8_t ElementBytes = 4, Elements = 4; ///< of the result or of what is written

  constexpr bool isSurface() const { return Operation >= TextureOperation::SurfaceRead; }
  constexpr unsigned coordinates() const { return dimensions(Geometry) + isArray(Geometry); }
  constexpr uint32_t bytes() const { return uint32_t(ElementBytes) * Elements; }

  constexpr uint32_t raw() const {
    return uint32_t(Operation) | uint32_t(Geometry) << 2 | uint32_t(FloatCoordinates) << 5 |
           uint32_t(Component) << 6 | uint32_t(Boundary) << 8 | uint32_t(ElementBytes) << 10 |
           uint32_t(Elements) << 14;
  }
  static constexpr TextureForm fromRaw(uint32_t R) {
    return {TextureOperation(R & 3), TextureGeometry(R >> 2 & 7), (R >> 5 & 1) != 0,
            uint8_t(R >> 6 & 3),     SurfaceBoundary(R >> 8 & 3), uint8_t(R >> 10 & 15),
            uint8_t(R >> 14 & 7)};
  }
  constexpr bool operator==(const TextureForm &) const = default;
};

} // namespace scopesan::abi

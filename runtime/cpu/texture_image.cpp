#include "cpu/texture_image.h"

#include "cpu/half.h"

#include <algorithm>
#include <bit>
#include <math.h>
#include <string.h>
#include <utility>

using namespace scopesan::cpu;

namespace {

constexpr int64_t Outside = -1;

/// Index `I` of a row of `N` texels.
int64_t wrapped(AddressMode Mode, int64_t I, int64_t N) {
  if (I >= 0 && I < N)
    return I;
  auto Modulo = [](int64_t A, int64_t B) { return (A % B + B) % B; };
  switch (Mode) {
  case AddressMode::Wrap:
    return Modulo(I, N);
  case AddressMode::Mirror: {
    int64_t At = Modulo(I, 2 * N);
    return At < N ? At : 2 * N - 1 - At;
  }
  case AddressMode::Clamp:
    return std::clamp<int64_t>(I, 0, N - 1);
  case AddressMode::Border:
    break;
  }
  return Outside;
}

/// Far outside of everything, but without overflow. Not-a-number reads texel 0.
int64_t toInteger(float V) {
  constexpr float Far = 0x1p40f;
  return V != V ? 0 : int64_t(std::clamp(V, -Far, Far));
}

/// The two texels of one dimension between which a coordinate lies. Without a filter: one.
struct Span {
  int64_t First = 0, Second = 0;
  float Fraction = 0; ///< weight of the second
};

/// Wrap and mirror exist for normalized coordinates only.
AddressMode modeOf(const Sampler &S, unsigned Dimension) {
  AddressMode Mode = S.Mode[Dimension];
  bool Periodic = Mode == AddressMode::Wrap || Mode == AddressMode::Mirror;
  return Periodic && !S.NormalizedCoordinates ? AddressMode::Clamp : Mode;
}

Span spanOf(float X, uint32_t N, AddressMode Mode, bool Linear) {
  if (!Linear) {
    int64_t I = wrapped(Mode, toInteger(floorf(X)), N);
    return {I, I, 0};
  }
  // Weights are fixed-point numbers with 8 fractional bits.
  float Left = X - 0.5f, Floor = floorf(Left);
  float Fraction = floorf((Left - Floor) * 256 + 0.5f) / 256;
  int64_t I = toInteger(Floor);
  if (Fraction != Fraction)
    Fraction = 0;
  return {wrapped(Mode, I, N), wrapped(Mode, I + 1, N), Fraction};
}

/// A face of a cube and the place on it, in [0, 1].
struct Face {
  uint32_t Index;
  float U, V;
};
Face faceOf(float X, float Y, float Z) {
  float AX = fabsf(X), AY = fabsf(Y), AZ = fabsf(Z);
  uint32_t Index;
  float Major, S, T;
  if (AX >= AY && AX >= AZ) {
    Index = X >= 0 ? 0 : 1;
    Major = AX, S = X >= 0 ? -Z : Z, T = -Y;
  } else if (AY >= AZ) {
    Index = Y >= 0 ? 2 : 3;
    Major = AY, S = X, T = Y >= 0 ? Z : -Z;
  } else {
    Index = Z >= 0 ? 4 : 5;
    Major = AZ, S = Z >= 0 ? X : -X, T = -Y;
  }
  return {Index, (S / Major + 1) / 2, (T / Major + 1) / 2};
}

uint32_t clampedLayer(uint32_t Given, uint32_t Layers) {
  return uint32_t(std::clamp<int64_t>(int32_t(Given), 0, int64_t(Layers) - 1));
}

struct Position {
  float X[3] = {}; ///< in texels
  uint32_t Layer = 0;
  unsigned Dimensions = 1; ///< of the filter
};

Position positionOf(const TexelMemory &M, const Sampler &S, const TextureForm &F,
                    const uint32_t *Coordinates) {
  Position P;
  bool Cube = isCube(F.Geometry);
  if (isArray(F.Geometry))
    P.Layer = clampedLayer(*Coordinates++, Cube ? M.Depth / 6 : M.Depth);
  unsigned D = dimensions(F.Geometry);
  for (unsigned I = 0; I < D; ++I)
    P.X[I] =
        F.FloatCoordinates ? std::bit_cast<float>(Coordinates[I]) : float(int32_t(Coordinates[I]));
  P.Dimensions = Cube ? 2 : D;
  const uint32_t Size[] = {M.Width, M.Height, M.Depth};
  if (Cube) {
    Face At = faceOf(P.X[0], P.X[1], P.X[2]);
    P.Layer = P.Layer * 6 + At.Index;
    P.X[0] = At.U * float(M.Width);
    P.X[1] = At.V * float(M.Height);
  } else if (S.NormalizedCoordinates && F.FloatCoordinates) {
    for (unsigned I = 0; I < D; ++I)
      P.X[I] *= float(Size[I]);
  }
  return P;
}

uint64_t addressOf(const TexelMemory &M, int64_t X, int64_t Y, int64_t Z) {
  bool In = X != Outside && Y != Outside && Z != Outside;
  return In ? M.at(uint32_t(X), uint32_t(Y), uint32_t(Z)) : 0;
}

/// Integers name texels exactly, also those that a float cannot.
Taps fetchTexel(const TexelMemory &M, const Sampler &S, const TextureForm &F,
                const uint32_t *Coordinates) {
  int64_t At[3] = {};
  if (isArray(F.Geometry))
    At[dimensions(F.Geometry)] = clampedLayer(*Coordinates++, M.Depth);
  const uint32_t Size[] = {M.Width, M.Height, M.Depth};
  for (unsigned I = 0; I < dimensions(F.Geometry); ++I)
    At[I] = wrapped(modeOf(S, I), int32_t(Coordinates[I]), Size[I]);
  if (F.Geometry == TextureGeometry::D1Array)
    std::swap(At[1], At[2]);
  return {1, {{addressOf(M, At[0], At[1], At[2]), 1}}};
}

} // namespace

Taps scopesan::cpu::locate(const TexelMemory &M, const Sampler &S, const TextureForm &F,
                           const uint32_t *Coordinates) {
  bool Gather = F.Operation == TextureOperation::Gather;
  if (!F.FloatCoordinates && !isCube(F.Geometry))
    return fetchTexel(M, S, F, Coordinates);
  Position P = positionOf(M, S, F, Coordinates);
  const uint32_t Size[] = {M.Width, M.Height, M.Depth};
  Span Spans[3];
  for (unsigned I = 0; I < P.Dimensions; ++I)
    Spans[I] = spanOf(P.X[I], Size[I], isCube(F.Geometry) ? AddressMode::Clamp : modeOf(S, I),
                      S.Linear || Gather);
  if (P.Dimensions < 3)
    Spans[2] = {P.Layer, P.Layer, 0};
  Taps T;
  auto add = [&](unsigned X, unsigned Y, unsigned Z, float Weight) {
    auto at = [](const Span &Of, unsigned Which) { return Which ? Of.Second : Of.First; };
    T.Of[T.Count++] = {addressOf(M, at(Spans[0], X), at(Spans[1], Y), at(Spans[2], Z)), Weight};
  };
  if (Gather) { // counter-clockwise from the lower left one
    for (auto [X, Y] : {std::pair{0u, 1u}, {1u, 1u}, {1u, 0u}, {0u, 0u}})
      add(X, Y, 0, 1);
    return T;
  }
  auto weight = [](const Span &Of, unsigned Which) {
    return Which ? Of.Fraction : 1 - Of.Fraction;
  };
  for (unsigned I = 0; I < 8; ++I) {
    unsigned X = I & 1, Y = I >> 1 & 1, Z = I >> 2;
    float W = weight(Spans[0], X) * weight(Spans[1], Y) * weight(Spans[2], Z);
    if (W != 0)
      add(X, Y, Z, W);
  }
  return T;
}

bool scopesan::cpu::readsFloats(const TexelMemory &M, const Sampler &S) {
  return M.Format.Kind == ChannelKind::Float || S.NormalizedFloat;
}

namespace {

float fromSrgb(float V) { return V <= 0.04045f ? V / 12.92f : powf((V + 0.055f) / 1.055f, 2.4f); }

/// One channel, as it lies in memory.
uint32_t channel(const TexelFormat &F, const char *At) {
  uint32_t Bits = 0;
  memcpy(&Bits, At, F.Bits / 8);
  if (F.Kind == ChannelKind::Float)
    return F.Bits == 16 ? std::bit_cast<uint32_t>(float(Half<false>{uint16_t(Bits)})) : Bits;
  if (F.Kind == ChannelKind::Signed)
    return uint32_t(int32_t(Bits << (32 - F.Bits)) >> (32 - F.Bits));
  return Bits;
}

float normalized(const TexelFormat &F, uint32_t Bits) {
  if (F.Kind == ChannelKind::Unsigned)
    return float(Bits) / float((uint64_t(1) << F.Bits) - 1);
  return std::max(float(int32_t(Bits)) / float((uint64_t(1) << (F.Bits - 1)) - 1), -1.0f);
}

} // namespace

Texel scopesan::cpu::decode(const TexelMemory &M, const Sampler &S, const void *Bytes) {
  Texel T;
  bool Floats = readsFloats(M, S);
  for (unsigned I = 0; I < M.Format.Channels; ++I) {
    if (!Bytes) {
      T.Bits[I] = Floats ? std::bit_cast<uint32_t>(S.Border[I])
                         : uint32_t(int64_t(std::clamp(S.Border[I], -0x1p31f, 0x1p32f)));
      continue;
    }
    uint32_t Raw = channel(M.Format, static_cast<const char *>(Bytes) + I * M.Format.Bits / 8);
    if (S.NormalizedFloat && M.Format.Kind != ChannelKind::Float) {
      float V = normalized(M.Format, Raw);
      Raw = std::bit_cast<uint32_t>(S.FromSrgb && I < 3 ? fromSrgb(V) : V); // alpha is linear
    }
    T.Bits[I] = Raw;
  }
  return T;
}

Texel scopesan::cpu::combine(const TexelMemory &M, const Sampler &S, const TextureForm &F,
                             const Taps &T, const Texel *Read) {
  Texel Result;
  if (F.Operation == TextureOperation::Gather) {
    for (unsigned I = 0; I < 4; ++I)
      Result.Bits[I] = Read[I].Bits[F.Component];
    return Result;
  }
  if (T.Count == 1 || !readsFloats(M, S))
    return T.Count ? Read[0] : Result;
  for (unsigned C = 0; C < M.Format.Channels; ++C) {
    float Sum = 0;
    for (unsigned I = 0; I < T.Count; ++I)
      Sum += T.Of[I].Weight * std::bit_cast<float>(Read[I].Bits[C]);
    Result.Bits[C] = std::bit_cast<uint32_t>(Sum);
  }
  return Result;
}

SurfacePlace scopesan::cpu::locateSurface(const TexelMemory &M, const TextureForm &F,
                                          const uint32_t *Coordinates, uint64_t &Address) {
  int64_t Layer = isArray(F.Geometry) ? int64_t(int32_t(*Coordinates++)) : 0, At[3] = {};
  unsigned D = dimensions(F.Geometry);
  for (unsigned I = 0; I < D; ++I)
    At[I] = int32_t(Coordinates[I]);
  if (D < 3)
    At[2] = Layer;
  int64_t RowBytes = int64_t(M.Width) * M.Format.bytes(), Bytes = F.bytes();
  const int64_t Last[] = {RowBytes - Bytes, int64_t(M.Height) - 1, int64_t(M.Depth) - 1};
  bool Inside = true;
  for (unsigned I = 0; I < 3; ++I) {
    Inside &= At[I] >= 0 && At[I] <= Last[I];
    if (F.Boundary == SurfaceBoundary::Clamp)
      At[I] = std::clamp<int64_t>(At[I], 0, std::max<int64_t>(Last[I], 0));
  }
  if (At[0] % Bytes)
    return SurfacePlace::Misaligned;
  if (!Inside && (F.Boundary != SurfaceBoundary::Clamp || Last[0] < 0))
    return SurfacePlace::Outside;
  Address =
      M.Base + uint64_t(At[2]) * M.SlicePitch + uint64_t(At[1]) * M.RowPitch + uint64_t(At[0]);
  return SurfacePlace::Inside;
}

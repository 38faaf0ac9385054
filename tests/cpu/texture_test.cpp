// Texture fetches and surface accesses as arithmetic: filters, address modes, formats.
#include "cpu/texture_image.h"

#include <bit>
#include <gtest/gtest.h>
#include <string.h>
#include <vector>

using namespace scopesan::cpu;

namespace {

constexpr TexelFormat Float1{ChannelKind::Float, 32, 1};

/// An image in memory, and a sampler.
struct Image {
  TexelMemory M;
  Sampler S;
  std::vector<char> Bytes;

  template <typename T>
  Image(TexelFormat F, TextureGeometry G, uint32_t Width, uint32_t Height, uint32_t Depth,
        const std::vector<T> &Texels)
      : Bytes(Texels.size() * sizeof(T)) {
    memcpy(Bytes.data(), Texels.data(), Bytes.size());
    M.Base = reinterpret_cast<uint64_t>(Bytes.data());
    M.Format = F;
    M.Geometry = G;
    M.Width = Width, M.Height = Height, M.Depth = Depth;
    M.RowPitch = Width * F.bytes();
    M.SlicePitch = M.RowPitch * Height;
    EXPECT_EQ(M.SlicePitch * Depth, Bytes.size());
  }
  void modes(AddressMode Mode) {
    for (AddressMode &Each : S.Mode)
      Each = Mode;
  }
  Texel fetch(TextureForm F, const std::vector<uint32_t> &Coordinates) const {
    Taps T = locate(M, S, F, Coordinates.data());
    Texel Read[8];
    for (unsigned I = 0; I < T.Count; ++I) {
      uint64_t At = T.Of[I].Address;
      EXPECT_TRUE(!At || At - M.Base <= Bytes.size() - M.Format.bytes());
      Read[I] = decode(M, S, reinterpret_cast<const void *>(At));
    }
    return combine(M, S, F, T, Read);
  }
  Texel fetch(std::initializer_list<float> At, uint32_t Layer = 0) const {
    TextureForm F{TextureOperation::Fetch, M.Geometry, true};
    std::vector<uint32_t> Coordinates;
    if (isArray(M.Geometry))
      Coordinates.push_back(Layer);
    for (float X : At)
      Coordinates.push_back(std::bit_cast<uint32_t>(X));
    return fetch(F, Coordinates);
  }
  float value(std::initializer_list<float> At, uint32_t Layer = 0) const {
    return std::bit_cast<float>(fetch(At, Layer).Bits[0]);
  }
  uint32_t texel(std::vector<uint32_t> At) const {
    return fetch({TextureOperation::Fetch, M.Geometry, false}, At).Bits[0];
  }
};

Image row() { return {Float1, TextureGeometry::D1, 4, 1, 1, std::vector<float>{10, 20, 30, 40}}; }
Image plane() {
  std::vector<float> All(12); // 4 x 3, value = 10 y + x
  for (int I = 0; I < 12; ++I)
    All[size_t(I)] = float(10 * (I / 4) + I % 4);
  return {Float1, TextureGeometry::D2, 4, 3, 1, All};
}

TEST(Texture, PointsAreFloors) {
  Image I = row();
  EXPECT_EQ(I.value({0}), 10);
  EXPECT_EQ(I.value({0.99f}), 10);
  EXPECT_EQ(I.value({1}), 20);
  EXPECT_EQ(I.value({3.5f}), 40);
  Image P = plane();
  EXPECT_EQ(P.value({2.5f, 1.5f}), 12);
}

TEST(Texture, AddressModesOfNormalizedCoordinates) {
  Image I = row();
  I.S.NormalizedCoordinates = true;
  struct {
    AddressMode Mode;
    float At[6]; // of -0.3, -0.1, 0.1, 1.1, 1.3, 2.1
  } Rows[] = {{AddressMode::Clamp, {10, 10, 10, 40, 40, 40}},
              {AddressMode::Wrap, {30, 40, 10, 10, 20, 10}},
              {AddressMode::Mirror, {20, 10, 10, 40, 30, 10}},
              {AddressMode::Border, {-1, -1, 10, -1, -1, -1}}};
  I.S.Border[0] = -1;
  constexpr float Coordinates[] = {-0.3f, -0.1f, 0.1f, 1.1f, 1.3f, 2.1f};
  for (auto &R : Rows) {
    I.modes(R.Mode);
    for (int K = 0; K < 6; ++K)
      EXPECT_EQ(I.value({Coordinates[K]}), R.At[K]) << int(R.Mode) << " " << Coordinates[K];
  }
}

TEST(Texture, WrapAndMirrorNeedNormalizedCoordinates) {
  Image I = row();
  for (AddressMode Mode : {AddressMode::Wrap, AddressMode::Mirror, AddressMode::Clamp}) {
    I.modes(Mode);
    EXPECT_EQ(I.value({-3}), 10);
    EXPECT_EQ(I.value({9}), 40);
  }
  I.modes(AddressMode::Border);
  EXPECT_EQ(I.value({9}), 0);
}

TEST(Texture, LinearFilterWeighsNeighbours) {
  Image I = row();
  I.S.Linear = true;
  EXPECT_EQ(I.value({0.5f}), 10);
  EXPECT_EQ(I.value({1}), 15);
  EXPECT_EQ(I.value({1.25f}), 17.5f);
  EXPECT_EQ(I.value({0}), 10); // clamped on the left
  EXPECT_EQ(I.value({4}), 40);
  I.modes(AddressMode::Border);
  EXPECT_EQ(I.value({0}), 5); // half of it is the border
  I.S.NormalizedCoordinates = true;
  I.modes(AddressMode::Wrap);
  EXPECT_EQ(I.value({0}), 25); // between the last texel and the first
  Image P = plane();
  P.S.Linear = true;
  EXPECT_EQ(P.value({1, 1}), 5.5f);
  EXPECT_EQ(P.value({1, 1.5f}), 10.5f);
}

TEST(Texture, WeightsHaveEightFractionalBits) {
  Image I{Float1, TextureGeometry::D1, 2, 1, 1, std::vector<float>{0, 256}};
  I.S.Linear = true;
  EXPECT_EQ(I.value({0.5f + 0.25f / 256}), 0);
  EXPECT_EQ(I.value({0.5f + 0.75f / 256}), 1);
  EXPECT_EQ(I.value({0.5f + 100.25f / 256}), 100);
}

TEST(Texture, OnlyTexelsWithWeightAreRead) {
  Image P = plane();
  P.S.Linear = true;
  auto taps = [&](float X, float Y) {
    uint32_t At[] = {std::bit_cast<uint32_t>(X), std::bit_cast<uint32_t>(Y)};
    return locate(P.M, P.S, {TextureOperation::Fetch, TextureGeometry::D2, true}, At).Count;
  };
  EXPECT_EQ(taps(1.5f, 1.5f), 1u);
  EXPECT_EQ(taps(1, 1.5f), 2u);
  EXPECT_EQ(taps(1.5f, 1), 2u);
  EXPECT_EQ(taps(1, 1), 4u);
}

TEST(Texture, ThreeDimensionsAndLayers) {
  std::vector<float> All(24); // value = 100 z + 10 y + x
  for (int I = 0; I < 24; ++I)
    All[size_t(I)] = float(100 * (I / 6) + 10 * (I / 2 % 3) + I % 2);
  Image V{Float1, TextureGeometry::D3, 2, 3, 4, All};
  EXPECT_EQ(V.value({1.5f, 2.5f, 3.5f}), 321);
  V.S.Linear = true;
  EXPECT_EQ(V.value({1, 1, 1}), 55.5f);
  Image L{Float1, TextureGeometry::D2Array, 2, 3, 4, All};
  L.S.Linear = true;
  EXPECT_EQ(L.value({1, 1}, 2), 205.5f); // layers are not filtered
  EXPECT_EQ(L.value({0.5f, 0.5f}, 9), 300);
  EXPECT_EQ(L.value({0.5f, 0.5f}, uint32_t(-1)), 0);
  Image R{Float1, TextureGeometry::D1Array, 2, 1, 12, All};
  EXPECT_EQ(R.value({1.5f}, 4), 111);
  EXPECT_EQ(R.texel({4, 1}), std::bit_cast<uint32_t>(111.0f));
}

TEST(Texture, IntegersNameTexels) {
  Image I = row();
  I.S.Linear = I.S.NormalizedCoordinates = true; // mean nothing here
  EXPECT_EQ(I.texel({2}), std::bit_cast<uint32_t>(30.0f));
  I.modes(AddressMode::Border);
  EXPECT_EQ(I.texel({4}), 0u);
  EXPECT_EQ(I.texel({uint32_t(-1)}), 0u);
  std::vector<float> Many((1 << 24) + 3);
  Many[(1 << 24) + 1] = 7;
  Image Long{Float1, TextureGeometry::D1, (1 << 24) + 3, 1, 1, Many};
  EXPECT_EQ(Long.texel({(1 << 24) + 1}), std::bit_cast<uint32_t>(7.0f)); // no float is that exact
}

TEST(Texture, GatherTakesOneChannelOfFourTexels) {
  std::vector<float> All;
  for (int I = 0; I < 12; ++I)
    for (int C = 0; C < 4; ++C)
      All.push_back(float(100 * C + 10 * (I / 4) + I % 4));
  Image P{{ChannelKind::Float, 32, 4}, TextureGeometry::D2, 4, 3, 1, All};
  uint32_t At[] = {std::bit_cast<uint32_t>(2.0f), std::bit_cast<uint32_t>(1.0f)};
  Texel T = P.fetch({TextureOperation::Gather, TextureGeometry::D2, true, 2}, {At[0], At[1]});
  constexpr float Expected[] = {211, 212, 202, 201};
  for (int K = 0; K < 4; ++K)
    EXPECT_EQ(std::bit_cast<float>(T.Bits[K]), Expected[K]);
}

TEST(Texture, FacesOfACube) {
  std::vector<float> All(6 * 4);
  for (int I = 0; I < 24; ++I)
    All[size_t(I)] = float(10 * (I / 4) + I % 4); // two by two on each face
  Image C{Float1, TextureGeometry::Cube, 2, 2, 6, All};
  EXPECT_EQ(C.value({1, 0.5f, 0.5f}), 0); // +x: left is +z, up is +y
  EXPECT_EQ(C.value({1, -0.5f, -0.5f}), 3);
  EXPECT_EQ(C.value({-1, 0.5f, 0.5f}), 11); // -x: left is -z
  EXPECT_EQ(C.value({0.5f, 1, 0.5f}), 23);  // +y: left is -x, up is -z
  EXPECT_EQ(C.value({0.5f, -1, 0.5f}), 31);
  EXPECT_EQ(C.value({0.5f, 0.5f, 1}), 41);
  EXPECT_EQ(C.value({0.5f, 0.5f, -1}), 50);
  std::vector<float> Two = All;
  for (float V : All)
    Two.push_back(V + 100);
  Image Many{Float1, TextureGeometry::CubeArray, 2, 2, 12, Two};
  EXPECT_EQ(Many.value({0.5f, 0.5f, -1}, 1), 150);
}

TEST(Texture, FormatsAndReadModes) {
  Image S8{{ChannelKind::Signed, 8, 4},
           TextureGeometry::D1,
           1,
           1,
           1,
           std::vector<int8_t>{-128, -127, 0, 127}};
  Texel T = S8.fetch({0});
  EXPECT_EQ(int32_t(T.Bits[0]), -128);
  EXPECT_EQ(int32_t(T.Bits[3]), 127);
  S8.S.NormalizedFloat = true;
  T = S8.fetch({0});
  constexpr float Signed[] = {-1, -1, 0, 1};
  for (int K = 0; K < 4; ++K)
    EXPECT_EQ(std::bit_cast<float>(T.Bits[K]), Signed[K]);
  Image U16{{ChannelKind::Unsigned, 16, 2},           TextureGeometry::D1, 2, 1, 1,
            std::vector<uint16_t>{0, 65535, 65535, 1}};
  EXPECT_EQ(U16.fetch({0}).Bits[1], 65535u);
  EXPECT_EQ(U16.fetch({0}).Bits[2], 0u); // there is no third channel
  U16.S.NormalizedFloat = U16.S.Linear = true;
  EXPECT_EQ(U16.value({1}), 0.5f);
  Image F16{{ChannelKind::Float, 16, 1},  TextureGeometry::D1, 1, 1, 1,
            std::vector<uint16_t>{0x3e00}};
  EXPECT_EQ(F16.value({0}), 1.5f);
  Image Srgb{{ChannelKind::Unsigned, 8, 4},         TextureGeometry::D1, 1, 1, 1,
             std::vector<uint8_t>{0, 255, 188, 188}};
  Srgb.S.NormalizedFloat = Srgb.S.FromSrgb = true;
  T = Srgb.fetch({0});
  EXPECT_EQ(std::bit_cast<float>(T.Bits[1]), 1);
  EXPECT_NEAR(std::bit_cast<float>(T.Bits[2]), 0.5029f, 0.0005f);
  EXPECT_EQ(std::bit_cast<float>(T.Bits[3]), 188.0f / 255); // alpha is linear
}

TEST(Texture, CoordinatesThatAreNoNumbers) {
  Image I = row();
  for (bool Linear : {false, true})
    for (AddressMode Mode : {AddressMode::Clamp, AddressMode::Wrap, AddressMode::Border}) {
      I.S.Linear = Linear;
      I.S.NormalizedCoordinates = Mode == AddressMode::Wrap;
      I.modes(Mode);
      for (float X : {__builtin_nanf(""), __builtin_inff(), -__builtin_inff(), 1e30f, -1e30f})
        I.value({X}); // reads nothing outside, says the fixture
    }
}

TEST(Surface, PlacesAndBoundaries) {
  Image P = plane();
  auto at = [&](SurfaceBoundary B, int X, int Y, uint8_t Bytes, uint64_t &Offset) {
    TextureForm F{TextureOperation::SurfaceRead, TextureGeometry::D2, false, 0, B, Bytes, 1};
    uint32_t Coordinates[] = {uint32_t(X), uint32_t(Y)};
    uint64_t Address = P.M.Base;
    SurfacePlace Place = locateSurface(P.M, F, Coordinates, Address);
    Offset = Address - P.M.Base;
    return Place;
  };
  uint64_t Offset;
  constexpr auto Trap = SurfaceBoundary::Trap, Clamp = SurfaceBoundary::Clamp,
                 Zero = SurfaceBoundary::Zero;
  EXPECT_EQ(at(Trap, 4, 1, 4, Offset), SurfacePlace::Inside);
  EXPECT_EQ(Offset, 20u);
  EXPECT_EQ(at(Trap, 12, 2, 1, Offset), SurfacePlace::Inside); // bytes of texels, too
  EXPECT_EQ(Offset, 44u);
  EXPECT_EQ(at(Trap, 2, 0, 4, Offset), SurfacePlace::Misaligned);
  for (auto [X, Y] : {std::pair{16, 0}, {-4, 0}, {0, 3}, {0, -1}}) {
    EXPECT_EQ(at(Trap, X, Y, 4, Offset), SurfacePlace::Outside);
    EXPECT_EQ(at(Zero, X, Y, 4, Offset), SurfacePlace::Outside);
  }
  EXPECT_EQ(at(Clamp, 100, 100, 4, Offset), SurfacePlace::Inside);
  EXPECT_EQ(Offset, 44u);
  EXPECT_EQ(at(Clamp, -100, -1, 8, Offset), SurfacePlace::Inside);
  EXPECT_EQ(Offset, 0u);
}

} // namespace

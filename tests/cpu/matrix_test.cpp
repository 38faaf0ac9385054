// Fragments of matrix instructions, matrices in shared memory, tiles of tensors.
#include "cpu/half.h"
#include "cpu/matrix.h"
#include "cpu/tensor_copies.h"

#include <gtest/gtest.h>
#include <map>
#include <vector>

using namespace scopesan::cpu;

namespace {

MatrixForm form(uint32_t M, uint32_t N, uint32_t K, MatrixType Factor, MatrixType Sum,
                MatrixLayout Layout = MatrixLayout::Mma) {
  MatrixForm F;
  F.M = M, F.N = N, F.K = K;
  F.A = F.B = Factor;
  F.C = F.D = Sum;
  F.Layout = Layout;
  return F;
}

const MatrixForm Forms[] = {
    form(16, 8, 8, MatrixType::F16, MatrixType::F32),
    form(16, 8, 16, MatrixType::BF16, MatrixType::F32),
    form(16, 8, 4, MatrixType::TF32, MatrixType::F32),
    form(16, 8, 8, MatrixType::TF32, MatrixType::F32),
    form(16, 8, 16, MatrixType::S8, MatrixType::S32),
    form(16, 8, 32, MatrixType::U8, MatrixType::S32),
    form(8, 8, 16, MatrixType::S8, MatrixType::S32),
    form(16, 8, 64, MatrixType::S4, MatrixType::S32),
    form(16, 8, 256, MatrixType::B1, MatrixType::S32),
    form(8, 8, 4, MatrixType::F64, MatrixType::F64),
    form(16, 8, 16, MatrixType::F64, MatrixType::F64),
    form(64, 256, 16, MatrixType::F16, MatrixType::F32, MatrixLayout::Wgmma),
    form(64, 8, 8, MatrixType::TF32, MatrixType::F32, MatrixLayout::Wgmma),
    form(16, 16, 16, MatrixType::F16, MatrixType::F32, MatrixLayout::Wmma),
    form(32, 8, 16, MatrixType::F16, MatrixType::F16, MatrixLayout::Wmma),
    form(8, 32, 16, MatrixType::BF16, MatrixType::F32, MatrixLayout::Wmma),
    form(16, 16, 8, MatrixType::TF32, MatrixType::F32, MatrixLayout::Wmma)};

TEST(Matrix, FormsSurviveTheirEncoding) {
  for (MatrixForm F : Forms) {
    F.SharedA = F.TransposedB = F.NegatedA = true;
    MatrixForm G = MatrixForm::fromRaw(F.raw());
    EXPECT_EQ(G.raw(), F.raw());
    EXPECT_EQ(G.N, F.N);
    EXPECT_EQ(G.B, F.B);
    EXPECT_TRUE(G.SharedA && G.TransposedB && G.NegatedA && !G.NegatedB && !G.Saturate);
  }
}

/// Every element is held by some lane; by one lane, unless wmma of f16 holds it twice or more.
TEST(Matrix, LanesHoldEveryElement) {
  for (const MatrixForm &F : Forms)
    for (MatrixOperand O : {MatrixOperand::A, MatrixOperand::B, MatrixOperand::C}) {
      if (F.Layout == MatrixLayout::Wgmma && O == MatrixOperand::B)
        continue; // always in shared memory
      std::map<std::pair<uint32_t, uint32_t>, uint32_t> Holders;
      for (uint32_t Lane = 0; Lane < 32; ++Lane)
        for (uint32_t I = 0; I < elementsOf(F, O); ++I) {
          ElementPlace P = placeOf(F, O, Lane, I);
          EXPECT_LT(P.Row, rowsOf(F, O));
          EXPECT_LT(P.Column, columnsOf(F, O));
          ++Holders[{P.Row, P.Column}];
        }
      EXPECT_EQ(Holders.size(), rowsOf(F, O) * columnsOf(F, O)) << F.M << "x" << F.N << "x" << F.K;
      uint32_t Times = 32 * elementsOf(F, O) / (rowsOf(F, O) * columnsOf(F, O));
      for (auto &[Place, Count] : Holders)
        EXPECT_EQ(Count, Times);
    }
}

/// PTX ISA 9.7.15.5.8: fragments of mma.m16n8k16 with 16-bit factors.
TEST(Matrix, PlacesOfHalfFragments) {
  const MatrixForm &F = Forms[1];
  auto At = [&](MatrixOperand O, uint32_t I) {
    ElementPlace P = placeOf(F, O, 13, I); // group 3, thread 1 in it
    return std::pair(P.Row, P.Column);
  };
  EXPECT_EQ(At(MatrixOperand::A, 0), std::pair(3u, 2u));
  EXPECT_EQ(At(MatrixOperand::A, 3), std::pair(11u, 3u));
  EXPECT_EQ(At(MatrixOperand::A, 4), std::pair(3u, 10u));
  EXPECT_EQ(At(MatrixOperand::B, 1), std::pair(3u, 3u));
  EXPECT_EQ(At(MatrixOperand::B, 2), std::pair(10u, 3u));
  EXPECT_EQ(At(MatrixOperand::C, 1), std::pair(3u, 3u));
  EXPECT_EQ(At(MatrixOperand::C, 2), std::pair(11u, 2u));
}

TEST(Matrix, SmallFloats) {
  EXPECT_EQ(fromE4M3(0x38), 1.0f);
  EXPECT_EQ(fromE4M3(0xb8), -1.0f);
  EXPECT_EQ(fromE4M3(0x01), 0x1p-9f);
  EXPECT_EQ(fromE4M3(0x7e), 448.0f);
  EXPECT_NE(fromE4M3(0x7f), fromE4M3(0x7f));
  EXPECT_EQ(fromE5M2(0x3c), 1.0f);
  EXPECT_EQ(fromE5M2(0x7b), 57344.0f);
}

/// A 4 x 8 box at (-2, 3) of a 10 x 5 tensor of 32-bit elements, rows of 48 bytes.
TensorTile tile(uint32_t Units, std::string &Error, uint32_t Rank = 2) {
  TensorMap M;
  M.rank = 2;
  M.element = scopesan::host::TensorElement::S32;
  M.swizzleUnits = uint8_t(Units);
  M.address = 0x10000;
  M.strides[0] = 48;
  M.lastIndex[0] = 9, M.lastIndex[1] = 4;
  M.box[0] = 8, M.box[1] = 4;
  M.steps[0] = M.steps[1] = 1;
  const int32_t Start[] = {-2, 3};
  return TensorTile(M, Rank, Start, Error);
}

TEST(Tensor, RunsLieInsideTheTensor) {
  std::string Error;
  TensorTile T = tile(1, Error);
  EXPECT_EQ(Error, "");
  EXPECT_EQ(T.bytes, 128u); // all of the box counts
  ASSERT_EQ(T.runs.size(), 2u);
  for (uint32_t R : {0u, 1u}) {
    EXPECT_EQ(T.runs[R].global, 0x10000 + (3 + R) * 48);
    EXPECT_EQ(T.runs[R].offset, R * 32 + 8);
    EXPECT_EQ(T.runs[R].bytes, 24u);
  }
  tile(1, Error, 3);
  EXPECT_NE(Error, "");
}

TEST(Tensor, SwizzleKeepsRoundTrips) {
  alignas(1024) static char Shared[1024];
  std::string Error;
  for (uint32_t Units : {1u, 2u, 4u, 8u}) {
    TensorTile T = tile(Units, Error);
    char Image[128], Back[128];
    for (int I = 0; I < 128; ++I)
      Image[I] = char(I);
    toShared(T, Shared, Image);
    fromShared(T, Shared, Back);
    EXPECT_EQ(std::string(Image, 128), std::string(Back, 128));
  }
  TensorTile T = tile(8, Error);
  auto At = reinterpret_cast<uint64_t>(Shared + 384);
  EXPECT_EQ(T.inShared(At, 16), At + (1 ^ 3) * 16);
}

} // namespace

#include "cpu/reduction.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

using namespace scopesan::cpu;

template <typename T> static T reduced(ReduceOp Op, ReduceType Type, T Old, T V) {
  T Memory[2] = {Old, Old}, Values[2] = {V, V};
  EXPECT_EQ(elementBytes(Type), sizeof(T));
  reduce(Reduction(Op, Type), Memory, Values, sizeof Memory);
  EXPECT_EQ(std::memcmp(&Memory[0], &Memory[1], sizeof(T)), 0);
  return Memory[0];
}

TEST(Reduction, Integers) {
  EXPECT_EQ(reduced<uint32_t>(ReduceOp::Add, ReduceType::U32, ~0u, 2), 1u);
  EXPECT_EQ(reduced<int32_t>(ReduceOp::Min, ReduceType::S32, 3, -4), -4);
  EXPECT_EQ(reduced<uint32_t>(ReduceOp::Min, ReduceType::U32, 3, ~0u), 3u);
  EXPECT_EQ(reduced<int64_t>(ReduceOp::Max, ReduceType::S64, -3, -4), -3);
  EXPECT_EQ(reduced<uint32_t>(ReduceOp::Inc, ReduceType::U32, 5, 5), 0u);
  EXPECT_EQ(reduced<uint32_t>(ReduceOp::Inc, ReduceType::U32, 4, 5), 5u);
  EXPECT_EQ(reduced<uint32_t>(ReduceOp::Dec, ReduceType::U32, 0, 5), 5u);
  EXPECT_EQ(reduced<uint32_t>(ReduceOp::Dec, ReduceType::U32, 7, 5), 5u);
  EXPECT_EQ(reduced<uint32_t>(ReduceOp::Dec, ReduceType::U32, 3, 5), 2u);
  EXPECT_EQ(reduced<uint64_t>(ReduceOp::And, ReduceType::U64, 12, 10), 8u);
  EXPECT_EQ(reduced<uint64_t>(ReduceOp::Or, ReduceType::U64, 12, 10), 14u);
  EXPECT_EQ(reduced<uint32_t>(ReduceOp::Xor, ReduceType::U32, 12, 10), 6u);
}

TEST(Reduction, Floats) {
  EXPECT_EQ(reduced<float>(ReduceOp::Add, ReduceType::F32, 1.5f, 2), 3.5f);
  EXPECT_EQ(reduced<double>(ReduceOp::Add, ReduceType::F64, 1.5, 2), 3.5);
  EXPECT_EQ(reduced<uint16_t>(ReduceOp::Add, ReduceType::F16, 0x3c00, 0x4000), 0x4200); // 1 + 2
  EXPECT_EQ(reduced<uint16_t>(ReduceOp::Add, ReduceType::BF16, 0x3f80, 0x4000), 0x4040);
  EXPECT_EQ(reduced<uint16_t>(ReduceOp::Min, ReduceType::F16, 0x3c00, 0xc000), 0xc000);
  EXPECT_EQ(reduced<uint16_t>(ReduceOp::Max, ReduceType::BF16, 0x3f80, 0xc000), 0x3f80);
}

// _Float16 has the compiler's own conversions: every sum of two halves must agree with them.
TEST(Reduction, HalvesRoundToNearestEven) {
  uint32_t Compared = 0;
  for (uint32_t A = 0; A < 0x10000; A += 37)
    for (uint32_t B = 0; B < 0x10000; B += 251) {
      auto X = std::bit_cast<_Float16>(uint16_t(A)), Y = std::bit_cast<_Float16>(uint16_t(B));
      auto Sum = _Float16(float(X) + float(Y));
      uint16_t Got = reduced<uint16_t>(ReduceOp::Add, ReduceType::F16, uint16_t(A), uint16_t(B));
      if (std::isnan(float(Sum)))
        ASSERT_TRUE(std::isnan(float(std::bit_cast<_Float16>(Got)))) << A << " " << B;
      else
        ASSERT_EQ(Got, std::bit_cast<uint16_t>(Sum)) << A << " " << B;
      ++Compared;
    }
  EXPECT_GT(Compared, 100'000u);
}

// Tables of statements and their effects.
#pragma once

#include "Show.h"

#include <gtest/gtest.h>

namespace scopesan::test {

struct Row {
  const char *Text, *Effects;
};

template <size_t N> void expect(const Row (&Rows)[N]) {
  for (const Row &R : Rows)
    EXPECT_EQ(show(R.Text), R.Effects) << R.Text;
}

} // namespace scopesan::test

// Every NVVM intrinsic that may touch memory or synchronize has been decided on: it has the effects
// of some PTX, is named in nvvm.def as harmless or modelled, or is named there as not modelled.
#include "Semantics.h"

#include "llvm/IR/Attributes.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace {

bool accessesMemory(LLVMContext &Context, Intrinsic::ID Id) {
  return !Intrinsic::getFnAttributes(Context, Id).getMemoryEffects().doesNotAccessMemory();
}

TEST(Intrinsics, AllThatMayTouchMemoryAreDecidedOn) {
  LLVMContext Context;
  unsigned Seen = 0;
  std::string Undecided;
  for (unsigned Id = 1; Id < Intrinsic::num_intrinsics; ++Id) {
    StringRef Name = Intrinsic::getBaseName(Intrinsic::ID(Id));
    if (!Name.starts_with("llvm.nvvm.") || !accessesMemory(Context, Intrinsic::ID(Id)))
      continue;
    ++Seen;
    if (!scopesan::pass::isListed(Name))
      Undecided += Name.str() + "\n";
  }
  EXPECT_GT(Seen, 1000u);
  EXPECT_EQ(Undecided, "");
}

TEST(Intrinsics, WhatNoTableNamesIsNotListed) {
  EXPECT_FALSE(scopesan::pass::isListed("llvm.nvvm.from.a.later.version"));
  EXPECT_FALSE(scopesan::pass::isListed("llvm.nvvm.barrier.cluster.arrive.in.a.new.way"));
  EXPECT_TRUE(scopesan::pass::isListed("llvm.nvvm.barrier.cluster.arrive"));
}

} // namespace

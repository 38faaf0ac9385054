#include "cpu/fiber.h"

#include <gtest/gtest.h>

using namespace scopesan::cpu;

namespace {
FiberPool Pool;
Fiber *Running;
void *Driver;
std::vector<int> Trace;
bool Aligned;

void body() {
  for (int I = 0;; ++I) {
    alignas(32) char Local[32];
    Aligned = reinterpret_cast<uintptr_t>(Local) % 32 == 0;
    Trace.push_back(I);
    Fiber *Self = Running;
    scopesanSwitchStack(&Self->StackPointer, Driver);
  }
}
void resume(Fiber *F) {
  Running = F;
  scopesanSwitchStack(&Driver, F->StackPointer);
}
} // namespace

TEST(Fiber, KeepsItsLocalsAcrossSwitches) {
  Pool.configure(64 * 1024, body);
  Fiber *A = Pool.acquire(), *B = Pool.acquire();
  Trace.clear();
  for (Fiber *F : {A, A, B, A, B})
    resume(F);
  EXPECT_EQ(Trace, (std::vector<int>{0, 1, 0, 2, 1}));
  EXPECT_TRUE(Aligned);
  Pool.release(B);
  Pool.release(A);
  EXPECT_EQ(Pool.acquire(), A) << "last in, first out: warm stacks first";
}

TEST(Fiber, RewindStartsAllFibersAnew) {
  Pool.configure(64 * 1024, body);
  Fiber *A = Pool.acquire();
  resume(A);
  Pool.rewindAll();
  Trace.clear();
  resume(A);
  EXPECT_EQ(Trace, std::vector<int>{0});
}

TEST(Fiber, KnowsItsStackAndGuard) {
  Fiber *A = Pool.acquire();
  EXPECT_TRUE(A->contains(A->top() - 1));
  EXPECT_TRUE(A->inGuard(A->Base - 1));
  EXPECT_FALSE(A->inGuard(A->Base));
}

TEST(Fiber, CallOnStackReturns) {
  static char Stack[16384] __attribute__((aligned(16)));
  struct Result {
    bool Inside = false;
  } R;
  scopesanCallOnStack(
      Stack + sizeof Stack,
      [](void *P) {
        char Local;
        static_cast<Result *>(P)->Inside = &Local >= Stack && &Local < Stack + sizeof Stack;
      },
      &R);
  EXPECT_TRUE(R.Inside);
}

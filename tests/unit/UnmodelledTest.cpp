// X1: operations that nobody models never turn into findings of those that are modelled.
#include "OneCluster.h"

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
using X1 = OneCluster;
} // namespace

TEST_F(X1, UnmodelledArrival) {
  initMbarrier(M, 1);
  s.write(t(0), X);
  s.D.unmodelled(t(0));
  waited(t(0, 1), M);
  s.read(t(0, 1), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(X1, WithoutOneTheWaitLearnsNothing) {
  initMbarrier(M, 1);
  s.write(t(0), X);
  waited(t(0, 1), M);
  s.read(t(0, 1), X);
  EXPECT_EQ(s.rules(), "D1");
}

// A tensor copy completes the bytes that an arrival expects.
TEST_F(X1, UnmodelledTransactions) {
  initMbarrier(M, 1);
  for (int phase = 0; phase < 3; ++phase) {
    s.write(t(0), X);
    s.D.mbarrierArrive(t(0), M, 1, 64, false, arrive(), site(41));
    s.D.unmodelled(t(0));
    waited(t(0, 1), M);
    s.read(t(0, 1), X);
    waited(t(0, 2), M); // the same phase
    s.read(t(0, 2), X);
    s.barrier(b[0]);
  }
  EXPECT_EQ(s.rules(), "");
}

TEST_F(X1, UnmodelledInitialisation) {
  s.D.unmodelled(t(0));
  s.barrier(b[0]);
  arriveAt(t(0), M);
  waited(t(0, 1), M);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(X1, UnmodelledCommit) {
  cpAsync(t(0), S, X);
  s.D.unmodelled(t(0));
  s.D.cpAsyncWaitGroup(t(0), 0);
  s.read(t(0), S);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(X1, UnmodelledClusterArrival) {
  s.write(t(0), X);
  s.D.unmodelled(t(0));
  s.D.clusterWait(t(1), site(31));
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "");
}

TEST_F(X1, UnmodelledRelease) {
  s.write(t(0), X);
  s.D.unmodelled(t(0));
  s.load(t(1), Y, Acquire, Scope::Device);
  s.read(t(1), X);
  EXPECT_EQ(s.rules(), "");
  s.write(t(0), X + 4); // later
  s.read(t(1), X + 4);
  EXPECT_EQ(s.rules(), "D1");
}

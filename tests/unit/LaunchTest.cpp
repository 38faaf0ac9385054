// S14: order between kernels, copies and the host.
#include "Simulation.h"

#include <gtest/gtest.h>

using namespace scopesan::core;
using namespace scopesan::core::test;

namespace {
void writeBy(Simulation &s, NodeId n, uint64_t a) {
  Block *b = s.block(n);
  s.write(s.thread(b, 0), a);
  s.D.threadExit(s.thread(b, 0));
  s.D.endBlock(b);
}
} // namespace

TEST(S14, OneStreamIsOrdered) {
  Simulation s;
  TimelineId st = s.stream();
  writeBy(s, s.launch(st, 1, 1), X);
  writeBy(s, s.launch(st, 1, 1), X);
  EXPECT_EQ(s.rules(), "");
}

TEST(S14, TwoStreamsAreNot) {
  Simulation s;
  NodeId a = s.launch(s.stream(), 1, 1), b = s.launch(s.stream(), 1, 1);
  writeBy(s, a, X);
  writeBy(s, b, X);
  ASSERT_EQ(s.rules(), "D1");
  EXPECT_EQ(s.Sink.races()[0].distance, Distance::BetweenKernels);
}

TEST(S14, EventOrdersStreams) {
  Simulation s;
  TimelineId p = s.stream(), q = s.stream();
  NodeId a = s.launch(p, 1, 1);
  NodeId e = s.D.marker(p, nullptr, 0);
  NodeId b = s.launch(q, 1, 1, {e});
  writeBy(s, a, X);
  writeBy(s, b, X);
  EXPECT_EQ(s.rules(), "");
}

TEST(S14, HostSynchronizationOrdersLaterWork) {
  Simulation s;
  TimelineId p = s.stream(), q = s.stream();
  NodeId a = s.launch(p, 1, 1);
  writeBy(s, a, X);
  NodeId host = s.D.hostStep(s.Host, &a, 1);
  s.D.nodeRead(host, X, 4, site(1));
  NodeId b = s.launch(q, 1, 1, {host});
  writeBy(s, b, X);
  EXPECT_EQ(s.rules(), "");
}

TEST(S14, HostReadBeforeSynchronizationRaces) {
  Simulation s;
  NodeId host0 = s.D.hostStep(s.Host, nullptr, 0);
  NodeId a = s.launch(s.stream(), 1, 1, {host0});
  writeBy(s, a, X);
  NodeId host = s.D.hostStep(s.Host, nullptr, 0);
  s.D.nodeRead(host, X, 4, site(1));
  ASSERT_EQ(s.rules(), "D1");
  EXPECT_EQ(s.Sink.races()[0].distance, Distance::HostDevice);
}

TEST(O7, CopiesAreAccessesInStreamOrder) {
  Simulation s;
  TimelineId p = s.stream(), q = s.stream();
  NodeId k = s.launch(p, 1, 1);
  NodeId copy = s.D.copyNode(p, nullptr, 0), other = s.D.copyNode(q, nullptr, 0);
  writeBy(s, k, X);
  s.D.nodeRead(copy, X, 4, site(1));
  EXPECT_EQ(s.rules(), "");
  s.D.nodeWrite(other, X, 4, site(2));
  EXPECT_EQ(s.rules(), "D1 D1"); // against the kernel's write and the copy's read
}

TEST(S14, WhatAKernelLearnedPassesOnAtItsEnd) {
  // K1 (stream p, still running) releases to K2 (stream q); K3 follows K2.
  Simulation s;
  TimelineId p = s.stream(), q = s.stream();
  NodeId k1 = s.launch(p, 1, 1), k2 = s.launch(q, 1, 1);
  Block *b1 = s.block(k1), *b2 = s.block(k2);
  Thread &t1 = s.thread(b1, 0), &t2 = s.thread(b2, 0);
  s.write(t1, X);
  s.store(t1, F, Release, Scope::System);
  s.write(t1, Y);
  s.load(t2, F, Acquire, Scope::System);
  s.D.threadExit(t2);
  NodeId k3 = s.launch(q, 1, 1);
  Thread &t3 = s.thread(s.block(k3), 0);
  s.read(t3, X);
  EXPECT_EQ(s.rules(), "");
  s.read(t3, Y);
  EXPECT_EQ(s.rules(), "D1");
}

TEST(S14, TheHostLearnsThroughAMarkerWhatAKernelLearned) {
  // The marker was enqueued before its kernel had learned of the other one's write.
  Simulation s;
  TimelineId p = s.stream(), q = s.stream();
  NodeId k1 = s.launch(p, 1, 1), k2 = s.launch(q, 1, 1);
  NodeId recorded = s.D.marker(q, nullptr, 0);
  Thread &t1 = s.thread(s.block(k1), 0), &t2 = s.thread(s.block(k2), 0);
  s.write(t1, X);
  s.store(t1, F, Release, Scope::System);
  s.load(t2, F, Acquire, Scope::System);
  s.D.threadExit(t2);
  NodeId host = s.D.hostStep(s.Host, &recorded, 1);
  s.read(s.thread(s.block(s.launch(s.stream(), 1, 1, {host})), 0), X);
  EXPECT_EQ(s.rules(), "");
}

TEST(S14, PrecedesFollowsEveryPath) {
  Simulation s;
  TimelineId p = s.stream(), q = s.stream();
  NodeId a = s.launch(p, 1, 1), b = s.D.marker(p, nullptr, 0), c = s.launch(q, 1, 1, {b});
  NodeId other = s.launch(s.stream(), 1, 1);
  EXPECT_TRUE(s.D.precedes(a, c));
  EXPECT_FALSE(s.D.precedes(c, a));
  EXPECT_FALSE(s.D.precedes(a, other));
}

TEST(S14, SystemScopeAcquireBringsTheReleasersPastLaunches) {
  Simulation s;
  TimelineId p = s.stream(), q = s.stream();
  NodeId fill = s.D.copyNode(p, nullptr, 0);
  s.D.nodeWrite(fill, X, 4, site(1));
  NodeId k1 = s.launch(p, 1, 1), k2 = s.launch(q, 1, 1);
  Thread &t1 = s.thread(s.block(k1), 0), &t2 = s.thread(s.block(k2), 0);
  s.store(t1, F, Release, Scope::System);
  s.load(t2, F, Acquire, Scope::System);
  s.read(t2, X);
  EXPECT_EQ(s.rules(), "");
}

TEST(S14, ManyLaunchesOfOneStreamStayCheap) {
  Simulation s;
  TimelineId p = s.stream();
  for (int i = 0; i < 2000; ++i)
    writeBy(s, s.launch(p, 1, 1), X);
  EXPECT_EQ(s.rules(), "");
}

// ---------------------------------------------------------------- stream memory operations

TEST(S14, AValueWrittenAndWaitedForOrdersStreams) {
  for (bool relaxed : {false, true}) {
    Simulation s;
    TimelineId one = s.stream(), two = s.stream();
    NodeId first = s.launch(one, 1, 1);
    NodeId write = s.D.copyNode(one, nullptr, 0);
    NodeId wait = s.D.copyNode(two, nullptr, 0);
    NodeId second = s.launch(two, 1, 1);
    Block *b = s.block(first);
    s.write(s.thread(b, 0), X, 1);
    s.D.threadExit(s.thread(b, 0));
    s.D.endBlock(b);
    s.D.nodeAtomic(write, F, 4, Op(AccessKind::Store, relaxed ? Relaxed : Release, Scope::System));
    s.D.nodeAtomic(wait, F, 4, Op(AccessKind::Load, Acquire, Scope::System));
    s.read(s.thread(s.block(second), 0), X, 2);
    EXPECT_EQ(s.rules(), relaxed ? "D1" : "");
  }
}

// Values that memory is known to hold, and orders that follow from where they begin.
#include "Log.h"

#include <gtest/gtest.h>

using namespace scopesan;
using namespace scopesan::gpu;
using namespace scopesan::gpu::test;

namespace {

constexpr Who A{0, 0}, B{1, 0}, C{2, 0};

Content bytesOf(std::initializer_list<int> values) {
  Content c;
  for (int v : values)
    c.bytes.push_back(std::byte(v));
  return c;
}

TEST(KnownValues, FillsRepeatTheirElement) {
  KnownValues v;
  v.set(100, 64, Content::ofFill(0x11223344, 4));
  EXPECT_EQ(v.read(100, 4), 0x11223344u);
  EXPECT_EQ(v.read(102, 4), 0x33441122u);
  EXPECT_EQ(v.read(104, 8), 0x1122334411223344u);
  EXPECT_EQ(v.read(163, 1), 0x11u);
  EXPECT_FALSE(v.read(162, 4));
  EXPECT_FALSE(v.read(98, 4));
  v.set(200, 8, Content::ofFill(0x7, 1));
  EXPECT_EQ(v.read(200, 2), 0x707u);
}

TEST(KnownValues, WhatIsForgottenCutsAHole) {
  KnownValues v;
  v.set(100, 64, Content::ofFill(0x01020304, 4));
  v.forget(111, 2);
  EXPECT_EQ(v.read(104, 4), 0x01020304u);
  EXPECT_FALSE(v.read(108, 4));
  EXPECT_EQ(v.read(113, 1), 0x03u); // still the pattern's second byte
  EXPECT_EQ(v.read(116, 4), 0x01020304u);
  v.forget(90, 30);
  EXPECT_FALSE(v.read(116, 4));
  EXPECT_EQ(v.read(120, 4), 0x01020304u);
  v.forget(0, 1000);
  EXPECT_TRUE(v.empty());
}

TEST(KnownValues, LaterContentReplacesEarlier) {
  KnownValues v;
  v.set(100, 16, Content::ofFill(0, 4));
  v.set(104, 4, bytesOf({1, 2, 3, 4}));
  v.set(112, 4, uint64_t(9));
  EXPECT_EQ(v.read(100, 8), 0x0403020100000000u);
  EXPECT_EQ(v.read(108, 8), 0x900000000u);
}

TEST(KnownValues, TooManyPiecesAreAllForgotten) {
  KnownValues v;
  v.set(0, 1 << 20, Content::ofFill(0, 4));
  for (uint64_t at = 0; at < 1 << 20; at += 8)
    v.forget(at, 4);
  EXPECT_TRUE(v.empty());
}

// ---------------------------------------------------------------- tickets that wrap around

/// A, B and C take tickets 0, 1 and 2 of an atomicInc that wraps at 2; C, the last, writes what the
/// others have read. B's ticket is seen first.
void tickets(Launch &l) {
  l.read(A, X).read(B, X).read(C, X);
  l.before(A, Flag, RmwAcqRel).before(B, Flag, RmwAcqRel).before(C, Flag, RmwAcqRel);
  l.changed(B, 1, 2).changed(C, 2, 0).write(C, X).changed(A, 0, 1);
}

TEST(Circle, AFillTellsWhereItBegan) {
  Launch l(3);
  l.R.locations().holds(Flag, 4, Content::ofFill(0, 1));
  tickets(l);
  l.end();
  EXPECT_TRUE(l.S.findings.empty());
  EXPECT_EQ(l.R.locations().ambiguous(), 0u);
}

TEST(Circle, WhereItBeganIsUnknown) {
  Launch l(3);
  tickets(l);
  l.end();
  EXPECT_TRUE(l.S.findings.empty());
  EXPECT_GT(l.R.locations().ambiguous(), 0u);
}

TEST(Circle, TheFirstIsNotOrderedAfterTheLast) {
  for (bool known : {true, false}) {
    Launch l(3); // A, the first, reads what C has written before it took its ticket
    l.write(C, Y);
    if (known)
      l.R.locations().holds(Flag, 4, Content::ofFill(0, 1));
    tickets(l);
    l.read(A, Y).end();
    EXPECT_EQ(l.S.findings.empty(), !known);
    EXPECT_EQ(l.R.locations().ambiguous() == 0, known);
  }
}

TEST(Circle, AReaderAfterAWholeRound) {
  Launch l(3); // C sees the value of A, or what was there before both
  l.write(A, X).write(B, Y);
  l.before(A, Flag, RmwAcqRel).before(B, Flag, RmwAcqRel).before(C, Flag, LoadAcquire);
  l.got(C, 1).changed(A, 0, 1).changed(B, 1, 0).read(C, X).read(C, Y).end();
  EXPECT_TRUE(l.S.findings.empty());
  EXPECT_GT(l.R.locations().ambiguous(), 0u);
}

TEST(Circle, ExchangesBackAndForth) {
  Launch l;
  l.R.locations().holds(Flag, 4, Content::ofFill(0, 1));
  l.write(A, X).before(A, Flag, RmwAcqRel).before(B, Flag, RmwAcqRel);
  l.changed(B, 1, 0).changed(A, 0, 1).read(B, X).end();
  EXPECT_TRUE(l.S.findings.empty());
  EXPECT_EQ(l.R.locations().ambiguous(), 0u);
}

// ---------------------------------------------------------------- values that nobody knows

/// A read-modify-write of which only the old value is known.
Launch &changedBlindly(Launch &l, Who w, uint64_t from) {
  return l.after(w, from, 0, Wrote | ValueKnown);
}

TEST(Blind, ExplainsWhatOthersRead) {
  Launch l(3); // B read what A left, C what B left
  l.R.locations().holds(Flag, 4, Content::ofFill(0, 1));
  l.write(A, X).write(B, Y);
  l.before(A, Flag, RmwAcqRel).before(B, Flag, RmwAcqRel).before(C, Flag, RmwAcqRel);
  changedBlindly(l, C, 9).read(C, X).read(C, Y);
  changedBlindly(l, B, 5);
  changedBlindly(l, A, 0).end();
  EXPECT_TRUE(l.S.findings.empty());
  EXPECT_EQ(l.R.locations().unplaced(), 0u);
  EXPECT_GT(l.R.locations().ambiguous(), 0u);
}

TEST(Blind, SumsThatOrderNothingNeedNoOrder) {
  constexpr scopesan::abi::Op Add(scopesan::abi::AccessKind::Rmw,
                                  scopesan::abi::MemoryOrder::Relaxed,
                                  scopesan::abi::Scope::Device);
  Launch l;
  l.R.locations().holds(Flag, 4, Content::ofFill(0, 1));
  l.before(A, Flag, Add).before(B, Flag, Add);
  changedBlindly(l, B, 5);
  changedBlindly(l, A, 0).end();
  EXPECT_EQ(l.R.locations().unplaced(), 0u);
  EXPECT_EQ(l.R.locations().ambiguous(), 0u);
}

TEST(Blind, APartOfTheObjectWasChangedByALargerOperation) {
  Launch l;
  l.R.locations().holds(Flag, 4, Content::ofFill(0, 1));
  l.before(A, Flag, RmwAcqRel).add(B, EventKind::AtomicBefore, Flag, 2, RmwAcqRel.raw());
  changedBlindly(l, B, 7);
  changedBlindly(l, A, 0).end();
  EXPECT_EQ(l.R.locations().unplaced(), 0u);
}

TEST(Blind, WithoutOneTheValueFitsNoOrder) {
  Launch l;
  l.R.locations().holds(Flag, 4, Content::ofFill(0, 1));
  l.before(A, Flag, RmwAcqRel);
  changedBlindly(l, A, 9).end();
  EXPECT_EQ(l.R.locations().unplaced(), 1u);
}

// ---------------------------------------------------------------- what is kept between launches

TEST(Remembered, TheLastValueOfALaunch) {
  Launch l(3);
  l.R.locations().deviceOnly([](uint64_t address) { return address == Flag; });
  l.store(A, Flag, 5).store(A, Y, 6).end();
  EXPECT_EQ(l.R.locations().values().read(Flag, 4), 5u);
  EXPECT_FALSE(l.R.locations().values().read(Y, 4)); // the host may write there
}

TEST(Remembered, AWeakWriteEndsWhatIsKnown) {
  Launch l;
  l.R.locations().holds(X, 8, Content::ofFill(0, 1));
  l.write(A, X).end();
  EXPECT_FALSE(l.R.locations().values().read(X, 4));
  EXPECT_EQ(l.R.locations().values().read(X + 4, 4), 0u);
}

TEST(Remembered, AnotherSizeSeesTheNewValue) {
  Launch l;
  l.R.locations().holds(Flag, 8, Content::ofFill(0, 1));
  l.store(A, Flag, 5).end();
  EXPECT_FALSE(l.R.locations().values().read(Flag, 8));
}

} // namespace

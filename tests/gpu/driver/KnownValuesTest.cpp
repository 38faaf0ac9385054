// Where the values of atomic objects begin: fills, copies, earlier launches.
#include "Program.h"

namespace {

constexpr scopesan::abi::Op Ticket(scopesan::abi::AccessKind::Rmw,
                                   scopesan::abi::MemoryOrder::AcqRel,
                                   scopesan::abi::Scope::Device);

/// Two blocks take the tickets `first` and 1 - `first` of a counter that wraps around; what the
/// second has read before its ticket is written by the other before its own.
void ticketsOf(uint64_t counter, uint64_t data, uint32_t first) {
  record(0, EventKind::Write, data);
  begins(0, counter, Ticket);
  begins(1, counter, Ticket);
  ends(1, 1 - first, first);
  record(1, EventKind::Read, data);
  ends(0, first, 1 - first);
}

const char *Several = "fit several moments";

} // namespace

TEST_F(Collector, TicketsAfterAFill) {
  uint64_t counter = allocate(), data = allocate();
  fill(counter, 1, nullptr);
  for (int i = 0; i < 2; ++i) { // the second begins where the first ends
    launch("logged", nullptr, [&] { ticketsOf(counter, data, 0); });
    synchronize();
  }
  EXPECT_EQ(found(), 0u);
  EXPECT_EQ(lines(Several), 0u);
}

TEST_F(Collector, TicketsAfterACopyFromTheHost) {
  uint64_t counter = allocate(), data = allocate();
  uint32_t one = 1;
  call("cuMemcpyHtoD_v2", cuMemcpyHtoD_v2_params{counter, &one, 4});
  launch("logged", nullptr, [&] { ticketsOf(counter, data, 1); });
  synchronize();
  EXPECT_EQ(found(), 0u);
  EXPECT_EQ(lines(Several), 0u);
}

TEST_F(Collector, TicketsOfUnknownBeginningAreNotGuessed) {
  uint64_t counter = allocate(), data = allocate();
  launch("logged", nullptr, [&] { ticketsOf(counter, data, 0); });
  synchronize();
  EXPECT_EQ(found(), 0u);
  EXPECT_GE(lines(Several), 1u);
}

TEST_F(Collector, AKernelThatIsNotCheckedMayHaveChangedTheValue) {
  uint64_t counter = allocate(), data = allocate();
  fill(counter, 1, nullptr);
  launch("plain", nullptr, {});
  EXPECT_EQ(lines("is not instrumented"), 1u);
  launch("logged", nullptr, [&] { ticketsOf(counter, data, 0); });
  synchronize();
  EXPECT_EQ(found(), 0u);
  EXPECT_GE(lines(Several), 1u);
}

TEST_F(Collector, ACopyOfUnknownContentHidesTheValue) {
  uint64_t counter = allocate(), data = allocate(), other = allocate();
  fill(counter, 1, nullptr);
  copy(counter, other, 4, nullptr);
  launch("logged", nullptr, [&] { ticketsOf(counter, data, 0); });
  synchronize();
  EXPECT_EQ(found(), 0u);
  EXPECT_GE(lines(Several), 1u);
}

TEST_F(Collector, NewMemoryHoldsNothingKnown) {
  uint64_t counter = allocate(), data = allocate();
  fill(counter, 1, nullptr);
  release(counter);
  CUdeviceptr again = counter;
  call("cuMemAlloc_v2", cuMemAlloc_v2_params{&again, 4096});
  launch("logged", nullptr, [&] { ticketsOf(counter, data, 0); });
  synchronize();
  EXPECT_EQ(found(), 0u);
  EXPECT_GE(lines(Several), 1u);
}

TEST_F(Collector, AWrongBeginningIsNoSilence) {
  uint64_t counter = allocate(), data = allocate();
  uint32_t seven = 7;
  call("cuMemcpyHtoD_v2", cuMemcpyHtoD_v2_params{counter, &seven, 4});
  launch("logged", nullptr, [&] { ticketsOf(counter, data, 0); });
  synchronize();
  EXPECT_EQ(lines("fit no order"), 1u);
}

// The 64 bits of an mbarrier object (PTX ISA 9.7.13.15) as this backend lays them out. Programs see
// them as an opaque state only.
//
//   init(n) -> pending n, bytes 0;  arrive: pending -= k;  expect: bytes += b;  complete: bytes -=
//   b pending 0 and bytes 0 -> the phase bit flips, pending = expected
#pragma once

#include <stdint.h>
#include <string.h>

namespace scopesan::cpu {

struct MbarrierObject {
  uint64_t Phase : 1, Pending : 20, Expected : 20;
  int64_t Bytes : 22; ///< still to arrive in this phase; negative while copies precede expect_tx
  uint64_t Unused : 1;

  void init(uint32_t Count) {
    Phase = 0;
    Pending = Expected = Count;
    Bytes = 0;
    Unused = 0;
  }
  uint64_t state() const {
    uint64_t Bits;
    memcpy(&Bits, this, sizeof Bits);
    return Bits;
  }
  static MbarrierObject of(uint64_t State) {
    MbarrierObject B;
    memcpy(&B, &State, sizeof B);
    return B;
  }
  /// True when the phase completed.
  bool completeIfReady() {
    if (Pending || Bytes)
      return false;
    Phase ^= 1;
    Pending = Expected;
    return true;
  }
  /// More arrivals than are pending are a misuse (D7) and count as what is pending.
  bool arrive(uint32_t Count, bool Drop) {
    uint32_t Counted = Count < Pending ? Count : Pending;
    if (Drop)
      Expected = Counted < Expected ? Expected - Counted : 0;
    Pending -= Counted;
    return completeIfReady();
  }
  /// Copies have brought `Count` bytes.
  bool complete(uint32_t Count) {
    Bytes -= Count;
    return completeIfReady();
  }
  /// Is the phase over that was current when `State` (or its parity, 0 or 1) was taken?
  bool phaseOver(uint64_t State) const { return Phase != (State & 1); }
};
static_assert(sizeof(MbarrierObject) == 8);

} // namespace scopesan::cpu

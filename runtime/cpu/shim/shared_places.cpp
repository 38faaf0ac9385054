// Tells the report which shared variable an address belongs to.
#include "cpu/shim/shared_places.h"
#include "cpu/engine.h"

using namespace scopesan;
using namespace scopesan::cpu;

static host::SharedPlace placeIn(const Launch &L, uint64_t Offset) {
  host::SharedPlace Place;
  Place.found = true;
  Place.offset = Offset;
  const Kernel &K = *L.Spec.Code;
  for (uint32_t I = 0; I < K.sharedCount; ++I) {
    const SharedVariable &V = K.sharedVariables[I];
    if (V.size && Offset - V.offset < V.size) {
      Place.variable = V.name;
      Place.offset = Offset - V.offset;
      Place.size = V.size;
      return Place;
    }
  }
  if (Offset >= K.staticShared) {
    Place.variable = "dynamic shared memory";
    Place.offset = Offset - K.staticShared;
    Place.size = L.Spec.DynamicShared;
  }
  return Place;
}

host::SharedPlace scopesan::cpu::resolveShared(uint64_t Address) {
  if (TheEngine.arena().contains(Address))
    for (const Launch *L : TheEngine.activeLaunches())
      for (const Block *B : L->Resident) {
        uint64_t Offset = Address - reinterpret_cast<uint64_t>(B->Shared);
        if (Offset < L->SlotBytes)
          return placeIn(*L, Offset);
      }
  return {};
}

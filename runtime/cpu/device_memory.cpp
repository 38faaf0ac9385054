// Address questions of device code: state spaces, cluster shared memory, the device heap.
#include "cpu/async_copies.h"
#include "cpu/device_heap.h"
#include "cpu/engine.h"

#include "host/collector.h"

#include <stdlib.h>
#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

Block *scopesan::cpu::sharedOwner(const Thread &T, uint64_t Address) {
  if (!TheEngine.arena().contains(Address))
    return nullptr;
  Cluster &C = *T.Owner->Peers;
  for (uint32_t I = 0; I < C.BlockCount; ++I)
    if (Address - reinterpret_cast<uint64_t>(C.Blocks[I]->Shared) < C.Blocks[I]->Grid->SlotBytes)
      return C.Blocks[I];
  return nullptr;
}

static Block *ownerOf(uint64_t Address) { return sharedOwner(*Engine::current(), Address); }

char *scopesan::cpu::inBlock(const Thread &T, const void *P, uint32_t Rank) {
  auto Address = reinterpret_cast<uint64_t>(P);
  Block *Owner = sharedOwner(T, Address);
  Cluster &C = *T.Owner->Peers;
  if (!Owner || Rank >= C.BlockCount)
    TheEngine.failFromFiber(FailureCode::IllegalAddress,
                            "an address outside of shared memory, or rank " + std::to_string(Rank) +
                                " in a cluster of " + std::to_string(C.BlockCount) + " blocks,",
                            T);
  return C.Blocks[Rank]->Shared + (Address - reinterpret_cast<uint64_t>(Owner->Shared));
}

DeviceHeap scopesan::cpu::TheDeviceHeap;

void *DeviceHeap::allocate(uint64_t Bytes) {
  if (!Bytes || Used + Bytes > Limit)
    return nullptr;
  void *P = aligned_alloc(16, (Bytes + 15) / 16 * 16);
  if (!P)
    return nullptr;
  Used += Bytes;
  Sizes[reinterpret_cast<uint64_t>(P)] = Bytes;
  TheDetector->allocated(reinterpret_cast<uint64_t>(P), Bytes);
  host::memoryAllocated(
      {reinterpret_cast<uint64_t>(P), Bytes, host::MemoryKind::DeviceHeap, "malloc", 0});
  return P;
}

bool DeviceHeap::release(void *P) {
  auto It = Sizes.find(reinterpret_cast<uint64_t>(P));
  if (It == Sizes.end())
    return false;
  Used -= It->second;
  TheDetector->forget(reinterpret_cast<uint64_t>(P), It->second);
  host::memoryFreed(reinterpret_cast<uint64_t>(P));
  Sizes.erase(It);
  free(P);
  return true;
}

bool DeviceHeap::contains(uint64_t Address) const {
  auto It = Sizes.upper_bound(Address);
  return It != Sizes.begin() && Address - std::prev(It)->first < std::prev(It)->second;
}

extern "C" {
#pragma GCC visibility push(default)

uint32_t __scopesan_cpu_isspacep(const void *P, uint32_t Space) {
  auto Address = reinterpret_cast<uint64_t>(P);
  const Thread &T = *Engine::current();
  const LaunchSpec &L = T.Owner->Grid->Spec;
  bool IsLocal = T.Stack->contains(P);
  bool IsParam = L.ArgumentsBegin <= Address && Address < L.ArgumentsEnd;
  if (Space == ParamSpace)
    return IsParam;
  switch (abi::Space(Space)) {
  case abi::Space::Shared:
    return ownerOf(Address) == T.Owner;
  case abi::Space::SharedCluster:
    return ownerOf(Address) != nullptr;
  case abi::Space::Local:
    return IsLocal;
  case abi::Space::Global:
    return !IsLocal && !IsParam && !TheEngine.arena().contains(Address);
  default:
    return 0; // constant memory is addressed as global
  }
}

uint64_t __scopesan_cpu_mapa(uint64_t Shared, uint32_t Rank) {
  const Thread &T = *Engine::current();
  return reinterpret_cast<uint64_t>(inBlock(T, reinterpret_cast<void *>(Shared), Rank));
}

uint32_t __scopesan_cpu_getctarank(uint64_t Shared) {
  Block *Owner = ownerOf(Shared);
  return Owner ? Owner->Rank : 0;
}

void *__scopesan_cpu_malloc(uint64_t Bytes) { return TheDeviceHeap.allocate(Bytes); }

void __scopesan_cpu_free(void *P) {
  if (!P || TheDeviceHeap.release(P))
    return;
  Thread &T = *Engine::current();
  TheEngine.failFromFiber(FailureCode::LaunchFailure,
                          "device free() of a pointer that device malloc() did not return,", T);
}

#pragma GCC visibility pop
}

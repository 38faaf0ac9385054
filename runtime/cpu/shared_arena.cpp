#include "cpu/shared_arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

using namespace scopesan::cpu;

bool SharedArena::map() {
  // Tried in a fixed order, so that the place does not depend on address space randomization.
  constexpr uint64_t Bytes = 0x60000000;
  for (uint64_t Candidate : {0x10000000ull, 0x20000000ull, 0x30000000ull, 0x88000000ull}) {
    void *P = mmap(reinterpret_cast<void *>(Candidate), Bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (P == reinterpret_cast<void *>(Candidate)) {
      Base = Candidate;
      Size = Bytes;
      Free[0] = uint32_t(Bytes);
      return true;
    }
    if (P != MAP_FAILED)
      munmap(P, Bytes);
  }
  fprintf(stderr,
          "scopesan: cannot map 1.5 GiB below 4 GiB for shared memory; is the address space "
          "limited (ulimit -v)?\n");
  abort();
}

char *SharedArena::allocate(uint32_t Bytes) {
  if (!Size && !map())
    return nullptr;
  Bytes = (Bytes + Granule - 1) / Granule * Granule;
  for (auto It = Free.begin(); It != Free.end(); ++It) {
    if (It->second < Bytes)
      continue;
    uint32_t Offset = It->first, Rest = It->second - Bytes;
    Free.erase(It);
    if (Rest)
      Free[Offset + Bytes] = Rest;
    Used[Offset] = Bytes;
    return reinterpret_cast<char *>(Base + Offset);
  }
  return nullptr;
}

void SharedArena::free(char *Slot) {
  auto It = Used.find(uint32_t(reinterpret_cast<uint64_t>(Slot) - Base));
  if (It == Used.end())
    return;
  uint32_t Offset = It->first, Bytes = It->second;
  Used.erase(It);
  auto Next = Free.lower_bound(Offset);
  if (Next != Free.end() && Next->first == Offset + Bytes) {
    Bytes += Next->second;
    Next = Free.erase(Next);
  }
  if (Next != Free.begin()) {
    auto Before = std::prev(Next);
    if (Before->first + Before->second == Offset) {
      Before->second += Bytes;
      return;
    }
  }
  Free[Offset] = Bytes;
}

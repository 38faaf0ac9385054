#include "cpu/shim/memory_table.h"

#include "cpu/engine.h"
#include "cpu/reach.h"
#include "cpu/shim/host_code.h"
#include "host/options.h"

#include <sys/mman.h>

using namespace scopesan;
using namespace scopesan::cpu;

// cudaMalloc promises 256 bytes. A page is never shared, so that it has one device and one kind.
static constexpr uint64_t Granule = 4096;
static constexpr uint64_t PageBytes = 4096;
static constexpr uint64_t QuarantineLimit = 1ull << 30; ///< bytes of addresses, not of memory
static constexpr size_t QuarantineBlocks = 65536;

bool MemoryTable::mapRegion() {
  Mapped = true;
  void *Hint = reinterpret_cast<void *>(0x100000000000);
  for (uint64_t Bytes : {256ull << 30, 32ull << 30, 4ull << 30}) {
    void *P = mmap(Hint, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (P != MAP_FAILED) {
      RegionBegin = reinterpret_cast<uint64_t>(P);
      RegionBytes = Bytes;
      Free[RegionBegin] = Bytes;
      hostWatchesRegion(RegionBegin, RegionBegin + Bytes);
      return true;
    }
  }
  return false;
}

uint64_t MemoryTable::take(uint64_t Bytes) {
  if (!Mapped)
    mapRegion();
  for (auto It = Free.begin(); It != Free.end(); ++It) {
    if (It->second < Bytes)
      continue;
    uint64_t Address = It->first, Rest = It->second - Bytes;
    Free.erase(It);
    if (Rest)
      Free[Address + Bytes] = Rest;
    return Address;
  }
  return 0;
}

/// Gives whole pages back to the system where it is worth a system call.
static void discardPages(uint64_t Address, uint64_t Bytes) {
  uint64_t PageBegin = (Address + PageBytes - 1) / PageBytes * PageBytes;
  uint64_t PageEnd = (Address + Bytes) / PageBytes * PageBytes;
  if (PageEnd > PageBegin && PageEnd - PageBegin >= 16 * PageBytes)
    madvise(reinterpret_cast<void *>(PageBegin), PageEnd - PageBegin, MADV_DONTNEED);
}

void MemoryTable::giveBack(uint64_t Address, uint64_t Bytes) {
  discardPages(Address, Bytes);
  auto Next = Free.lower_bound(Address);
  if (Next != Free.end() && Next->first == Address + Bytes) {
    Bytes += Next->second;
    Next = Free.erase(Next);
  }
  if (Next != Free.begin()) {
    auto Before = std::prev(Next);
    if (Before->first + Before->second == Address) {
      Before->second += Bytes;
      return;
    }
  }
  Free[Address] = Bytes;
}

static uint64_t footprint(uint64_t Bytes) {
  // A granule of slack keeps neighbours apart, so that an overrun never hits another allocation's
  // first byte.
  return (Bytes + Granule - 1) / Granule * Granule + Granule;
}

void *MemoryTable::allocate(uint64_t Bytes, host::MemoryKind Kind, const char *Api, int Device,
                            unsigned Flags) {
  bool OnDevice = Kind == host::MemoryKind::Device || Kind == host::MemoryKind::Managed ||
                  Kind == host::MemoryKind::Array;
  if (Bytes > TotalDeviceBytes || (OnDevice && DeviceBytes[Device] + Bytes > TotalDeviceBytes))
    return nullptr;
  uint64_t Address = take(footprint(Bytes));
  if (!Address)
    return nullptr;
  if (OnDevice)
    DeviceBytes[Device] += Bytes;
  Allocation A;
  A.Device = Device;
  A.Address = Address;
  A.Bytes = Bytes;
  A.Kind = Kind;
  A.Flags = Flags;
  A.Owned = true;
  adopt(A, Api);
  return reinterpret_cast<void *>(Address);
}

/// D6, from the attributes of memory and devices.
static core::Atomicity atomicityOf(const Allocation &A) {
  const host::Options &O = host::options();
  if (A.Kind == host::MemoryKind::Managed)
    return O.concurrent_managed_access ? core::Atomicity::Always : core::Atomicity::Never;
  if (A.onHost())
    return O.host_native_atomics ? core::Atomicity::Always : core::Atomicity::LoadsAndStores;
  return O.devices > 1 && !O.p2p_native_atomics ? core::Atomicity::OneDevice
                                                : core::Atomicity::Always;
}

void MemoryTable::adopt(const Allocation &A, const std::string &Name) {
  HostVisible |= A.onHost() || A.Kind == host::MemoryKind::Managed;
  if (!inRegion(A.Address))
    hostWatchesElsewhere(A.Address, A.Address + A.Bytes);
  Allocations[A.Address] = A;
  Allocations[A.Address].Serial = NextSerial++;
  TheDetector->allocated(A.Address, A.Bytes);
  TheDetector->setAtomicity(A.Address, A.Bytes, {atomicityOf(A)});
  host::memoryAllocated({A.Address, A.Bytes, A.Kind, Name, uint32_t(A.Device)});
}

/// Keeps freed addresses out of use; their pages are given back to the system at once.
void MemoryTable::quarantine(uint64_t Address, uint64_t Bytes) {
  discardPages(Address, Bytes);
  Quarantine.push_back({Address, Bytes});
  QuarantineBytes += Bytes;
  while (QuarantineBytes > QuarantineLimit || Quarantine.size() > QuarantineBlocks) {
    Block Oldest = Quarantine.front();
    Quarantine.pop_front();
    QuarantineBytes -= Oldest.Bytes;
    giveBack(Oldest.Address, Oldest.Bytes);
  }
}

bool MemoryTable::release(uint64_t Address, core::NodeId By, bool AfterAll) {
  auto It = Allocations.find(Address);
  if (It == Allocations.end())
    return false;
  const Allocation A = It->second;
  TheDetector->freed(A.Address, A.Bytes, By, AfterAll);
  TheDetector->setAtomicity(A.Address, A.Bytes, {});
  TheReachCache.clear();
  host::memoryFreed(A.Address);
  if (A.Registered)
    Unregistered[A.Address] = A.Address + A.Bytes;
  if (A.Owned)
    quarantine(A.Address, footprint(A.Bytes));
  if (A.Owned && !A.onHost())
    DeviceBytes[A.Device] -= A.Bytes;
  Allocations.erase(It);
  return true;
}

bool MemoryTable::forget(uint64_t Address, uint64_t Serial) {
  auto It = Allocations.find(Address);
  if (It == Allocations.end() || It->second.Serial != Serial)
    return false;
  const Allocation A = It->second;
  TheDetector->allocated(A.Address, A.Bytes);
  host::memoryFreed(A.Address);
  if (A.Owned)
    giveBack(A.Address, footprint(A.Bytes));
  if (A.Owned && !A.onHost())
    DeviceBytes[A.Device] -= A.Bytes;
  Allocations.erase(It);
  return true;
}

bool MemoryTable::attach(uint64_t Address, Attachment To, uint32_t Stream) {
  const Allocation *Found = find(Address);
  if (!Found || Found->Kind != host::MemoryKind::Managed)
    return false;
  Allocation &A = Allocations[Found->Address];
  A.Attached = To;
  A.AttachedTo = Stream;
  return true;
}

std::vector<uint64_t> MemoryTable::ownedOn(int Device) const {
  std::vector<uint64_t> Result;
  for (auto &[Address, A] : Allocations)
    if (A.Owned && A.Device == Device)
      Result.push_back(Address);
  return Result;
}

const Allocation *MemoryTable::find(uint64_t Address) const {
  auto It = Allocations.upper_bound(Address);
  if (It == Allocations.begin())
    return nullptr;
  const Allocation &A = std::prev(It)->second;
  return A.contains(Address) ? &A : nullptr;
}

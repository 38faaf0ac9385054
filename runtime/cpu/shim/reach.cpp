// Which addresses a kernel may touch at all (D8): memory of CUDA, of its own device or of an
// enabled peer. On this backend everything else is mapped too, so nobody else would notice.
#include "cpu/device_heap.h"
#include "cpu/shim/context.h"
#include "cpu/shim/modules.h"
#include "cpu/shim/pools.h"
#include "cpu/shim/virtual_memory.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

/// Memory that a running launch was given: its arguments and its grid's workspace.
bool belongsToALaunch(uint64_t Address) {
  for (const Launch *L : TheEngine.activeLaunches()) {
    auto Workspace = reinterpret_cast<uint64_t>(L->GridWorkspace);
    if (Workspace && Address - Workspace < Engine::GridWorkspaceBytes)
      return true;
    if (Address - L->Spec.ArgumentsBegin < L->Spec.ArgumentsEnd - L->Spec.ArgumentsBegin)
      return true;
  }
  return false;
}

bool mayReach(Context &C, const Allocation &A, int Device) {
  bool OnDevice = !A.onHost() && A.Kind != host::MemoryKind::Managed;
  if (!mappingAllows(A.Address, Device, true))
    return false;
  if (!OnDevice || A.Device == Device || mappingAllows(A.Address, Device, false))
    return true;
  if (const Pool *P = A.From) // a pool has its own list
    return P->Access.count(Device) != 0;
  return C.Devices[size_t(Device)].Peers.count(A.Device) != 0;
}

/// Is there memory of the host? Where there is none the access itself faults (X1).
bool isMapped(uint64_t Address) {
  static const auto Page = uint64_t(sysconf(_SC_PAGESIZE));
  unsigned char Resident;
  return mincore(reinterpret_cast<void *>(Address & -Page), Page, &Resident) == 0;
}

} // namespace

static bool PageableUsed;

bool scopesan::cpu::pageableMemoryWasUsed() { return PageableUsed; }

Reach scopesan::cpu::reachOf(uint64_t Address, uint32_t Device) {
  Context &C = context();
  if (const Allocation *A = C.Memory.find(Address))
    return mayReach(C, *A, int(Device)) ? Reach::Fine : Reach::NoPeerAccess;
  bool Known = C.Memory.inRegion(Address) || TheEngine.arena().contains(Address) ||
               TheDeviceHeap.contains(Address) || modules().containsCode(Address) ||
               belongsToALaunch(Address) || C.Memory.wasRegistered(Address);
  if (Known || !isMapped(Address))
    return Reach::Fine;
  if (!host::options().pageable_memory_access)
    return Reach::Unmapped;
  PageableUsed = true;
  return Reach::Fine;
}

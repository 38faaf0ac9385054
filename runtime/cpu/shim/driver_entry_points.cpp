// The driver's entry points that the runtime hands out.
#include "cpu/shim/context.h"
#include "cpu/shim/variants.h"

#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

struct EntryPoint {
  const char *Name;
  void *Function;
};
const EntryPoint EntryPoints[] = {
    {"cuStreamWaitValue32", reinterpret_cast<void *>(cuStreamWaitValue32)},
    {"cuStreamWaitValue64", reinterpret_cast<void *>(cuStreamWaitValue64)},
    {"cuStreamWriteValue32", reinterpret_cast<void *>(cuStreamWriteValue32)},
    {"cuStreamWriteValue64", reinterpret_cast<void *>(cuStreamWriteValue64)},
    {"cuStreamBatchMemOp", reinterpret_cast<void *>(cuStreamBatchMemOp)},
    {"cuMemAddressFree", reinterpret_cast<void *>(cuMemAddressFree)},
    {"cuMemAddressReserve", reinterpret_cast<void *>(cuMemAddressReserve)},
    {"cuMemCreate", reinterpret_cast<void *>(cuMemCreate)},
    {"cuMemGetAllocationGranularity", reinterpret_cast<void *>(cuMemGetAllocationGranularity)},
    {"cuMemMap", reinterpret_cast<void *>(cuMemMap)},
    {"cuMemRelease", reinterpret_cast<void *>(cuMemRelease)},
    {"cuMemSetAccess", reinterpret_cast<void *>(cuMemSetAccess)},
    {"cuMemUnmap", reinterpret_cast<void *>(cuMemUnmap)},
    {"cuTensorMapEncodeTiled", reinterpret_cast<void *>(cuTensorMapEncodeTiled)},
    {"cuTensorMapReplaceAddress", reinterpret_cast<void *>(cuTensorMapReplaceAddress)},
};

cudaError_t entryPoint(const char *Symbol, void **Function, cudaDriverEntryPointQueryResult *How) {
  return apiCall([&](Context &) {
    if (!Symbol || !Function)
      return cudaErrorInvalidValue;
    *Function = nullptr;
    for (const EntryPoint &E : EntryPoints)
      if (strcmp(E.Name, Symbol) == 0)
        *Function = E.Function;
    if (How)
      *How = *Function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    if (!*Function) // to ask is not to call: who asks may have another way
      host::note("the CPU backend lacks the driver function " + std::string(Symbol) +
                 ": the program was told so");
    return cudaSuccess;
  });
}

} // namespace

#undef cudaGetDriverEntryPoint
SCOPESAN_EXPORT cudaError_t cudaGetDriverEntryPoint(const char *Symbol, void **Function,
                                                    unsigned long long,
                                                    cudaDriverEntryPointQueryResult *How) {
  return entryPoint(Symbol, Function, How);
}
SCOPESAN_EXPORT cudaError_t cudaGetDriverEntryPoint_ptsz(const char *Symbol, void **Function,
                                                         unsigned long long,
                                                         cudaDriverEntryPointQueryResult *How) {
  return entryPoint(Symbol, Function, How);
}
#undef cudaGetDriverEntryPointByVersion
SCOPESAN_EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *Symbol, void **Function,
                                                             unsigned, unsigned long long,
                                                             cudaDriverEntryPointQueryResult *How) {
  return entryPoint(Symbol, Function, How);
}
SCOPESAN_EXPORT cudaError_t
cudaGetDriverEntryPointByVersion_ptsz(const char *Symbol, void **Function, unsigned,
                                      unsigned long long, cudaDriverEntryPointQueryResult *How) {
  return entryPoint(Symbol, Function, How);
}

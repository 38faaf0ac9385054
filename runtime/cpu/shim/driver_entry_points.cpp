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
#define SCOPESAN_DRIVER_FUNCTION(name) {#name, reinterpret_cast<void *>(name)},
#include "cpu/shim/driver_functions.def"
};

/// Null, with a note, for what the backend lacks: to ask is not to call, and who asks may have
/// another way.
void *driverFunction(const char *Name) {
  for (const EntryPoint &E : EntryPoints)
    if (strcmp(E.Name, Name) == 0)
      return E.Function;
  host::note("the CPU backend lacks the driver function " + std::string(Name) +
             ": the program was told so");
  return nullptr;
}

cudaError_t entryPoint(const char *Symbol, void **Function, cudaDriverEntryPointQueryResult *How) {
  return apiCall([&](Context &) {
    if (!Symbol || !Function)
      return cudaErrorInvalidValue;
    *Function = driverFunction(Symbol);
    if (How)
      *How = *Function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
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
CUresult cuGetProcAddress(const char *Symbol, void **Function, int, cuuint64_t,
                          CUdriverProcAddressQueryResult *How) {
  if (!Symbol || !Function)
    return CUDA_ERROR_INVALID_VALUE;
  Context &C = context();
  std::lock_guard Lock(C.Mutex);
  *Function = driverFunction(Symbol);
  if (How)
    *How = *Function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *Function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/// Called by libcuda.so.1 for what the backend lacks.
SCOPESAN_EXPORT int scopesan_driver_lacks(const char *Name) {
  host::initialise("cpu");
  host::incomplete("the CPU backend lacks the driver function " + std::string(Name));
  return CUDA_ERROR_NOT_SUPPORTED;
}

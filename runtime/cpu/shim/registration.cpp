// What the compiler's start-up code calls: fat binaries, kernels, variables, launch configurations.
#include "cpu/shim/context.h"
#include "cpu/shim/modules.h"

#include <vector>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

struct CallConfiguration {
  dim3 Grid, Block;
  size_t Shared;
  cudaStream_t Queue;
};
thread_local std::vector<CallConfiguration> Configurations;

DeviceModule *moduleOf(void **Handle) { return reinterpret_cast<DeviceModule *>(Handle); }

} // namespace

SCOPESAN_EXPORT void **__cudaRegisterFatBinary(void *Wrapper) {
  Context &C = context();
  std::lock_guard Lock(C.Mutex);
  return reinterpret_cast<void **>(modules().add(Wrapper));
}

SCOPESAN_EXPORT void __cudaRegisterFatBinaryEnd(void **Handle) {
  Context &C = context();
  std::lock_guard Lock(C.Mutex);
  modules().complete(moduleOf(Handle));
}

/// Called by the program's exit handlers, while its host memory is still intact: CUDA would destroy
/// the context here; we first run what is still queued so that its findings are not lost.
SCOPESAN_EXPORT void __cudaUnregisterFatBinary(void **) {
  Context &C = context();
  std::lock_guard Lock(C.Mutex);
  C.Work.drain(/*RunCallbacks=*/false);
}

SCOPESAN_EXPORT void __cudaRegisterFunction(void **Handle, const char *HostFunction, char *,
                                            const char *Symbol, int, uint3 *, uint3 *, dim3 *,
                                            dim3 *, int *) {
  Context &C = context();
  std::lock_guard Lock(C.Mutex);
  modules().addKernel(moduleOf(Handle), HostFunction, Symbol);
}

SCOPESAN_EXPORT void __cudaRegisterVar(void **Handle, char *HostVariable, char *,
                                       const char *Symbol, int, size_t Size, int, int) {
  Context &C = context();
  std::lock_guard Lock(C.Mutex);
  modules().addVariable(moduleOf(Handle), HostVariable, Symbol, Size);
}

SCOPESAN_EXPORT void __cudaRegisterManagedVar(void **Handle, void **HostPointer, char *,
                                              const char *Symbol, int, size_t Size, int, int) {
  Context &C = context();
  std::lock_guard Lock(C.Mutex);
  modules().addVariable(moduleOf(Handle), HostPointer, Symbol, Size)->ManagedPointer = HostPointer;
}

SCOPESAN_EXPORT void __cudaRegisterHostVar(void **, const char *, char *, size_t) {}

SCOPESAN_EXPORT char __cudaInitModule(void **) { return 1; }

SCOPESAN_EXPORT unsigned __cudaPushCallConfiguration(dim3 Grid, dim3 Block, size_t Shared,
                                                     struct CUstream_st *Queue) {
  Configurations.push_back({Grid, Block, Shared, Queue});
  return 0;
}

SCOPESAN_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *Grid, dim3 *Block, size_t *Shared,
                                                       void *Queue) {
  if (Configurations.empty())
    return record(cudaErrorMissingConfiguration);
  CallConfiguration Top = Configurations.back();
  Configurations.pop_back();
  *Grid = Top.Grid;
  *Block = Top.Block;
  *Shared = Top.Shared;
  *static_cast<cudaStream_t *>(Queue) = Top.Queue;
  return cudaSuccess;
}

SCOPESAN_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *Handle, const void *HostFunction) {
  return apiCall([&](Context &) {
    KernelFunction *F = modules().kernel(HostFunction);
    if (!F)
      return cudaErrorInvalidDeviceFunction;
    *Handle = reinterpret_cast<cudaKernel_t>(F);
    return cudaSuccess;
  });
}

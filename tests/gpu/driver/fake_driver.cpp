// A CUDA driver and a CUPTI without a GPU: what the collector calls, on host memory. Built as
// libcuda.so.1; SCOPESAN_CUPTI names it, too.
#include "fake_driver.h"

#include "cupti/kernels.cu" // for the host

#include <algorithm>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/mman.h>

static FakeDriver Driver;
FakeDriver &fakeDriver() { return Driver; }

namespace {
template <typename T> T handle(uint64_t n) { return reinterpret_cast<T>(n); }
CUdeviceptr allocate(size_t bytes) {
  return reinterpret_cast<CUdeviceptr>(aligned_alloc(4096, (bytes + 4095) & ~size_t(4095)));
}
} // namespace

#define FAKE extern "C" __attribute__((visibility("default"))) CUresult

FAKE cuCtxGetCurrent(CUcontext *c) { return *c = Driver.current, CUDA_SUCCESS; }
FAKE cuCtxGetDevice(CUdevice *d) { return *d = 0, CUDA_SUCCESS; }
FAKE cuCtxPushCurrent(CUcontext c) {
  Driver.stack.push_back(Driver.current);
  return Driver.current = c, CUDA_SUCCESS;
}
FAKE cuCtxPopCurrent(CUcontext *c) {
  *c = Driver.current;
  Driver.current = Driver.stack.back();
  return Driver.stack.pop_back(), CUDA_SUCCESS;
}
FAKE cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice) {
  *value = 1;
  if (attribute == CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED)
    *value = Driver.hostNativeAtomics;
  if (attribute == CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)
    *value = Driver.concurrentManagedAccess;
  return CUDA_SUCCESS;
}
FAKE cuDevicePrimaryCtxGetState(CUdevice, unsigned *, int *active) {
  return *active = Driver.primary != nullptr, CUDA_SUCCESS;
}
FAKE cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice) { return *c = Driver.primary, CUDA_SUCCESS; }
FAKE cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
FAKE cuEventCreate(CUevent *e, unsigned) {
  return *e = handle<CUevent>(++Driver.handles), CUDA_SUCCESS;
}
FAKE cuEventDestroy(CUevent) { return CUDA_SUCCESS; }
/// Copies to the host that are not over.
static std::vector<std::function<void()>> Copies;
static CUresult copyNow() {
  for (auto &copy : Copies)
    copy();
  return Copies.clear(), CUDA_SUCCESS;
}
FAKE cuEventQuery(CUevent) {
  ++Driver.queries;
  if (Driver.onQuery)
    Driver.onQuery();
  return Driver.busy ? CUDA_ERROR_NOT_READY : copyNow();
}
FAKE cuEventRecord(CUevent, CUstream) { return CUDA_SUCCESS; }
FAKE cuFuncGetAttribute(int *value, CUfunction_attribute, CUfunction) {
  return *value = 0, CUDA_SUCCESS;
}
/// Kernels named `plain...` lie in a module that is not instrumented.
constexpr uint64_t Instrumented = 7, Plain = 8;
FAKE cuFuncGetModule(CUmodule *m, CUfunction f) {
  bool isPlain = !strncmp(reinterpret_cast<const char *>(f), "plain", 5);
  return *m = handle<CUmodule>(isPlain ? Plain : Instrumented), CUDA_SUCCESS;
}
FAKE cuFuncGetName(const char **name, CUfunction f) {
  return *name = reinterpret_cast<const char *>(f), CUDA_SUCCESS;
}
FAKE cuKernelGetFunction(CUfunction *, CUkernel) { return CUDA_ERROR_INVALID_HANDLE; }
/// Only the collector launches by itself.
FAKE cuLaunchKernel(CUfunction f, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                    unsigned, CUstream, void **arguments, void **) {
  std::string name = reinterpret_cast<const char *>(f);
  auto number = [&](int i) { return *static_cast<uint64_t *>(arguments[i]); };
  if (name == "scopesanCheck")
    scopesanCheck(*static_cast<scopesan::cupti::CheckRange *>(arguments[0]));
  else if (name == "scopesanFill")
    scopesanFill(number(0), number(1), number(2));
  else
    scopesanSweep(number(0), number(1), *static_cast<scopesan::cupti::SweepTags *>(arguments[2]));
  return CUDA_SUCCESS;
}
FAKE cuMemAddressFree(CUdeviceptr, size_t) { return CUDA_SUCCESS; }
FAKE cuMemAddressReserve(CUdeviceptr *p, size_t bytes, size_t, CUdeviceptr, unsigned long long) {
  void *m = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return *p = reinterpret_cast<CUdeviceptr>(m), CUDA_SUCCESS;
}
FAKE cuMemAlloc(CUdeviceptr *p, size_t bytes) {
  if (Driver.dead)
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  *p = Driver.lastFreed && Driver.reuses ? Driver.lastFreed : allocate(bytes);
  return Driver.lastFreed = 0, CUDA_SUCCESS;
}
FAKE cuMemCreate(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *,
                 unsigned long long) {
  return Driver.noMemory ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
FAKE cuMemFree(CUdeviceptr p) { return free(reinterpret_cast<void *>(p)), CUDA_SUCCESS; }
FAKE cuMemHostAlloc(void **p, size_t bytes, unsigned) {
  return *p = calloc(1, bytes), CUDA_SUCCESS;
}
FAKE cuMemHostGetDevicePointer(CUdeviceptr *p, void *host, unsigned) {
  return *p = reinterpret_cast<CUdeviceptr>(host), CUDA_SUCCESS;
}
FAKE cuMemHostUnregister(void *) { return CUDA_SUCCESS; }
FAKE cuMemHostRegister(void *, size_t, unsigned) { return CUDA_SUCCESS; }
FAKE cuMemMap(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long) {
  return CUDA_SUCCESS;
}
FAKE cuStreamGetDevice(CUstream, CUdevice *d) { return *d = 0, CUDA_SUCCESS; }
FAKE cuDeviceGetMemPool(CUmemoryPool *p, CUdevice) {
  return *p = handle<CUmemoryPool>(1), CUDA_SUCCESS;
}
FAKE cuMemPoolGetAttribute(CUmemoryPool, CUmemPool_attribute, void *v) {
  return *static_cast<cuuint64_t *>(v) = Driver.poolThreshold, CUDA_SUCCESS;
}
FAKE cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute, void *v) {
  return Driver.poolThreshold = *static_cast<cuuint64_t *>(v), CUDA_SUCCESS;
}
FAKE cuMemRelease(CUmemGenericAllocationHandle) { return CUDA_SUCCESS; }
FAKE cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t) { return CUDA_SUCCESS; }
FAKE cuMemUnmap(CUdeviceptr, size_t) { return CUDA_SUCCESS; }
FAKE cuPointerGetAttribute(void *value, CUpointer_attribute a, CUdeviceptr p) {
  auto &known = Driver.deviceMemory;
  if (std::find(known.begin(), known.end(), p) == known.end())
    return CUDA_ERROR_INVALID_VALUE;
  *static_cast<unsigned *>(value) =
      a == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ? unsigned(CU_MEMORYTYPE_DEVICE) : 0;
  return CUDA_SUCCESS;
}
FAKE cuLaunchKernelEx(const CUlaunchConfig *, CUfunction f, void **, void **) {
  Driver.issued.push_back({"kernel", f});
  if (Driver.onKernel)
    Driver.onKernel(f);
  return CUDA_SUCCESS;
}
FAKE cuLaunchHostFunc(CUstream, CUhostFn f, void *data) {
  f(data);
  return Driver.issued.push_back({"host"}), CUDA_SUCCESS;
}
FAKE cuMemcpy3DAsync(const CUDA_MEMCPY3D *m, CUstream) {
  return Driver.issued.push_back({"copy", nullptr, m->dstDevice}), CUDA_SUCCESS;
}
FAKE cuMemsetD8Async(CUdeviceptr p, unsigned char, size_t, CUstream) {
  return Driver.issued.push_back({"fill", nullptr, p}), CUDA_SUCCESS;
}
FAKE cuMemsetD16Async(CUdeviceptr p, unsigned short, size_t, CUstream) {
  return Driver.issued.push_back({"fill", nullptr, p}), CUDA_SUCCESS;
}
FAKE cuMemsetD2D8Async(CUdeviceptr p, size_t, unsigned char, size_t, size_t, CUstream) {
  return Driver.issued.push_back({"rows", nullptr, p}), CUDA_SUCCESS;
}
FAKE cuMemsetD2D16Async(CUdeviceptr p, size_t, unsigned short, size_t, size_t, CUstream) {
  return Driver.issued.push_back({"rows", nullptr, p}), CUDA_SUCCESS;
}
FAKE cuMemsetD2D32Async(CUdeviceptr p, size_t, unsigned, size_t, size_t, CUstream) {
  return Driver.issued.push_back({"rows", nullptr, p}), CUDA_SUCCESS;
}
FAKE cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t n, CUstream) {
  Copies.push_back([=] { memcpy(to, reinterpret_cast<void *>(from), n); });
  return CUDA_SUCCESS;
}
FAKE cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t n, CUstream) {
  return memcpy(reinterpret_cast<void *>(to), from, n), CUDA_SUCCESS;
}
FAKE cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream) {
  for (size_t i = 0; i < n; ++i)
    memcpy(reinterpret_cast<char *>(to) + i * 4, &value, 4);
  return CUDA_SUCCESS;
}
FAKE cuModuleGetFunction(CUfunction *f, CUmodule, const char *name) {
  return *f = handle<CUfunction>(uint64_t(name)), CUDA_SUCCESS;
}
FAKE cuModuleGetGlobal(CUdeviceptr *p, size_t *bytes, CUmodule module, const char *name) {
  std::string what = name;
  if (module == handle<CUmodule>(Plain))
    return CUDA_ERROR_NOT_FOUND;
  if (what != scopesan::gpu::StateSymbol && what.rfind(scopesan::gpu::SiteBasePrefix, 0) != 0)
    return CUDA_ERROR_NOT_FOUND;
  bool isState = what == scopesan::gpu::StateSymbol;
  *p = reinterpret_cast<CUdeviceptr>(isState ? &Driver.state[Driver.current] : &Driver.siteBase);
  return *bytes = 8, CUDA_SUCCESS;
}
FAKE cuModuleLoadData(CUmodule *, const void *) { return CUDA_SUCCESS; }
FAKE cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction, int, size_t) {
  return *n = 1, CUDA_SUCCESS;
}
FAKE cuStreamCreate(CUstream *s, unsigned) {
  return *s = handle<CUstream>(++Driver.handles), CUDA_SUCCESS;
}
FAKE cuStreamGetAttribute(CUstream, CUstreamAttrID, CUstreamAttrValue *v) {
  return memset(v, 0, sizeof *v), CUDA_SUCCESS;
}
FAKE cuStreamQuery(CUstream) { return CUDA_SUCCESS; }
FAKE cuStreamWaitEvent(CUstream, CUevent, unsigned) { return CUDA_SUCCESS; }
FAKE cuStreamSynchronize(CUstream) {
  ++Driver.waits;
  return copyNow();
}
FAKE cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *) { return CUDA_SUCCESS; }

// ---------------------------------------------------------------- CUPTI

extern "C" __attribute__((visibility("default"))) CUptiResult
cuptiSubscribe(CUpti_SubscriberHandle *, CUpti_CallbackFunc f, void *) {
  Driver.callback = f;
  return CUPTI_SUCCESS;
}
extern "C" __attribute__((visibility("default"))) CUptiResult
cuptiEnableDomain(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain) {
  return CUPTI_SUCCESS;
}
extern "C" __attribute__((visibility("default"))) CUptiResult cuptiGetResultString(CUptiResult,
                                                                                   const char **) {
  return CUPTI_SUCCESS;
}

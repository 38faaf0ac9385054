// scopesan-test: one memory at two virtual addresses (cuMemMap): written at one, read at the other
//
// variant fixed
//   why an alias fence stands between the accesses
//   verdict clean
//   litmus SPEC/alias-fence
//   backends cpu
//   proof P1 S13
// variant no_fence -DRACY=1
//   why different addresses of one location are different proxies
//   verdict findings
//   require D9 write(store,weak) read(load,weak)
//   litmus SPEC/alias-nofence
//   backends cpu
//   proof S13 D9
// variant message -DMESSAGE
//   why a flag orders the blocks, an alias fence the addresses
//   verdict clean
//   label full
//   backends cpu
//   may-advise progress-not-promised
//   proof P1 S3 S13
// variant message_no_fence -DMESSAGE -DRACY=1
//   verdict findings
//   require D9 write(store,weak) read(load,weak)
//   backends cpu
//   may-advise progress-not-promised
//   proof S13 D9
// variant message_relaxed -DMESSAGE -DRACY=2
//   why both addresses are one location: without release and acquire its accesses race
//   verdict findings
//   label full
//   require D1 write(store,weak) read(load,weak)
//   backends cpu
//   may-advise progress-not-promised
//   proof P1 D1
// variant next_kernel -DNEXT
//   why the end of a kernel covers aliases too
//   verdict clean
//   label full
//   backends cpu
//   proof P1 S14
// variant beside -DNEXT -DRACY=1
//   why kernels of two streams use the same memory at different addresses
//   verdict findings
//   require D1 write(store,weak) read(load,weak) distance=between-kernels
//   backends cpu
//   proof P1 D1
#include "check.h"
#include "driver.h"

#include <cuda.h>
#include <cuda/atomic>

#ifndef RACY
#define RACY 0
#endif

#if RACY == 2
constexpr auto kRelease = cuda::memory_order_relaxed, kAcquire = cuda::memory_order_relaxed;
#else
constexpr auto kRelease = cuda::memory_order_release, kAcquire = cuda::memory_order_acquire;
#endif
__device__ inline void aliasFence() {
  if (RACY != 1)
    asm volatile("fence.proxy.alias;" ::: "memory");
}

__global__ void store(int *x) {
  *x = 7; // @write
}
__global__ void load(const int *x, int *out) {
  *out = *x; // @read
}
__global__ void oneThread(volatile int *x, volatile int *alias, int *out) {
  *const_cast<int *>(x) = 7; // @write
  aliasFence();
  *out = *const_cast<int *>(alias); // @read
}
__global__ void message(int *x, int *alias, int *flag, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (blockIdx.x == 0) {
    *x = 7; // @write
    f.store(1, kRelease);
  } else {
    while (f.load(kAcquire) == 0) {
    }
    aliasFence();
    *out = *alias; // @read
  }
}

#define DRIVER(name, ...)                                                                          \
  do {                                                                                             \
    if (driverFunction<decltype(&name)>(#name)(__VA_ARGS__) != CUDA_SUCCESS) {                     \
      printf(#name " failed\n");                                                                   \
      exit(2);                                                                                     \
    }                                                                                              \
  } while (0)

int main() {
  CUmemAllocationProp where = {};
  where.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  where.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t bytes = 0;
  CHECK(cudaFree(nullptr));
  DRIVER(cuMemGetAllocationGranularity, &bytes, &where, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  CUmemGenericAllocationHandle memory;
  CUdeviceptr addresses = 0;
  CUmemAccessDesc access = {};
  access.location = where.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  DRIVER(cuMemCreate, &memory, bytes, &where, 0);
  DRIVER(cuMemAddressReserve, &addresses, 2 * bytes, 0, 0, 0);
  DRIVER(cuMemMap, addresses, bytes, 0, memory, 0);
  DRIVER(cuMemMap, addresses + bytes, bytes, 0, memory, 0);
  DRIVER(cuMemSetAccess, addresses, 2 * bytes, &access, 1);
  auto *x = reinterpret_cast<int *>(addresses), *alias = reinterpret_cast<int *>(addresses + bytes);
  int *out = nullptr, result = 0;
  CHECK(cudaMalloc(&out, 2 * sizeof(int)));
  CHECK(cudaMemset(out, 0, 2 * sizeof(int)));
  CHECK(cudaMemset(x, 0, sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t streams[2];
  for (cudaStream_t &s : streams)
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
#if defined(MESSAGE)
  message<<<2, 1, 0, streams[0]>>>(x, alias, out + 1, out);
#elif defined(NEXT)
  store<<<1, 1, 0, streams[0]>>>(x);
  load<<<1, 1, 0, streams[RACY]>>>(alias, out);
#else
  oneThread<<<1, 1, 0, streams[0]>>>(x, alias, out);
#endif
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost));
  bool right = result == 7;
  CHECK(cudaMemcpy(&result, alias, sizeof(int), cudaMemcpyDeviceToHost));
  right = right && result == 7;
  DRIVER(cuMemUnmap, addresses + bytes, bytes);
  DRIVER(cuMemUnmap, addresses, bytes);
  DRIVER(cuMemAddressFree, addresses, 2 * bytes);
  DRIVER(cuMemRelease, memory);
  for (cudaStream_t s : streams)
    CHECK(cudaStreamDestroy(s));
  CHECK(cudaFree(out));
  return verdict(right);
}

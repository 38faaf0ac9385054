// scopesan-test: a kernel tells a stream by a flag that its data is ready; how far the flag's scope must reach
//
// variant same_device
//   why the stream's operation is part of the kernel's device
//   verdict clean
//   backends cpu
//   proof S1 S14 P4
// variant second_device -DDEVICE=1
//   why the same on a device that is not the first
//   verdict clean
//   options --devices=2
//   backends cpu
//   proof S1 S14 P4
// variant remote_domain -DKERNEL_DOMAIN=1 -DSTREAM_DOMAIN=1
//   why both streams belong to one domain that is not the first
//   verdict clean
//   label full
//   backends cpu
//   proof S1 P6
// variant block_scope -DSCOPE=block
//   why no operation of a stream is part of a block
//   verdict findings
//   require D3 fill use distance=between-kernels blame=raise:device
//   allow D2 raise(store,release,block) api:cuStreamWaitValue32(load,acquire,system)
//   may-advise unordered-strong
//   backends cpu
//   proof S1 D2 D3
// variant other_domain -DKERNEL_DOMAIN=1
//   why the waiting stream is in another domain of the device
//   verdict findings
//   require D4 fill use distance=between-domains blame=raise:system
//   allow D4 raise api:cuStreamWaitValue32
//   allow D2 raise api:cuStreamWaitValue32
//   may-advise unordered-strong
//   backends cpu
//   proof P6 D4
// variant other_domain_system -DKERNEL_DOMAIN=1 -DSCOPE=system
//   verdict clean
//   label full
//   backends cpu
//   proof S1 P6
#include "check.h"
#include "driver.h"

#include <cuda.h>
#include <cuda/atomic>
#include <cudaTypedefs.h>

#ifndef SCOPE
#define SCOPE device
#endif
#ifndef DEVICE
#define DEVICE 0
#endif
#ifndef KERNEL_DOMAIN
#define KERNEL_DOMAIN 0
#endif
#ifndef STREAM_DOMAIN
#define STREAM_DOMAIN 0
#endif
#define SCOPE_NAME_OF(scope) cuda::thread_scope_##scope
#define SCOPE_NAME(scope) SCOPE_NAME_OF(scope)

constexpr int kCount = 32;

__global__ void fillKernel(int *data, unsigned *flag) {
  data[threadIdx.x] = 3; // @fill
  __syncthreads();
  if (threadIdx.x == 0)
    cuda::atomic_ref<unsigned, SCOPE_NAME(SCOPE)>(*flag).store(1, cuda::memory_order_release); // @raise
}
__global__ void useKernel(int *data) {
  data[threadIdx.x] += 1; // @use
}

static cudaStream_t streamIn(int domain) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaStreamAttrValue value = {};
  value.memSyncDomain = domain ? cudaLaunchMemSyncDomainRemote : cudaLaunchMemSyncDomainDefault;
  CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeMemSyncDomain, &value));
  return stream;
}

int main() {
  auto wait = driverFunction<PFN_cuStreamWaitValue32_v11070>("cuStreamWaitValue32");
  CHECK(cudaSetDevice(DEVICE));
  int *data = nullptr, out[kCount];
  unsigned *flag = nullptr;
  CHECK(cudaMalloc(&data, sizeof(out)));
  CHECK(cudaMalloc(&flag, sizeof(unsigned)));
  CHECK(cudaMemset(flag, 0, sizeof(unsigned)));
  CHECK(cudaDeviceSynchronize());
  cudaStream_t first = streamIn(KERNEL_DOMAIN), second = streamIn(STREAM_DOMAIN);
  if (wait(second, reinterpret_cast<CUdeviceptr>(flag), 1, CU_STREAM_WAIT_VALUE_GEQ) != CUDA_SUCCESS)
    return 2;
  useKernel<<<1, kCount, 0, second>>>(data);
  CHECK(cudaGetLastError());
  fillKernel<<<1, kCount, 0, first>>>(data, flag);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(second));
  CHECK(cudaStreamSynchronize(first));
  CHECK(cudaMemcpy(out, data, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFree(data));
  CHECK(cudaFree(flag));
  bool right = true;
  for (int value : out)
    right = right && value == 4;
  return verdict(right);
}

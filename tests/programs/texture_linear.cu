// scopesan-test: a kernel fetches linear memory through a texture object
//
// variant fixed
//   why a kernel before it in the stream wrote what it fetches
//   verdict clean
//   backends cpu
//   proof O6 S14
// variant written -DRACY=1
//   why the kernel writes what it fetches; its barrier does not help
//   verdict findings
//   require D11 write(store,weak) fetch(load)
//   backends cpu
//   proof O6 D11
// variant written_later -DRACY=2
//   why a write after the fetch is in the grid's lifetime, too
//   verdict findings
//   require D11 late(store,weak) fetch(load)
//   backends cpu
//   proof O6 D11
// variant other_stream -DRACY=3
//   why a copy in another stream may write meanwhile
//   verdict findings
//   require D11 api:cudaMemcpyAsync fetch(load)
//   backends cpu
//   proof O6 O7 D11
// variant freed -DRACY=4
//   why the texture outlives its memory
//   verdict findings
//   require D8 api:cudaFree fetch(load)
//   backends cpu
//   proof D8
// variant gpu_fixed
//   why the hardware alone knows what a fetch reads
//   verdict incomplete
//   incomplete does not model
//   backends gpu
//   proof X1
#include "check.h"

#ifdef RACY
constexpr int kCase = RACY;
#else
constexpr int kCase = 0;
#endif
constexpr int kThreads = 64;

__global__ void fill(int *data) { data[threadIdx.x] = 2 * int(threadIdx.x); }

__global__ void reverse(int *out, cudaTextureObject_t in, int *same) {
  if (kCase == 1)
    same[threadIdx.x] = 2 * int(threadIdx.x); // @write
  __syncthreads();
  int value = tex1Dfetch<int>(in, kThreads - 1 - int(threadIdx.x)); // @fetch
  int beyond = tex1Dfetch<int>(in, kThreads + int(threadIdx.x));    // zero, and no memory
  out[threadIdx.x] = value + beyond;
  __syncthreads();
  if (kCase == 2)
    same[threadIdx.x] = -1; // @late
}

int main() {
  int *in, *out, *spare, host[kThreads];
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMalloc(&spare, sizeof(host)));
  cudaStream_t side;
  CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  fill<<<1, kThreads>>>(in);
  fill<<<1, kThreads>>>(spare);
  CHECK(cudaDeviceSynchronize());

  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = sizeof(host);
  cudaTextureDesc how = {};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  if (kCase == 3)
    CHECK(cudaMemcpyAsync(in, spare, sizeof(host), cudaMemcpyDeviceToDevice, side));
  if (kCase == 4)
    CHECK(cudaFree(in));
  reverse<<<1, kThreads>>>(out, texture, in);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaStreamDestroy(side));
  if (kCase != 4)
    CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(cudaFree(spare));
  bool right = true;
  for (int i = 0; i < kThreads; ++i)
    right = right && host[i] == 2 * (kThreads - 1 - i);
  return verdict(right);
}

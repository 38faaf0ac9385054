// scopesan-test: a spinning grid barrier of an ordinary launch with more blocks than can be resident
//
// variant fixed
//   why no more blocks than the device holds, and a cooperative launch that insists on it
//   verdict clean
//   may-advise unordered-strong
//   proof D12 S11
// variant too_many_blocks -DRACY
//   why the resident blocks wait for blocks that start only when one of them ends
//   verdict findings
//   require D12 await await
//   may-be-incomplete a kernel ended with an error
//   may-advise progress-not-promised
//   exit any
//   backends cpu
//   proof D12
#include "check.h"

constexpr int kThreads = 32;

__global__ void phases(int *data, unsigned *arrived, unsigned blocks) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  data[i] = int(i);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < blocks) // @await
      ;
    __threadfence();
  }
  __syncthreads();
  const int next = data[(i + kThreads) % (blocks * kThreads)];
  data[blocks * kThreads + i] = next;
}

int main() {
  constexpr unsigned wanted = 64;
  int perMultiprocessor = 0, multiprocessors = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perMultiprocessor, phases, kThreads, 0));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  unsigned blocks = wanted, fits = unsigned(perMultiprocessor * multiprocessors);
#ifndef RACY
  blocks = fits < wanted ? fits : wanted;
#endif
  int *data = nullptr;
  unsigned *arrived = nullptr;
  const size_t bytes = blocks * kThreads * sizeof(int);
  CHECK(cudaMalloc(&data, 2 * bytes));
  CHECK(cudaMalloc(&arrived, sizeof(unsigned)));
  CHECK(cudaMemset(arrived, 0, sizeof(unsigned)));
#ifdef RACY
  phases<<<blocks, kThreads>>>(data, arrived, blocks);
  CHECK(cudaGetLastError());
#else
  void *args[] = {&data, &arrived, &blocks};
  CHECK(cudaLaunchCooperativeKernel((void *)phases, dim3(blocks), dim3(kThreads), args));
#endif
  int last = 0;
  CHECK(cudaMemcpy(&last, data + (2 * blocks - 1) * kThreads, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(data));
  CHECK(cudaFree(arrived));
  return verdict(last == 0);
}

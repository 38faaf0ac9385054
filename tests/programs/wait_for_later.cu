// scopesan-test: loops that only a block or a kernel which starts later can end
//
// The compiler says which loops do nothing else than wait and have no other way out.
//
// variant for_a_higher_block -DCASE=1 -DRACY
//   why nothing promises that block 1 starts before block 0 has ended
//   verdict findings
//   require D12 flag_store flag_load distance=same-grid
//   proof D12
// variant by_ticket -DCASE=2
//   why whoever draws the second ticket knows that the first one's holder has started
//   verdict clean
//   proof D12
// variant cooperative -DCASE=3
//   why all blocks of a cooperative grid make progress
//   verdict clean
//   proof D12
// variant for_a_lower_block -DCASE=4
//   why not promised either, but blocks start in the order of their numbers
//   verdict clean
//   may-advise progress-not-promised flag_store flag_load
//   proof D12 A1
// variant gives_up -DCASE=5
//   why the loop has another way out
//   verdict clean
//   may-advise progress-not-promised flag_store flag_load
//   proof D12 A1
// variant two_could_end_it -DCASE=6
//   why block 0 writes the flag as well, and starts before the waiter
//   verdict clean
//   may-advise progress-not-promised flag_store flag_load
//   proof D12 A1
// variant swap_for_a_higher_block -DCASE=7 -DRACY
//   why a compare-exchange that fails is a read
//   verdict findings
//   require D12 flag_store swap distance=same-grid
//   proof D12
// variant for_a_later_kernel -DCASE=8 -DRACY
//   why nothing promises that the second kernel starts before the first has ended
//   verdict findings
//   require D12 flag_store flag_load distance=between-kernels
//   options --concurrent=overlap
//   proof D12
// variant for_an_earlier_kernel -DCASE=9
//   verdict clean
//   may-advise progress-not-promised flag_store flag_load
//   proof D12 A1
#include "check.h"

#include <cuda/atomic>

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__device__ int value, result;

__device__ void produce(int *flag) {
  value = 7;
  for (int turns = 0; turns < 200; ++turns) // whoever waits has looked twice by then
    __nanosleep(100);
  Flag(*flag).store(1, cuda::memory_order_release); // @flag_store
}

__device__ void consume(int *flag) {
#if CASE == 5
  int attempts = 0;
  while (Flag(*flag).load(cuda::memory_order_acquire) == 0) // @flag_load
    if (++attempts == 100000000)
      return;
#elif CASE == 7
  while (atomicCAS(flag, 1, 2) != 1) // @swap
    ;
  __threadfence();
#else
  while (Flag(*flag).load(cuda::memory_order_acquire) == 0) // @flag_load
    ;
#endif
  result = value;
}

__global__ void handOver(int *flag, int *tickets) {
  int block = blockIdx.x;
#if CASE == 2
  block = atomicAdd(tickets, 1);
  bool produces = block == 0;
#elif CASE == 4
  bool produces = block == 0;
#else
  bool produces = block == 1;
#endif
#if CASE == 6
  if (block == 0)
    __nanosleep(40000);
  if (block != 1)
    Flag(*flag).store(1, cuda::memory_order_release); // @flag_store
  else
    consume(flag);
#else
  if (produces)
    produce(flag);
  else
    consume(flag);
#endif
}

__global__ void producer(int *flag) { produce(flag); }
__global__ void consumer(int *flag) { consume(flag); }

int main() {
  int *flag = nullptr, got = 0;
  CHECK(cudaMalloc(&flag, 2 * sizeof(int)));
  CHECK(cudaMemset(flag, 0, 2 * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  int *tickets = flag + 1;
#if CASE == 8 || CASE == 9
  cudaStream_t first, second;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  (CASE == 8 ? consumer : producer)<<<1, 1, 0, first>>>(flag);
  CHECK(cudaGetLastError());
  (CASE == 8 ? producer : consumer)<<<1, 1, 0, second>>>(flag);
#elif CASE == 3
  void *args[] = {&flag, &tickets};
  CHECK(cudaLaunchCooperativeKernel(handOver, dim3(2), dim3(1), args));
#else
  handOver<<<CASE == 6 ? 3 : 2, 1>>>(flag, tickets);
#endif
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(&got, result, sizeof(int)));
  return verdict(CASE == 6 || got == 7);
}

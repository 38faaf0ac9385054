// scopesan-test: the host waits in a loop for a kernel, or a kernel for another one
//
// The guide's examples API.2 to API.4, Stream.0 and Stream.1.
//
// variant loop_without_queries -fscopesan-host -DCASE=2 -DRACY
//   verdict findings
//   require D12 kernel_store host_load
//   litmus DOC/Execution.Model.API.2
//   backends cpu
//   proof D12
// variant one_query_before -fscopesan-host -DCASE=3 -DRACY
//   verdict findings
//   require D12 kernel_store host_load
//   litmus DOC/Execution.Model.API.3
//   backends cpu
//   proof D12
// variant query_in_every_iteration -fscopesan-host -DCASE=4
//   verdict clean
//   litmus DOC/Execution.Model.API.4
//   backends cpu
//   proof D12
// variant two_streams -DCASE=5
//   why the second kernel waits for one that nothing promises to run beside it
//   verdict clean
//   may-advise progress-not-promised kernel_store kernel_load
//   may-advise unordered-strong
//   litmus DOC/Execution.Model.Stream.0
//   proof D12
// variant one_stream -DCASE=6
//   verdict clean
//   litmus DOC/Execution.Model.Stream.1
//   proof S14
#include "check.h"

#include <cuda/atomic>

using Flag = cuda::atomic_ref<int, cuda::thread_scope_system>;

__global__ void produce(int *flag) {
  Flag(*flag).store(1); // @kernel_store
}
__global__ void consume(int *flag) {
  while (Flag(*flag).load(cuda::memory_order_relaxed) == 0) // @kernel_load
    ;
}

int main() {
  int *flag = nullptr;
  CHECK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
  *flag = 0;
  cudaStream_t first, second;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  produce<<<1, 1, 0, first>>>(flag);
  CHECK(cudaGetLastError());
#if CASE <= 4
#if CASE == 3
  (void)cudaStreamQuery(second);
#endif
  while (Flag(*flag).load() == 0) { // @host_load
#if CASE == 4
    (void)cudaStreamQuery(second);
#endif
  }
#else
  consume<<<1, 1, 0, CASE == 5 ? second : first>>>(flag);
  CHECK(cudaGetLastError());
#endif
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFreeHost(flag));
  return 0;
}

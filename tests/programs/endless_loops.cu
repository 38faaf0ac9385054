// scopesan-test: loops without the operations by which device threads make progress
//
// The guide's examples Device.1 to Device.4: implementations may assume that such loops end.
//
// variant bounded -DCASE=5
//   verdict clean
//   proof D12
// variant yield -DCASE=1
//   verdict findings
//   require D12 nobody nobody
//   exit 2
//   may-be-incomplete a kernel ended with an error
//   litmus DOC/Execution.Model.Device.1
//   backends cpu
//   proof D12
// variant volatile_local -DCASE=2
//   verdict findings
//   require D12 nobody nobody
//   exit 2
//   may-be-incomplete a kernel ended with an error
//   litmus DOC/Execution.Model.Device.2
//   backends cpu
//   proof D12
// variant atomic_local -DCASE=3
//   verdict findings
//   require D12 nobody nobody
//   exit 2
//   may-be-incomplete a kernel ended with an error
//   litmus DOC/Execution.Model.Device.3
//   backends cpu
//   proof D12
// variant empty -DCASE=4
//   verdict findings
//   require D12 nobody nobody
//   exit 2
//   may-be-incomplete a kernel ended with an error
//   litmus DOC/Execution.Model.Device.4
//   backends cpu
//   proof D12
#include "check.h"

#include <cuda/atomic>

__device__ int begun;

__global__ void begin() {
  begun = 1;
}

__global__ void endless() {
#if CASE == 1
  while (true)
    __nanosleep(20);
#elif CASE == 2
  volatile bool isTrue = true;
  while (isTrue)
    ;
#elif CASE == 3
  cuda::atomic<bool, cuda::thread_scope_thread> isTrue(true);
  while (isTrue.load())
    ;
#elif CASE == 4
  while (true)
    ;
#else
  for (int i = 0; i < 1000; ++i)
    __nanosleep(20);
#endif
}

int main() {
  begin<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  endless<<<1, 1>>>();
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  return 0;
}

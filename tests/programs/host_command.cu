// scopesan-test: a running kernel takes a command from the host out of mapped memory
//
// variant fixed -fscopesan-host
//   why the host releases the doorbell after the command, the kernel acquires it
//   verdict clean
//   may-advise progress-not-promised
//   may-be-incomplete more order was assumed
//   may-be-incomplete values fit no order
//   may-be-incomplete fit several moments
//   proof S1 S2 S15
// variant relaxed_doorbell -fscopesan-host -DRACY
//   why the doorbell says that there is a command, and not that it can be read
//   verdict findings
//   require D1 write_command(store,weak) read_command(load,weak) distance=host-device
//   may-advise progress-not-promised
//   may-advise unordered-strong
//   may-be-incomplete more order was assumed
//   may-be-incomplete values fit no order
//   may-be-incomplete fit several moments
//   proof S1 S15 D1
#include "check.h"

#include <cuda/atomic>

#ifdef RACY
constexpr auto kRing = cuda::memory_order_relaxed;
#else
constexpr auto kRing = cuda::memory_order_release;
#endif

struct Command {
  int opcode, argument;
  int doorbell;
};
using Doorbell = cuda::atomic_ref<int, cuda::thread_scope_system>;

__global__ void serve(Command *command, int *result) {
  while (Doorbell(command->doorbell).load(cuda::memory_order_acquire) == 0)
    ;
  *result = command->opcode * 100 + command->argument; // @read_command
}

int main() {
  Command *command = nullptr;
  int *result = nullptr, host = 0;
  cudaStream_t stream;
  CHECK(cudaHostAlloc(&command, sizeof(Command), cudaHostAllocMapped));
  CHECK(cudaMalloc(&result, sizeof(int)));
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  *command = {0, 0, 0};
  serve<<<1, 1, 0, stream>>>(command, result);
  CHECK(cudaGetLastError());
  (void)cudaStreamQuery(stream); // as drivers do, send what is queued
  command->opcode = 4;           // @write_command
  command->argument = 2;         // @write_command
  Doorbell(command->doorbell).store(1, kRing);
  CHECK(cudaMemcpyAsync(&host, result, sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFreeHost(command));
  CHECK(cudaFree(result));
  return verdict(host == 402);
}

// How a program may end: whatever happens, the race that was recorded before must be reported.
//
//   ends hang       the kernel never ends; the run is stopped by --timeout
//   ends fault      a later store of the kernel is illegal
//   ends trap       the kernel traps
//   ends _exit      the process ends without exit handlers, after a synchronization
//   ends crash      the process dies of a signal, after a synchronization
//   ends no_wait    main returns while the kernel may still run
//   ends graph      the kernel runs only in a graph
//   ends wait       two kernels that wait for each other: not checked (X1), but the program ends
#include <cuda_runtime.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__device__ int cell;
__device__ volatile int first, second;

__global__ void race(int mode, int *bad) {
  cell = int(threadIdx.x + blockIdx.x); // @race
  if (mode == 1)
    while (first == 0) {
    }
  if (mode == 2)
    *bad = 1;
  if (mode == 3)
    __trap();
}

__global__ void waitFor(volatile int *mine, volatile int *other) {
  *mine = 1;
  while (*other == 0) {
  }
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  int mode = !strcmp(how, "hang") ? 1 : !strcmp(how, "fault") ? 2 : !strcmp(how, "trap") ? 3 : 0;
  if (!strcmp(how, "wait")) {
    void *a = nullptr, *b = nullptr;
    cudaGetSymbolAddress(&a, first);
    cudaGetSymbolAddress(&b, second);
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    waitFor<<<1, 1, 0, s>>>(static_cast<int *>(a), static_cast<int *>(b));
    waitFor<<<1, 1, 0, t>>>(static_cast<int *>(b), static_cast<int *>(a));
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
  }
  if (!strcmp(how, "graph")) {
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    race<<<2, 1, 0, s>>>(0, nullptr);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 3; ++i)
      cudaGraphLaunch(exec, s);
    printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(s)));
    return 0;
  }
  race<<<2, 1>>>(mode, nullptr);
  if (!strcmp(how, "no_wait"))
    return 0;
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  fflush(stdout);
  if (!strcmp(how, "_exit"))
    _exit(5);
  if (!strcmp(how, "crash"))
    raise(SIGKILL);
  return 0;
}

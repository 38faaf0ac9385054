// Shared frame of the GPU benchmarks: kernel time by events (best of several launches) and wall
// time of the whole process part from the first launch to the end of the program's last wait.
#pragma once

#include <chrono>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

inline void check(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  exit(2);
}
#define CHECK(call) check((call), #call)

/// Launches `launch` once to warm up and `repeats` times; prints one line of figures.
template <typename Launch> void measure(const char *name, size_t n, int repeats, Launch launch) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  auto started = std::chrono::steady_clock::now();
  float best = 1e30f;
  for (int i = 0; i <= repeats; ++i) {
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (ms < best)
      best = ms;
  }
  CHECK(cudaDeviceSynchronize());
  double wall =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
  printf("BENCH %s n=%zu kernel_ms=%.5f wall_ms=%.3f launches=%d\n", name, n, best, wall,
         repeats + 1);
}

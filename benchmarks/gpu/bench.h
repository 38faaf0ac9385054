// Shared frame of the GPU benchmarks. For each launch: kernel time by events, and wall time from
// the launch until the host may go on, which under ScopeSan is when the launch has been judged.
//
//   NAME [n] [repeats]     n = 0: the default; prints one line: BENCH key=value ...
#pragma once

#include <algorithm>
#include <chrono>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

inline void check(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  exit(2);
}
#define CHECK(call) check((call), #call)

struct Bench {
  const char *name;
  size_t n;
  int repeats;
  size_t bytes = 0; ///< of device memory that the kernels touch

  Bench(const char *name, int argc, char **argv, size_t defaultSize)
      : name(name), n(argc > 1 ? strtoull(argv[1], nullptr, 0) : 0),
        repeats(argc > 2 ? atoi(argv[2]) : 5) {
    if (!n)
      n = defaultSize;
  }

  /// Device memory, zeroed.
  template <typename T> T *allocate(size_t count) {
    T *p = nullptr;
    CHECK(cudaMalloc(&p, count * sizeof(T)));
    CHECK(cudaMemset(p, 0, count * sizeof(T)));
    bytes += count * sizeof(T);
    return p;
  }
  template <typename T> T *upload(const std::vector<T> &values) {
    T *p = allocate<T>(values.size());
    CHECK(cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
  }

  /// Launches once to warm up and `repeats` times. `kernel`: whose registers are printed, or null.
  /// `prepare` runs before each launch and is not timed.
  template <typename Prepare, typename Launch>
  void measure(const void *kernel, Prepare prepare, Launch launch) {
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<double> kernelMs, wallMs;
    for (int i = 0; i <= repeats; ++i) {
      prepare();
      CHECK(cudaDeviceSynchronize());
      auto started = std::chrono::steady_clock::now();
      CHECK(cudaEventRecord(begin));
      launch();
      CHECK(cudaGetLastError());
      CHECK(cudaEventRecord(end));
      CHECK(cudaDeviceSynchronize());
      double wall =
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started)
              .count();
      float ms = 0;
      CHECK(cudaEventElapsedTime(&ms, begin, end));
      if (i || !repeats) {
        kernelMs.push_back(ms);
        wallMs.push_back(wall);
      }
    }
    cudaFuncAttributes attributes{};
    if (kernel)
      CHECK(cudaFuncGetAttributes(&attributes, kernel));
    printf("BENCH %s n=%zu kernel_ms=%.5f wall_ms=%.3f launches=%d bytes=%zu registers=%d "
           "local=%zu\n",
           name, n, median(kernelMs), median(wallMs), repeats + 1, bytes, attributes.numRegs,
           attributes.localSizeBytes);
  }
  template <typename Launch> void measure(const void *kernel, Launch launch) {
    measure(kernel, [] {}, launch);
  }

  /// Prints a hash of a result, which must be the same in every run.
  template <typename T> void result(const T *device, size_t count) {
    std::vector<T> values(count);
    CHECK(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    uint64_t hash = 0xcbf29ce484222325;
    const auto *raw = reinterpret_cast<const unsigned char *>(values.data());
    for (size_t i = 0; i < count * sizeof(T); ++i)
      hash = (hash ^ raw[i]) * 0x100000001b3;
    printf("RESULT %016llx\n", static_cast<unsigned long long>(hash));
  }

private:
  static double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
  }
};

/// Small whole numbers in a fixed order, so that sums do not depend on their order.
inline std::vector<float> numbers(size_t n) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i)
    v[i] = float(i * 7 % 11);
  return v;
}
/// Indices below n in an order without locality.
inline std::vector<unsigned> scattered(size_t n) {
  std::vector<unsigned> v(n);
  uint64_t state = 1;
  for (size_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    v[i] = unsigned((state >> 33) % n);
  }
  return v;
}

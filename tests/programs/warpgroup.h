// The factors of the programs that multiply on a warpgroup, and the check of their product.
#pragma once

#include "check.h"
#include <cuda_fp16.h>
#include <vector>

/// A is kM x K, B is kN x K, both by rows; every product and sum is exact.
inline float factorA(int e) { return float(e % 5 - 2); }
inline float factorB(int e) { return float(e % 7 - 3); }

inline std::vector<half> factor(int elements, float (*value)(int)) {
  std::vector<half> f;
  for (int e = 0; e < elements; ++e)
    f.push_back(__float2half(value(e)));
  return f;
}

inline bool isProduct(const float *result, int m, int n, int k) {
  bool right = true;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int e = 0; e < k; ++e)
        sum += factorA(i * k + e) * factorB(j * k + e);
      right = right && result[i * n + j] == sum;
    }
  return right;
}

/// What one warpgroup of `kernel` (A, B, result) makes of the factors is their product.
template <class Kernel> bool multiplies(Kernel kernel, int m, int n, int k) {
  const std::vector<half> a = factor(m * k, factorA), b = factor(n * k, factorB);
  std::vector<float> result(size_t(m) * n);
  half *in = nullptr;
  float *out = nullptr;
  CHECK(cudaMalloc(&in, (a.size() + b.size()) * sizeof(half)));
  CHECK(cudaMalloc(&out, result.size() * sizeof(float)));
  CHECK(cudaMemcpy(in, a.data(), a.size() * sizeof(half), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(in + a.size(), b.data(), b.size() * sizeof(half), cudaMemcpyHostToDevice));
  kernel<<<1, 128>>>(in, in + a.size(), out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result.data(), out, result.size() * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return isProduct(result.data(), m, n, k);
}

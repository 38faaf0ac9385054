// scopesan-compat: min, max, isfinite, clock and their kin in host code, unqualified
// plain no matching function for call to '(max|min|clock)'
// flags -std=c++17
#include "check.h"

__global__ void kernel(int *out, int a, int b) {
  long long start = clock64();
  out[0] = max(a, b) + min(a, b) + int(isfinite(1.0f)) + int(clock64() < start);
}

__host__ __device__ int clampTo(int value, unsigned limit) { return int(min(value, limit)); }

int main() {
  clock_t start = clock();
  int *out, host = 0;
  CHECK(cudaMalloc(&out, sizeof host));
  kernel<<<1, 1>>>(out, 3, 4);
  CHECK(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
  size_t small = 3;
  bool right = host == 8 && max(host, 5) == 8 && min(2.5, 1.0f) == 1.0 && max(small, small + 1) == 4;
  right = right && max(-1L, 2L) == 2 && min(7ull, 6ull) == 6 && umax(1u, 2u) == 2;
  right = right && min(0.0f / 0.0f * 0.0f, 1.0f) == 1.0f && max(1.0, 2.0) == 2.0;
  right = right && isfinite(1.0) && !isnan(2.0f) && !isinf(3.0) && clampTo(9, 4) == 4;
  float s, c;
  sincos(0.0f, &s, &c);
  right = right && s == 0 && c == 1 && rsqrt(4.0) == 0.5 && clock() >= start;
  assert(right);
  return verdict(right && abs(-3) == 3 && abs(-2.5) == 2.5);
}

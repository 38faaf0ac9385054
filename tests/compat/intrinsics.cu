// scopesan-compat: cache hints, __tanhf, atomics of 16 bytes, nan
// plain (__stcg|__ldca|__tanhf|atomicCAS|atomicExch)
// flags -std=c++17
#include "check.h"

struct alignas(16) Wide {
  unsigned long long low, high;
};

__global__ void hints(int *data, float4 *quads, char *bytes, long *words) {
  int value = __ldca(data) + __ldlu(data + 1) + __ldcg(data + 2) + __ldcs(data + 3);
  __stwb(data + 4, value);
  __stcg(data + 5, value + 1);
  __stcs(data + 6, value + 2);
  __stwt(data + 7, value + 3);
  float4 quad = __ldca(quads);
  quad.w += quad.x;
  __stcg(quads + 1, quad);
  __stcs(bytes + 1, char(__ldca(bytes) - 1));
  __stcg(words + 1, __ldcv(words) * 2);
}

__global__ void maths(float *out) {
  out[0] = __tanhf(0.5f);
  out[1] = nanf("");
  out[2] = float(nan(""));
}

__global__ void atomics(Wide *cell, Wide *old) {
  Wide next{1, 2};
  old[0] = atomicExch(cell, next);
  old[1] = atomicCAS(cell, Wide{1, 2}, Wide{3, 4});
  old[2] = atomicCAS_block(cell, Wide{0, 0}, Wide{9, 9});
  old[3] = atomicExch_system(cell, Wide{5, 6});
}

int main() {
  int *data, host[8] = {1, 2, 3, 4};
  CHECK(cudaMallocManaged(&data, sizeof host));
  float4 *quads;
  CHECK(cudaMallocManaged(&quads, 2 * sizeof(float4)));
  long *words;
  CHECK(cudaMallocManaged(&words, 2 * sizeof(long)));
  char *bytes;
  CHECK(cudaMallocManaged(&bytes, 2));
  float *values;
  CHECK(cudaMallocManaged(&values, 3 * sizeof(float)));
  Wide *cells;
  CHECK(cudaMallocManaged(&cells, 5 * sizeof(Wide)));
  for (int i = 0; i < 4; ++i)
    data[i] = i + 1;
  quads[0] = make_float4(1, 2, 3, 4);
  bytes[0] = -3;
  words[0] = 1L << 40;
  cells[0] = Wide{7, 8};
  hints<<<1, 1>>>(data, quads, bytes, words);
  maths<<<1, 1>>>(values);
  atomics<<<1, 1>>>(cells, cells + 1);
  CHECK(cudaDeviceSynchronize());
  bool right = data[4] == 10 && data[5] == 11 && data[6] == 12 && data[7] == 13;
  right = right && quads[1].w == 5 && bytes[1] == -4 && words[1] == 1L << 41;
  right = right && values[0] > 0.45f && values[0] < 0.47f && values[1] != values[1] &&
          values[2] != values[2];
  right = right && cells[1].low == 7 && cells[2].high == 2 && cells[3].low == 3 &&
          cells[4].high == 4 && cells[0].low == 5;
  return verdict(right);
}

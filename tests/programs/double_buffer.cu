// scopesan-test: a double-buffered tile loop with one barrier in each round
//
// variant fixed
//   why a round fills one buffer while the other is read; the barrier turns them over
//   verdict clean
//   proof S7
// variant same_buffer -DRACY
//   why the index of the next tile has the parity of this one
//   verdict findings
//   require D1 fill(store,weak) use(load,weak) memory=tiles
//   proof S7 D1
#include "check.h"

constexpr int kThreads = 64, kRounds = 4;

__global__ void convolve(const int *in, int *out) {
  __shared__ int tiles[2][kThreads];
  const int t = int(threadIdx.x);
  int sum = 0;
  tiles[0][t] = in[t];
  __syncthreads();
  for (int round = 0; round < kRounds; ++round) {
#ifdef RACY
    const int next = round & 1;
#else
    const int next = (round + 1) & 1;
#endif
    if (round + 1 < kRounds)
      tiles[next][t] = in[(round + 1) * kThreads + t]; // @fill
    sum += tiles[round & 1][(t + 5) % kThreads];       // @use
    __syncthreads();
  }
  out[t] = sum;
}

int main() {
  int host[kRounds * kThreads], result[kThreads], *in = nullptr, *out = nullptr;
  for (int i = 0; i < kRounds * kThreads; ++i)
    host[i] = i % 23;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(result)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  convolve<<<1, kThreads>>>(in, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int t = 0; t < kThreads; ++t) {
    int sum = 0;
    for (int round = 0; round < kRounds; ++round)
      sum += host[round * kThreads + (t + 5) % kThreads];
    right = right && result[t] == sum;
  }
  return verdict(right);
}

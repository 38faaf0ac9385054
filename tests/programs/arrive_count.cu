// scopesan-test: every lane of a producer warp arrives at an mbarrier that was made for fewer arrivals
//
// variant fixed
//   why the count is that of the lanes that arrive
//   verdict clean
//   proof S10
// variant one_too_few -DRACY
//   why the phase ends without the last lane, whoever that is: its store is ordered before nothing
//   verdict findings
//   require D1 put(store,weak) take(load,weak) memory=values distance=same-block
//   why     devices end the kernel at the arrival after the last one
//   backends cpu
//   proof S10 D1
#include "check.h"
#include "hopper.h"

#ifdef RACY
constexpr unsigned kArrivals = 31;
#else
constexpr unsigned kArrivals = 32;
#endif

__global__ void handOver(const int *in, int *out) {
  __shared__ int values[32];
  __shared__ uint64_t full;
  const int lane = int(threadIdx.x) % 32;
  if (threadIdx.x == 0)
    mbarrierInit(&full, kArrivals);
  __syncthreads();
  if (threadIdx.x < 32) {
    values[lane] = in[lane] + 1; // @put
    mbarrierArrive(&full);
  } else {
    mbarrierWait(&full, 0);
    out[lane] = values[31 - lane]; // @take
  }
}

int main() {
  int host[32], *in = nullptr, *out = nullptr;
  for (int i = 0; i < 32; ++i)
    host[i] = 2 * i;
  CHECK(cudaMalloc(&in, sizeof(host)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  handOver<<<1, 64>>>(in, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < 32; ++i)
    right = right && host[i] == 2 * (31 - i) + 1;
  return verdict(right);
}

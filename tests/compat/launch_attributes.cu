// scopesan-compat: __block_size__, __maxnreg__ and __launch_bounds__ with a cluster rank
// plain unknown attribute 'maxnreg' ignored
// plain-flags -Werror=unknown-attributes
// flags -std=c++17 -Werror
// ptx \.maxnreg 40
// ptx \.reqntid 64, 1, 1
// ptx \.blocksareclusters
// ptx \.maxclusterrank 4
#include "check.h"

__device__ void report(unsigned *out) {
  unsigned cluster;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(cluster));
  if (threadIdx.x == 0)
    out[blockIdx.x] = 1000 * cluster + blockDim.x;
}
// The launch counts clusters and may leave the block's size out.
__global__ void __block_size__((64, 1, 1), (2, 1, 1)) sized(unsigned *out) { report(out); }
__global__ void __maxnreg__(40) registers(unsigned *out) { report(out); }
__global__ void __launch_bounds__(64, 1, 4) bounds(unsigned *out) { report(out); }
template <int A, int B> struct Sum {
  static constexpr int value = A + B;
};
template <int A>
__global__ void __launch_bounds__(Sum<A, 32>::value) templateArguments(unsigned *out) {
  report(out);
}

int main() {
  unsigned *out, host[4];
  CHECK(cudaMalloc(&out, sizeof host));
  auto check = [&](unsigned expected) {
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(out, 0, sizeof host));
    bool right = true;
    for (unsigned value : host)
      right = right && value == expected;
    return right;
  };
  sized<<<2>>>(out);
  bool right = check(2064);
  registers<<<4, 32>>>(out);
  right = check(1032) && right;
  bounds<<<4, 64>>>(out);
  right = check(1064) && right;
  templateArguments<32><<<4, 64>>>(out);
  right = check(1064) && right;
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, sized));
  return verdict(right && attributes.requiredClusterWidth == 2);
}

// scopesan-compat: `template` left out before a dependent type, in a header too
// plain use 'template' keyword to treat '\w+' as a dependent template name
// flags -std=c++17
// ways wrapper
#include "check.h"
#include "strict_header.h"

template <int N> struct Tile {
  template <typename T> struct Fragment {
    T values[N];
  };
};

template <typename Policy> __global__ void kernel(int *out) {
  typedef typename Policy::Fragment<int> Own;
  using Other = typename Policy::Fragment<short>;
  out[0] = int(sizeof(Own) + sizeof(Other) + fragmentBytes<Policy>());
}

int main() {
  int *out, host = 0;
  CHECK(cudaMalloc(&out, sizeof host));
  kernel<Tile<4>><<<1, 1>>>(out);
  CHECK(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
  return verdict(host == 16 + 8 + 32);
}

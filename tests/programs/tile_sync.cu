// scopesan-test: a warp exchanges values through shared memory and synchronizes by cooperative-groups tiles
//
// variant fixed
//   why the tile holds all lanes that exchange
//   verdict clean
//   proof S8
// variant half_tiles -DTILE=16 -DRACY
//   why lanes of the two half-warp tiles do not wait for each other
//   verdict findings
//   require D1 put(store,weak) take(load,weak) memory=values distance=same-warp
//   proof S8 D1
#include "check.h"

#include <cooperative_groups.h>

#ifndef TILE
#define TILE 32
#endif
namespace cg = cooperative_groups;

__global__ void reverse(int *data) {
  __shared__ int values[64];
  auto tile = cg::tiled_partition<TILE>(cg::this_thread_block());
  const unsigned t = threadIdx.x;
  values[t] = data[t]; // @put
  tile.sync();
  data[t] = values[t ^ 31]; // @take
}

int main() {
  int host[64], *data = nullptr;
  for (int i = 0; i < 64; ++i)
    host[i] = i;
  CHECK(cudaMalloc(&data, sizeof(host)));
  CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
  reverse<<<1, 64>>>(data);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(data));
  bool right = true;
  for (int i = 0; i < 64; ++i)
    right = right && host[i] == (i ^ 31);
  return verdict(right);
}

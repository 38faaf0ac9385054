// scopesan-test: __syncwarp orders the lanes of its mask and no others
//
// variant half_masks
//   why each half of the warp synchronizes and exchanges within itself
//   verdict clean
//   proof S8
// variant full_mask -DACROSS
//   verdict clean
//   proof S8
// variant across_half_masks -DRACY
//   why the partner is in the other half, which the mask leaves out
//   verdict findings
//   require D1 put(store,weak) take(load,weak) memory=slot distance=same-warp
//   proof S8 D1
#include "check.h"

constexpr unsigned kWarp = 32;
#if defined(ACROSS) || defined(RACY)
constexpr unsigned kPartner = 16;
#else
constexpr unsigned kPartner = 8;
#endif

__global__ void exchange(int *data) {
  __shared__ int slot[kWarp];
  const unsigned lane = threadIdx.x;
  slot[lane] = data[lane]; // @put
#ifdef ACROSS
  __syncwarp();
#else
  __syncwarp(lane < 16 ? 0x0000ffffu : 0xffff0000u);
#endif
  data[lane] = slot[lane ^ kPartner]; // @take
}

int main() {
  int data[kWarp], out[kWarp], *device = nullptr;
  for (unsigned lane = 0; lane < kWarp; ++lane)
    data[lane] = int(lane * lane);
  CHECK(cudaMalloc(&device, sizeof(data)));
  CHECK(cudaMemcpy(device, data, sizeof(data), cudaMemcpyHostToDevice));
  exchange<<<1, kWarp>>>(device);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out, device, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  bool right = true;
  for (unsigned lane = 0; lane < kWarp; ++lane)
    right = right && out[lane] == data[lane ^ kPartner];
  return verdict(right);
}

// scopesan-test: two units have a static kernel of the same name; only the other unit's one races
// unit same_name_kernels_b.cu
//
// variant fixed
//   verdict clean
//   proof P1
// variant other_unit_races -DRACY
//   why the finding must name the other unit's file, and each launch must run its own unit's kernel
//   verdict findings
//   require D1 other_fill(store,weak) other_fill(store,weak) hazard=WAW
//   proof D1
#include "check.h"

constexpr int kCount = 64;

void fillFromOtherUnit(int *device, int count);

static __global__ void fill(int *out) {
  out[threadIdx.x] = int(threadIdx.x); // @own_fill
}

int main() {
  int *own = nullptr, *other = nullptr, ownOut[kCount], otherOut[kCount];
  CHECK(cudaMalloc(&own, sizeof(ownOut)));
  CHECK(cudaMalloc(&other, sizeof(otherOut)));
  CHECK(cudaMemset(other, 0, sizeof(otherOut)));
  fill<<<1, kCount>>>(own);
  CHECK(cudaGetLastError());
  fillFromOtherUnit(other, kCount);
  CHECK(cudaMemcpy(ownOut, own, sizeof(ownOut), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(otherOut, other, sizeof(otherOut), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(own));
  CHECK(cudaFree(other));
  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && ownOut[i] == i && otherOut[i] == 1000 - i;
  return verdict(right);
}

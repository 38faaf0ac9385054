// scopesan-test: a warp writes a matrix to shared memory and loads it with ldmatrix
//
// variant fixed
//   why the warp barrier orders every lane's stores before the rows are read
//   verdict clean
//   proof S8
// variant no_barrier -DRACY
//   why a row is read by the lane that gives its address, and was written by four others
//   verdict findings
//   require D1 put(store,weak) rows(load,weak) memory=matrix distance=same-warp
//   proof S8 D1
// variant half -DHALF
//   why .x1 reads the rows of the first eight lanes only
//   verdict clean
//   proof S8
#include "check.h"

constexpr int kWarp = 32;

__global__ void load(unsigned *out) {
  __shared__ alignas(16) unsigned matrix[2][kWarp]; // 8 rows of 16 bytes each
  const int lane = int(threadIdx.x);
  matrix[0][lane] = 2 * lane; // @put
#ifndef RACY
  __syncwarp();
#endif
#ifdef HALF
  matrix[1][lane] = 0; // not read
#endif
  unsigned row = unsigned(__cvta_generic_to_shared(&matrix[lane / 8 % 2][lane % 8 * 4])), value;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" // @rows
               : "=r"(value)
               : "r"(row)
               : "memory");
  out[lane] = value;
}

int main() {
  unsigned host[kWarp], *out = nullptr;
  CHECK(cudaMalloc(&out, sizeof(host)));
  load<<<1, kWarp>>>(out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kWarp; ++i)
    right = right && host[i] == unsigned(2 * i);
  return verdict(right);
}

// scopesan-test: a float4 store and scalar reads: a vector access is a set of independent scalars
//
// variant own_elements
//   why each thread reads one element of its own float4
//   verdict clean
//   proof P1
// variant with_barrier -DBARRIER
//   verdict clean
//   proof P1 S7
// variant neighbour_element -DRACY
//   why the scalar lies in the float4 that the next thread stores
//   verdict findings
//   require D1 vector_store(store,weak) scalar_load(load,weak) memory=rows
//   proof P1 D1
#include "check.h"

constexpr unsigned kThreads = 64;

__global__ void storeRows(float *out) {
  __shared__ float4 rows[kThreads];
  const unsigned t = threadIdx.x;
  const float first = float(4 * t);
  rows[t] = make_float4(first, first + 1, first + 2, first + 3); // @vector_store
#ifdef BARRIER
  __syncthreads();
#endif
#if defined(RACY) || defined(BARRIER)
  const unsigned element = (4 * t + 4 + t % 4) % (4 * kThreads);
#else
  const unsigned element = 4 * t + t % 4;
#endif
  const float *scalars = reinterpret_cast<const float *>(rows);
  out[element] = scalars[element]; // @scalar_load
}

int main() {
  float out[4 * kThreads], *device = nullptr;
  CHECK(cudaMalloc(&device, sizeof(out)));
  CHECK(cudaMemset(device, 0, sizeof(out)));
  storeRows<<<1, kThreads>>>(device);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out, device, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  unsigned filled = 0;
  bool right = true;
  for (unsigned i = 0; i < 4 * kThreads; ++i) {
    filled += out[i] != 0;
    right = right && (out[i] == 0 || out[i] == float(i));
  }
  return verdict(right && filled >= kThreads - 1);
}

// scopesan-test: one unit is compiled without the instrumentation, and its kernel takes part
// unit partly_instrumented_plain.cu plain
//
// variant launched
//   why what the plain kernel did is unknown, so the run must not be called clean; the CPU backend
//   why cannot run it at all, and the program may notice
//   verdict incomplete
//   incomplete instrumented
//   exit any
//   proof X1
// variant racy_rest -DRACY
//   why what was seen is reported although part of the program was not seen
//   verdict findings
//   require D1 own(store,weak) own(store,weak) hazard=WAW
//   incomplete instrumented
//   exit any
//   proof D1 X1
#include "check.h"

constexpr int kCount = 64;

cudaError_t doubleInPlainUnit(int *values, int count);

__global__ void fill(int *out) {
#ifdef RACY
  const unsigned cell = threadIdx.x / 2;
#else
  const unsigned cell = threadIdx.x;
#endif
  out[cell] = int(cell) + 1; // @own
}

int main() {
  int *values = nullptr, out[kCount];
  CHECK(cudaMalloc(&values, sizeof(out)));
  CHECK(cudaMemset(values, 0, sizeof(out)));
  fill<<<1, kCount>>>(values);
  CHECK(cudaGetLastError());
  CHECK(doubleInPlainUnit(values, kCount));
  CHECK(cudaMemcpy(out, values, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(values));
  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && out[i] == 2 * (i + 1);
  return verdict(right);
}

// scopesan-test: a compare-and-swap writes only when it succeeds
//
// variant fails
//   why two failed CAS and a plain read are three reads
//   verdict clean
//   proof O5
// variant succeeds -DRACY=1
//   why the CAS that succeeds writes, and the plain read is weak
//   verdict findings
//   require D1 cas(cas,relaxed,device) peek(load,weak) memory=slot distance=same-grid
//   proof O3 O5 D1
// variant block_scope -DRACY=2
//   why one CAS writes; the others read it without its scope including them
//   verdict findings
//   require D2 cas(cas,relaxed,block) cas(relaxed,block)
//   ... blame=cas:device memory=slot distance=same-grid
//   proof O3 O5 P4 D2
// variant device_scope -DNO_PEEK
//   verdict clean
//   may-advise unordered-strong cas cas
//   proof O3 O5 P4
#include "check.h"

#if defined(RACY) || defined(NO_PEEK)
constexpr int kExpected = 0; // what the slot holds: the first CAS succeeds
#else
constexpr int kExpected = 5;
#endif

__device__ int slot = 0;

__global__ void claim(int expected, int *seen) {
  const int block = int(blockIdx.x);
  if (block < 2) {
#if RACY == 2
    seen[block] = atomicCAS_block(&slot, expected, block + 1); // @cas
#else
    seen[block] = atomicCAS(&slot, expected, block + 1); // @cas
#endif
  }
#if RACY != 2 && !defined(NO_PEEK)
  if (block == 2)
    seen[block] = slot; // @peek
#endif
}

int main() {
  int *seen = nullptr, result = 0;
  CHECK(cudaMalloc(&seen, 3 * sizeof(int)));
  claim<<<3, 1>>>(kExpected, seen);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyFromSymbol(&result, slot, sizeof(result)));
  CHECK(cudaFree(seen));
  return verdict(kExpected == 5 ? result == 0 : result == 1 || result == 2);
}

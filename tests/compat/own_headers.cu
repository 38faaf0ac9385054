// scopesan-compat: headers of the program with names of the toolkit's and the C library's
// plain unknown type name 'element'
// plain-flags -I {here}/shadowing
// flags -I {here}/shadowing
// kernels "void draw<curandStateXORWOW>(float*, int)" "void draw<curandStatePhilox4_32_10>(float*, int)"
typedef float element;
#include "cuda.h"
#include "memory.h"

#include <curand_kernel.h>

#include "check.h"

/// cuRAND's headers come after the program's: they declare the built-in variables again.
template <class State> __global__ void draw(element *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  State state;
  curand_init(1234, i, 0, &state);
  if (i < n)
    out[i] = curand_uniform(&state) + __half2float(__float2half(1.0f));
}

int main() {
  Pool pool;
  pool.begin = allocate(100);
  pool.end = pool.begin + 100;
  int wrong = 0;
  for (int kind = 0; kind < 2; ++kind) {
    if (kind)
      draw<curandStatePhilox4_32_10_t><<<2, 64>>>(pool.begin, 100);
    else
      draw<curandStateXORWOW_t><<<2, 64>>>(pool.begin, 100);
    CHECK(cudaDeviceSynchronize());
    for (element *e = pool.begin; e != pool.end; ++e)
      wrong += !(*e > 1 && *e <= 2) || (e != pool.begin && *e == pool.begin[0]);
  }
  return wrong != 0;
}

// scopesan-test: nvcuda::wmma of 4-bit integers and of single bits, out of shared memory
//
// variant fixed
//   why a barrier lies between the warp that fills the tiles and the one that multiplies
//   verdict clean
//   proof S7
// variant no_barrier -DRACY
//   why the tiles are loaded while another warp fills them
//   verdict findings
//   require D1 fill load_a distance=same-block
//   allow   D1 fill load_b distance=same-block
//   proof S7 D1
#include "check.h"
#include <mma.h>
#include <stdint.h>

using namespace nvcuda;
namespace small = nvcuda::wmma::experimental;

// A is 8 x K, B is K x 8, stored by columns: both have rows of K bits of 16 or 32 bytes.
__host__ __device__ unsigned wordA(int i) { return 0x12345678u * unsigned(i + 1); }
__host__ __device__ unsigned wordB(int i) { return 0x9abcdef1u * unsigned(i + 3); }

template <class Factor, int K, int Words> __global__ void multiply(int *out) {
  __shared__ alignas(32) unsigned a[8 * Words], b[8 * Words];
  const int i = int(threadIdx.x);
  if (i >= 32)
    for (int w = i - 32; w < 8 * Words; w += 32) {
      a[w] = wordA(w); // @fill
      b[w] = wordB(w); // @fill
    }
#ifndef RACY
  __syncthreads();
#endif
  if (i < 32) {
    wmma::fragment<wmma::matrix_a, 8, 8, K, Factor, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, K, Factor, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, K, int> sum;
    wmma::fill_fragment(sum, 5);
    wmma::load_matrix_sync(fa, a, K); // @load_a
    wmma::load_matrix_sync(fb, b, K); // @load_b
    if constexpr (K == 128)
      wmma::bmma_sync(sum, fa, fb, sum, small::bmmaBitOpXOR);
    else
      wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(out, sum, 8, wmma::mem_row_major);
  }
}

/// Element `k` of a row of 4-bit integers.
int nibble(unsigned (*word)(int), int row, int k, bool isSigned) {
  int v = int(word(row * 4 + k / 8) >> k % 8 * 4 & 15);
  return isSigned && v > 7 ? v - 16 : v;
}

template <class Factor, int K> bool check(int *device, bool isSigned) {
  multiply<Factor, K, 4><<<1, 64>>>(device);
  CHECK(cudaGetLastError());
  int host[64];
  CHECK(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      int sum = 5;
      for (int k = 0; k < 32 && K == 32; ++k)
        sum += nibble(wordA, i, k, isSigned) * nibble(wordB, j, k, isSigned);
      for (int w = 0; w < 4 && K == 128; ++w)
        sum += __builtin_popcount(wordA(i * 4 + w) ^ wordB(j * 4 + w));
      right = right && host[i * 8 + j] == sum;
    }
  if (!right)
    printf("wrong: K = %d, signed %d\n", K, isSigned);
  return right;
}

int main() {
  int *out = nullptr;
  CHECK(cudaMalloc(&out, 64 * sizeof(int)));
  bool right = check<small::precision::s4, 32>(out, true);
  right = check<small::precision::u4, 32>(out, false) && right;
  right = check<small::precision::b1, 128>(out, false) && right;
  CHECK(cudaFree(out));
  return verdict(right);
}

// scopesan-test: two blocks access one word atomically in sizes that overlap in part
//
// variant fixed
//   why the other block reads half of the word only after it acquired the flag
//   verdict clean
//   may-advise progress-not-promised publish await
//   proof S3 D5
//   litmus SPEC2/mixedsize-ordered
// variant halves -DRACY=1
//   why a store of the word and a load of its half are atomic each, but not towards each other
//   verdict findings
//   require D5 write(store,relaxed,device) read_half(load,relaxed,device)
//   proof D5
// variant vector -DRACY=2
//   why a vector is two stores of 8 bytes, one of which overlaps the load in part
//   verdict findings
//   require D5 write_two(store,relaxed,device) read_half(load,relaxed,device)
//   proof P1 D5
//   litmus SPEC2/vector-v2b64-vs-b32
// variant packed -DCLEAN
//   why the elements of a packed addition are atomic each
//   verdict clean
//   may-advise progress-not-promised publish await
//   proof P1
//   litmus SPEC2/packed-atom
#include "check.h"
#include <cuda_fp16.h>

struct alignas(16) Memory {
  unsigned long long word[2];
  unsigned flag;
  half2 sum;
};

__global__ void exchange(Memory *m, unsigned *out) {
  if (threadIdx.x)
    return;
  if (blockIdx.x == 0) {
#if RACY == 2
    asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %1};" ::"l"(m->word), // @write_two
                 "l"(0x500000007ull)
                 : "memory");
#else
    asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(m->word), "l"(0x500000007ull) // @write
                 : "memory");
#endif
    asm volatile("st.release.gpu.global.b32 [%0], 1;" ::"l"(&m->flag) : "memory"); // @publish
#ifdef CLEAN
    half2 two = __floats2half2_rn(1, 2);
    atomicAdd(&m->sum, two);
  } else {
    atomicAdd(reinterpret_cast<half *>(&m->sum), __float2half(4));
#endif
  }
  if (blockIdx.x == 1) {
    unsigned seen = 0, value;
#ifndef RACY
    while (!seen)
      asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(seen) : "l"(&m->flag) : "memory"); // @await
#endif
    asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" // @read_half
                 : "=r"(value)
                 : "l"(m->word)
                 : "memory");
    *out = value + seen;
  }
}

int main() {
  Memory *m = nullptr;
  unsigned *out = nullptr, result = 0;
  CHECK(cudaMalloc(&m, sizeof(Memory)));
  CHECK(cudaMalloc(&out, sizeof(unsigned)));
  CHECK(cudaMemset(m, 0, sizeof(Memory)));
  exchange<<<2, 32>>>(m, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, out, sizeof(result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(m));
  CHECK(cudaFree(out));
  return verdict(result == 8);
}

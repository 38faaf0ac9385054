// scopesan-compat: special registers in inline PTX with one percent sign, in macros and long strings
// plain invalid % escape in inline assembly string
// flags -std=c++17
// ways wrapper
#include "check.h"

#define READ(Register, Result) asm volatile("mov.u32 %0, " Register ";" : "=r"(Result))
#define LANE(Result) asm("mov.u32 %0, %laneid;" : "=r"(Result))

__global__ void kernel(unsigned *out) {
  unsigned lane, thread, block, sum;
  LANE(lane);
  READ("%tid.x", thread);
  READ("%%ctaid.x", block);
  asm("{\n\t"
      ".reg .u32 %%t<2>;\n\t"
      "mov.u32 %%t0, %tid.x;\n\t"
      "mov.u32 %%t1, %ntid.x;\n\t"
      "add.u32 %0, %%t0, %%t1;\n\t"
      "}"
      : "=r"(sum));
  out[threadIdx.x] = 1000 * block + 100 * sum + 10 * thread + lane;
}

int main() {
  unsigned *out, host[4];
  CHECK(cudaMalloc(&out, sizeof host));
  kernel<<<1, 4>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  bool right = true;
  for (unsigned i = 0; i < 4; ++i)
    right = right && host[i] == 100 * (i + 4) + 11 * i;
  return verdict(right);
}

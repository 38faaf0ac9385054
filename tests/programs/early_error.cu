// scopesan-test: threads that meet an error leave the kernel's main part before a block barrier
//
// variant fixed
//   why the error is kept in a variable, and all threads come to each barrier
//   verdict clean
//   proof S7
// variant returns -DEXITS
//   why a thread that has ended no longer counts, so the barrier completes
//   verdict clean
//   proof S7
// variant jumps_over -DRACY
//   why threads with an error wait at the last barrier while the others wait at the first
//   verdict findings
//   require D7 main_part common_end
//   may-be-incomplete a kernel ended with an error
//   exit any
//   backends cpu
//   proof S7 D7
#include "check.h"

constexpr int kThreads = 64;

__global__ void scale(const int *in, const int *divisors, int *out, int *errors) {
  __shared__ int values[kThreads];
  const int t = int(threadIdx.x);
  const bool failed = divisors[t] == 0;
  int result = 0;
  values[t] = failed ? 0 : in[t] / divisors[t];
#ifdef EXITS
  if (failed) {
    atomicAdd(errors, 1);
    return;
  }
#endif
#ifdef RACY
  if (failed)
    goto end;
#endif
  __syncthreads(); // @main_part
  result = t > 0 && t < 32 ? values[t] + values[t - 1] : values[t];
#ifdef RACY
end:
#endif
  if (failed)
    atomicAdd(errors, 1);
  __syncthreads(); // @common_end
  out[t] = result;
}

int main() {
  int host[3][kThreads] = {}, errors = 0, *device = nullptr;
  for (int t = 0; t < kThreads; ++t) {
    host[0][t] = 12 * t;
    host[1][t] = t == 40 ? 0 : 3;
  }
  CHECK(cudaMalloc(&device, sizeof(host) + sizeof(int)));
  CHECK(cudaMemset(device, 0, sizeof(host) + sizeof(int)));
  CHECK(cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice));
  scale<<<1, kThreads>>>(device, device + kThreads, device + 2 * kThreads, device + 3 * kThreads);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&errors, device + 3 * kThreads, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  return verdict(errors == 1 && host[2][10] == 76 && host[2][41] == 164);
}

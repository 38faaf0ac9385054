// scopesan-compat: a command line as build files write it for nvcc
// plain (unknown argument|no such file|unsupported option|not found)
// plain-flags -gencode arch=compute_90,code=sm_90 --expt-relaxed-constexpr -rdc=true
// flags -gencode arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=[sm_90,compute_90]
// ... --expt-relaxed-constexpr --extended-lambda -lineinfo -O3 --std=c++17 -m64 -t 4 -rdc=true
// ... -Xcompiler -fPIC,-Wall -Xptxas -v,-O3 -Xcudafe --diag_suppress=20012 -diag-suppress 177
// ... -Werror all-warnings --default-stream per-thread -use_fast_math -maxrregcount=64 -cudart shared
// ... -forward-unknown-to-host-compiler -ccbin g++ -Xlinker -rpath,/nowhere -Wno-deprecated-gpu-targets
// notes -ccbin
// ways wrapper
#include "check.h"

#if !defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || !defined(__CUDACC_EXTENDED_LAMBDA__)
#error "a flag is lost"
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900
#error "architectures"
#endif

constexpr int twice(int value) { return 2 * value; }

template <typename F> __global__ void apply(int *out, F function) {
#if __CUDA_ARCH__ == 900
  out[threadIdx.x] = twice(function(int(threadIdx.x)));
#else
  out[threadIdx.x] = -1; // the device is an sm_90
#endif
}

int main() {
  int host[8], *out, offset = 3;
  CHECK(cudaMalloc(&out, sizeof host));
  apply<<<1, 8>>>(out, [=] __device__(int i) { return i + offset; });
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  return verdict(host[0] == 6 && host[7] == 20);
}

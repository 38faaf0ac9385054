// scopesan-compat: __shared__ objects with constructors, in kernels, templates, members and lambdas
// plain initialization is not supported for __shared__ variables
// flags -std=c++17
// may-be-incomplete mbarrier
#include "check.h"
#include <cuda/barrier>

struct Body {
  int value;
  __device__ Body() { value = 5; }
};
struct Member {
  int value = 7;
};
struct Destructor {
  int value;
  __device__ ~Destructor() { value = -1; }
};
template <typename T> struct Pair {
  T first, second;
  __device__ Pair() : first(1), second(2) {}
  __device__ T sum() const { return first + second; }
};

constexpr int kThreads = 64;

template <typename Stage> struct Pipeline {
  __device__ int run(int input) {
    __shared__ Stage stages[2];
    __shared__ cuda::barrier<cuda::thread_scope_block> ready[2];
    if (threadIdx.x == 0) {
      init(&ready[0], kThreads);
      init(&ready[1], kThreads);
      stages[0].first = stages[1].first = input;
      stages[0].second = stages[1].second = 1;
    }
    __syncthreads();
    ready[1].arrive_and_wait();
    return stages[1].sum();
  }
};

__device__ int plainFunction(int lane) {
  static __shared__ Member cells[kThreads];
  cells[lane].value = lane;
  __syncthreads();
  return cells[kThreads - 1 - lane].value;
}

__global__ void kernel(int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ Body body;
  __shared__ Destructor last;
  int lane = int(threadIdx.x);
  if (lane == 0) {
    init(&barrier, kThreads);
    body.value = 100;
    last.value = 1000;
  }
  __syncthreads();
  barrier.arrive_and_wait();
  auto read = [&] {
    __shared__ Pair<long> pair;
    if (lane == 0)
      pair.first = pair.second = 10;
    __syncthreads();
    return int(pair.sum());
  };
  Pipeline<Pair<int>> pipeline;
  out[lane] = body.value + last.value + read() + pipeline.run(3) + plainFunction(lane);
}

int main() {
  int *out, host[kThreads];
  CHECK(cudaMalloc(&out, sizeof host));
  kernel<<<1, kThreads>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < kThreads; ++i)
    right = right && host[i] == 1000 + 100 + 20 + 4 + kThreads - 1 - i;
  return verdict(right);
}

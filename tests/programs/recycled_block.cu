// scopesan-test: a program's own pool gives a block of one stream to another stream
//
// variant fixed
//   why the second owner's stream waits for an event that the first owner recorded when it gave the
//   ... block back
//   verdict clean
//   proof S14
// variant no_event -DRACY=1
//   why the block is recycled while the first owner's kernel may still run
//   verdict findings
//   require D1 use use distance=between-kernels memory=cudaMalloc
//   allow D1 use read(load) distance=between-kernels memory=cudaMalloc
//   proof S14 D1
// variant event_of_the_allocation -DRACY=2
//   why the event was recorded when the block was handed out, before its use
//   verdict findings
//   require D1 use use distance=between-kernels memory=cudaMalloc
//   allow D1 use read(load) distance=between-kernels memory=cudaMalloc
//   proof S14 D1
#include "check.h"

constexpr int kCount = 64;

__global__ void use(int *block, int *result, int value) {
  block[threadIdx.x] = value; // @use
  __syncthreads();
  result[threadIdx.x] = block[kCount - 1 - threadIdx.x]; // @read
}

/// One block that is handed from owner to owner.
struct Pool {
  int *block = nullptr;
  cudaEvent_t free;

  int *take(cudaStream_t stream) {
#if RACY == 2
    CHECK(cudaEventRecord(free, stream));
#elif !defined(RACY)
    CHECK(cudaStreamWaitEvent(stream, free, 0));
#endif
    return block;
  }
  void giveBack(cudaStream_t stream) {
#if RACY == 2
    CHECK(cudaStreamWaitEvent(stream, free, 0));
#elif !defined(RACY)
    CHECK(cudaEventRecord(free, stream));
#else
    (void)stream;
#endif
  }
};

int main() {
  int *results = nullptr, out[2 * kCount];
  Pool pool;
  CHECK(cudaMalloc(&pool.block, kCount * sizeof(int)));
  CHECK(cudaMalloc(&results, sizeof(out)));
  CHECK(cudaEventCreateWithFlags(&pool.free, cudaEventDisableTiming));
  for (int owner = 0; owner < 2; ++owner) {
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    int *block = pool.take(stream);
    use<<<1, kCount, 0, stream>>>(block, results + owner * kCount, owner + 1);
    CHECK(cudaGetLastError());
    pool.giveBack(stream);
    CHECK(cudaStreamDestroy(stream));
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(out, results, sizeof(out), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < 2 * kCount; ++i)
    right = right && out[i] == i / kCount + 1;
  CHECK(cudaEventDestroy(pool.free));
  CHECK(cudaFree(pool.block));
  CHECK(cudaFree(results));
  return verdict(right);
}

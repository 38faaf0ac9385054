// scopesan-test: streams ordered by values in memory: cuStreamWriteValue32 and cuStreamWaitValue32
//
// On the GPU a wait for a value is taken as a wait for all earlier work, with X1: nothing here has a verdict there.
//
// variant fixed
//   why the write publishes what precedes it in its stream, the wait lets the other stream go on
//   verdict clean
//   litmus API/stream-write-wait-value
//   backends cpu
//   proof S14
// variant mapped -DMAPPED
//   verdict clean
//   label full
//   backends cpu
//   proof S14
// variant no_wait -DRACY=1
//   verdict findings
//   require D1 fill use distance=between-kernels
//   backends cpu
//   proof S14 D1
// variant written_too_early -DRACY=2
//   why the value is written before the kernel
//   verdict findings
//   label full
//   require D1 fill use distance=between-kernels
//   backends cpu
//   proof S14 D1
// variant no_barrier -DRACY=3
//   why CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER publishes nothing
//   verdict findings
//   require D1 fill use distance=between-kernels
//   may-advise unordered-strong
//   backends cpu
//   proof S14 D1
// variant batch_barrier -DBATCH=1
//   why a barrier in front of a write without one is a fence followed by a strong write
//   verdict clean
//   label full
//   backends cpu
//   proof S1 S14
// variant batch_no_barrier -DBATCH=2
//   why the barrier comes after the write
//   verdict findings
//   label full
//   require D1 fill use distance=between-kernels
//   may-advise unordered-strong
//   backends cpu
//   proof S1 S14 D1
// variant never_written -DRACY=4
//   why nothing is left to write what the second stream waits for
//   verdict findings
//   require D12 api:cuStreamWaitValue32 nobody
//   may-be-incomplete a kernel ended with an error
//   exit 2
//   backends cpu
//   proof D12
#include "check.h"
#include "driver.h"

#include <cuda.h>
#include <cudaTypedefs.h>

#ifdef RACY
constexpr int kCase = RACY;
#else
constexpr int kCase = 0;
#endif
constexpr int kCount = 64;

__global__ void fillKernel(int *data) {
  data[threadIdx.x] = 3; // @fill
}
__global__ void useKernel(int *data) {
  data[threadIdx.x] += 1; // @use
}

static void check(CUresult result) {
  if (result != CUDA_SUCCESS)
    exit(2);
}

/// A write without a barrier of its own, and a barrier in front of it or behind it.
[[maybe_unused]] static void writeInBatch(cudaStream_t stream, CUdeviceptr address,
                                          bool barrierFirst) {
  auto batch = driverFunction<PFN_cuStreamBatchMemOp_v11070>("cuStreamBatchMemOp");
  CUstreamBatchMemOpParams list[2] = {};
  CUstreamBatchMemOpParams &barrier = list[barrierFirst ? 0 : 1],
                           &value = list[barrierFirst ? 1 : 0];
  barrier.operation = CU_STREAM_MEM_OP_BARRIER;
  barrier.memoryBarrier.flags = CU_STREAM_MEMORY_BARRIER_TYPE_SYS;
  value.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  value.writeValue.address = address;
  value.writeValue.value = 1;
  value.writeValue.flags = CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER;
  check(batch(stream, 2, list, 0));
}

int main() {
  auto write = driverFunction<PFN_cuStreamWriteValue32_v11070>("cuStreamWriteValue32");
  auto wait = driverFunction<PFN_cuStreamWaitValue32_v11070>("cuStreamWaitValue32");
  int *data = nullptr, out[kCount];
  unsigned *flag = nullptr;
  CHECK(cudaMalloc(&data, sizeof(out)));
#ifdef MAPPED
  CHECK(cudaHostAlloc(&flag, sizeof(unsigned), cudaHostAllocMapped));
  *flag = 0;
#else
  CHECK(cudaMalloc(&flag, sizeof(unsigned)));
  CHECK(cudaMemset(flag, 0, sizeof(unsigned)));
#endif
  CHECK(cudaDeviceSynchronize());
  cudaStream_t first, second;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  auto address = reinterpret_cast<CUdeviceptr>(flag);

  if (kCase != 1)
    check(wait(second, address, 1, CU_STREAM_WAIT_VALUE_GEQ));
  useKernel<<<1, kCount, 0, second>>>(data);
  CHECK(cudaGetLastError());
  if (kCase == 2)
    check(write(first, address, 1, 0));
  fillKernel<<<1, kCount, 0, first>>>(data);
  CHECK(cudaGetLastError());
#ifdef BATCH
  writeInBatch(first, address, BATCH == 1);
#else
  if (kCase == 3)
    check(write(first, address, 1, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
  else if (kCase != 2 && kCase != 4)
    check(write(first, address, 1, 0));
#endif

  CHECK(cudaStreamSynchronize(second));
  CHECK(cudaStreamSynchronize(first));
  CHECK(cudaMemcpy(out, data, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  bool right = true;
  for (int value : out)
    right = right && value == 4;
  return verdict(right);
}

// scopesan-test: a release sequence: block 1 passes block 0's release on to block 2 by an RMW
//
// Block 2 reads the flag only after `hopped` told it to: a spin on the flag itself could read block
// 0's value on some schedules, which would order x without the hop.
//
// variant fixed
//   why the relaxed RMW extends the release sequence that it reads from
//   verdict clean
//   may-advise progress-not-promised hop flag_store
//   may-advise progress-not-promised hopped_load hopped_store
//   may-advise unordered-strong
//   proof S3 S4
// variant narrow_hop -DRACY=1
//   why every hop must be morally strong, and the block-scope RMW is not towards block 0; block 2's
//   why flag_load is ordered after the hop, so the two do not race
//   verdict findings
//   require D2 flag_store(store,release,device) hop(relaxed,block) blame=hop:device memory=flag
//   require D3 x_store x_load blame=hop:device memory=x
//   may-advise progress-not-promised hop flag_store
//   may-advise progress-not-promised hopped_load hopped_store
//   may-advise unordered-strong
//   proof S3 D2 D3
// variant narrow_release -DRACY=2
//   why the store that heads the sequence does not include block 1
//   verdict findings
//   require D2 flag_store(store,release,block) hop(relaxed,device)
//   ... blame=flag_store:device memory=flag
//   allow D2 flag_store flag_load blame=flag_store:device
//   require D3 x_store x_load blame=flag_store:device memory=x
//   may-advise progress-not-promised hop flag_store
//   may-advise progress-not-promised hopped_load hopped_store
//   may-advise unordered-strong
//   proof S3 D2 D3
#include "check.h"
#include <cuda/atomic>

constexpr auto kDevice = cuda::thread_scope_device;
#if RACY == 1
constexpr auto kHop = cuda::thread_scope_block, kStore = kDevice;
#elif RACY == 2
constexpr auto kHop = kDevice, kStore = cuda::thread_scope_block;
#else
constexpr auto kHop = kDevice, kStore = kDevice;
#endif

__device__ int x = 0;
__device__ int flag = 0;
__device__ int hopped = 0;

__global__ void relay(int *seen) {
  if (blockIdx.x == 0) {
    x = 42; // @x_store
    cuda::atomic_ref<int, kStore> f(flag);
    f.store(1, cuda::memory_order_release); // @flag_store
  } else if (blockIdx.x == 1) {
    cuda::atomic_ref<int, kHop> f(flag);
    int expected = 1;
    while (!f.compare_exchange_strong(expected, 2, cuda::memory_order_relaxed)) // @hop
      expected = 1;
    cuda::atomic_ref<int, kDevice> h(hopped);
    h.store(1, cuda::memory_order_release); // @hopped_store
  } else {
    cuda::atomic_ref<int, kDevice> f(flag), h(hopped);
    while (h.load(cuda::memory_order_acquire) != 1) { // @hopped_load
    }
    if (f.load(cuda::memory_order_acquire) == 2) // @flag_load
      *seen = x;                                 // @x_load
  }
}

int main() {
  int *seen = nullptr, value = 0;
  CHECK(cudaMalloc(&seen, sizeof(int)));
  relay<<<3, 1>>>(seen);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&value, seen, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(seen));
  return verdict(value == 42);
}

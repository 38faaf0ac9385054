// scopesan-test: a worker thread fills managed memory, the main thread launches the kernel that reads it
//
// variant joined -fscopesan-host
//   why the launching thread has joined the worker
//   verdict clean
//   proof S15
// variant mutex -fscopesan-host -DMUTEX
//   why the worker writes under the mutex under which the main thread sees that it has
//   verdict clean
//   proof S15
// variant condition_variable -fscopesan-host -DCONDITION
//   verdict clean
//   label full
//   proof S15
// variant atomic_flag -fscopesan-host -DFLAG=release
//   why the flag is released by the worker and acquired by the main thread
//   verdict clean
//   proof S1 S2 S15
// variant cuda_atomic_flag -fscopesan-host -DFLAG=release -DCUDA_ATOMIC
//   verdict clean
//   label full
//   proof S1 S2 S15
// variant relaxed_flag -fscopesan-host -DFLAG=relaxed -DRACY=1
//   why a relaxed store publishes nothing
//   verdict findings
//   require D1 fill(store) kernel_read distance=host-device memory=managed
//   proof S1 S15 D1
// variant not_joined -fscopesan-host -DRACY=2
//   why the worker is joined after the launch
//   verdict findings
//   require D1 fill(store) kernel_read distance=host-device memory=managed
//   proof S15 D1
// variant two_writers -fscopesan-host -DRACY=3
//   why two host threads write the same managed memory
//   verdict findings
//   label full
//   require D1 fill(store) main_fill(store) distance=host-threads memory=managed
//   proof S15 D1
#include "check.h"

#include <atomic>
#include <condition_variable>
#include <cuda/atomic>
#include <mutex>
#include <thread>

constexpr int kCount = 32;

__global__ void sum(const int *in, int *out) {
  atomicAdd(out, in[threadIdx.x]); // @kernel_read
}

std::mutex guard;
std::condition_variable changed;
bool isFilled = false;
#ifdef CUDA_ATOMIC
using Flag = cuda::std::atomic<int>;
#define ORDER(order) cuda::std::memory_order_##order
#else
using Flag = std::atomic<int>;
#define ORDER(order) std::memory_order_##order
#endif
#define ORDER_OF(order) ORDER(order)
Flag flag{0};

static void work(int *in) {
#if defined(MUTEX) || defined(CONDITION)
  std::lock_guard<std::mutex> lock(guard);
#endif
  for (int i = 0; i < kCount; ++i)
    in[i] = i; // @fill
#if defined(MUTEX) || defined(CONDITION)
  isFilled = true;
  changed.notify_one();
#endif
#ifdef FLAG
  flag.store(1, ORDER_OF(FLAG));
#endif
}

static void waitForWorker() {
#ifdef MUTEX
  for (bool seen = false; !seen;) {
    std::lock_guard<std::mutex> lock(guard);
    seen = isFilled;
  }
#elif defined(CONDITION)
  std::unique_lock<std::mutex> lock(guard);
  changed.wait(lock, [] { return isFilled; });
#elif defined(FLAG)
  while (flag.load(ORDER(acquire)) == 0)
    std::this_thread::yield();
#endif
}

int main() {
  int *in = nullptr, *out = nullptr;
  CHECK(cudaMallocManaged(&in, kCount * sizeof(int)));
  CHECK(cudaMallocManaged(&out, sizeof(int)));
  *out = 0;
  std::thread worker(work, in);
#if RACY == 3
  for (int i = 0; i < kCount; ++i)
    in[i] = i; // @main_fill
#endif
  waitForWorker();
#if RACY == 3 || !(defined(MUTEX) || defined(CONDITION) || defined(FLAG) || defined(RACY))
  worker.join();
#endif
  sum<<<1, kCount>>>(in, out);
  CHECK(cudaDeviceSynchronize());
  if (worker.joinable())
    worker.join();
  bool right = *out == kCount * (kCount - 1) / 2;
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return verdict(right);
}

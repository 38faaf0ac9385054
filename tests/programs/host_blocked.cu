// scopesan-test: the host waits outside CUDA for what a host function does, and holds what one needs
//
// variant condition_variable -fscopesan-host
//   why the device goes on while every host thread sleeps
//   verdict clean
//   proof S14 S15
// variant condition_variable_plain
//   why the same without instrumented host code
//   verdict clean
//   proof S14
// variant semaphore -fscopesan-host -DSEMAPHORE
//   verdict clean
//   proof S14 S15
// variant held_mutex -fscopesan-host -DHELD
//   why the function runs beside the caller, which holds the mutex while it queries the stream
//   verdict clean
//   proof S14 S15
// variant not_in_function -fscopesan-host -DRACY=1
//   why the host function of another stream says nothing of the kernel
//   verdict findings
//   require D1 set use distance=between-kernels
//   proof S14 D1
#include "check.h"

#include <condition_variable>
#include <mutex>
#include <semaphore.h>

constexpr int kCount = 32;

__global__ void setKernel(int *data) {
  data[threadIdx.x] = 1; // @set
}
__global__ void useKernel(int *data) {
  data[threadIdx.x] += 1; // @use
}

std::mutex guard;
std::condition_variable changed;
bool isDone = false;
sem_t done;

static void tell(void *) {
#ifdef SEMAPHORE
  sem_post(&done);
#else
  std::lock_guard<std::mutex> lock(guard);
  isDone = true;
  changed.notify_one();
#endif
}

static void launchAndWait(cudaStream_t stream, cudaStream_t told, int *data) {
  setKernel<<<1, kCount, 0, stream>>>(data);
  CHECK(cudaGetLastError());
#ifdef HELD
  std::unique_lock<std::mutex> held(guard);
#endif
  CHECK(cudaLaunchHostFunc(told, tell, nullptr));
#if defined(HELD)
  cudaError_t state = cudaStreamQuery(told);
  if (state != cudaErrorNotReady)
    CHECK(state);
  held.unlock();
  CHECK(cudaStreamSynchronize(told));
#elif defined(SEMAPHORE)
  CHECK(sem_wait(&done) == 0 ? cudaSuccess : cudaErrorUnknown);
#else
  std::unique_lock<std::mutex> lock(guard);
  changed.wait(lock, [] { return isDone; });
#endif
}

int main() {
  sem_init(&done, 0, 0);
  int *data = nullptr, out[kCount];
  CHECK(cudaMalloc(&data, sizeof(out)));
  cudaStream_t first, second, third;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
#ifdef RACY
  launchAndWait(first, third, data);
#else
  launchAndWait(first, first, data);
#endif
  CHECK(cudaStreamSynchronize(third));
  useKernel<<<1, kCount, 0, second>>>(data);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(out, data, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(data));
  return verdict(true);
}

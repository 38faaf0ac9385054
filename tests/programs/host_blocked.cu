// scopesan-test: the host waits outside CUDA for what a host function does, and holds what one needs
//
// variant condition_variable -fscopesan-host
//   why the device goes on while every host thread sleeps
//   label full
//   backends cpu
//   verdict clean
//   proof S14 S15
// variant condition_variable_plain
//   why the same without instrumented host code
//   backends cpu
//   verdict clean
//   proof S14
// variant semaphore -fscopesan-host -DSEMAPHORE
//   backends cpu
//   verdict clean
//   proof S14 S15
// variant semaphore_plain -DSEMAPHORE
//   label full
//   backends cpu
//   verdict clean
//   proof S14
// variant future -fscopesan-host -DFUTURE
//   label full
//   backends cpu
//   verdict clean
//   proof S14 S15
// variant future_plain -DFUTURE
//   backends cpu
//   verdict clean
//   proof S14
// variant joined -fscopesan-host -DJOINED
//   why the host joins a thread that waits for the function
//   backends cpu
//   verdict clean
//   proof S14 S15
// variant joined_plain -DJOINED
//   label full
//   backends cpu
//   verdict clean
//   proof S14
// variant spinning_plain -DSPINNING
//   why a host that neither sleeps nor calls has the device beside it after a while
//   label full
//   backends cpu
//   verdict clean
//   proof S14
// variant held_mutex -fscopesan-host -DHELD
//   why the function runs beside the caller, which holds the mutex while it queries the stream
//   label full
//   backends cpu
//   verdict clean
//   proof S14 S15
// variant held_mutex_plain -DHELD
//   backends cpu
//   verdict clean
//   proof S14
// variant told_before_plain -DTOLD_BEFORE
//   why what is not instrumented counts as ordered: the function ran in a query, the host waits later
//   label full
//   backends cpu
//   verdict clean
//   proof S14 S15
// variant told_before -fscopesan-host -DTOLD_BEFORE
//   backends cpu
//   verdict clean
//   proof S14 S15
// variant not_in_function -fscopesan-host -DRACY=1
//   why the host function of another stream says nothing of the kernel
//   backends cpu
//   verdict findings
//   require D1 set use distance=between-kernels
//   proof S14 D1
// variant not_told -fscopesan-host -DTOLD_BEFORE -DRACY=2
//   why the function ran, but told the host nothing
//   backends cpu
//   verdict findings
//   require D1 set use distance=between-kernels
//   proof S14 S15 D1
#include "check.h"

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <semaphore.h>
#include <thread>

#ifndef RACY
#define RACY 0
#endif

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
std::atomic<bool> isSpunFor;
std::promise<void> promised;
sem_t done;

static void tell(void *) {
#if defined(SEMAPHORE)
  sem_post(&done);
#elif defined(FUTURE)
  promised.set_value();
#elif defined(SPINNING)
  isSpunFor.store(true);
#elif RACY != 2
  std::lock_guard<std::mutex> lock(guard);
  isDone = true;
  changed.notify_one();
#endif
}

static void waitForWord() {
  std::unique_lock<std::mutex> lock(guard);
  changed.wait(lock, [] { return isDone; });
}

/// A query that gives the device time.
static void ask(cudaStream_t stream) {
  cudaError_t state = cudaStreamQuery(stream);
  if (state != cudaErrorNotReady)
    CHECK(state);
}

static void waitForFunction(cudaStream_t told) {
#if defined(SEMAPHORE)
  CHECK(sem_wait(&done) == 0 ? cudaSuccess : cudaErrorUnknown);
#elif defined(FUTURE)
  promised.get_future().get();
#elif defined(JOINED)
  std::thread(waitForWord).join();
#elif defined(SPINNING)
  while (!isSpunFor.load())
    ;
#elif RACY != 2
  waitForWord();
#endif
  (void)told;
}

static void launchAndWait(cudaStream_t stream, cudaStream_t told, cudaStream_t other, int *data) {
  setKernel<<<1, kCount, 0, stream>>>(data);
  CHECK(cudaGetLastError());
#ifdef HELD
  std::unique_lock<std::mutex> held(guard);
#endif
  CHECK(cudaLaunchHostFunc(told, tell, nullptr));
#if defined(HELD)
  ask(told);
  held.unlock();
  CHECK(cudaStreamSynchronize(told));
#else
#ifdef TOLD_BEFORE
  CHECK(cudaStreamSynchronize(other));
#endif
  waitForFunction(told);
#endif
  (void)other;
}

int main() {
  sem_init(&done, 0, 0);
  int *data = nullptr, out[kCount];
  CHECK(cudaMalloc(&data, 2 * sizeof(out)));
  cudaStream_t first, second, third;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
  setKernel<<<1, kCount, 0, third>>>(data + kCount); // lets the device run
  launchAndWait(first, RACY == 1 ? third : first, third, data);
  CHECK(cudaStreamSynchronize(third));
  useKernel<<<1, kCount, 0, second>>>(data);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(out, data, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(data));
  return verdict(true);
}

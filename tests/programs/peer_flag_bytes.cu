// scopesan-test: each device sets its byte among the arrival flags of all devices, a peer polls them as one word
//
// variant fixed
//   options --devices=2
//   why a flag of full width for each peer, stored with release and loaded with acquire at system scope
//   verdict clean
//   may-advise progress-not-promised
//   backends cpu
//   proof P4 S3
// variant bytes_as_word -DRACY=1
//   options --devices=2
//   why volatile accesses of different width are not atomic towards each other, and order nothing
//   verdict findings
//   require D5 flag_store flag_load
//   require D1 data_store(store,weak) data_load(load,weak) distance=between-kernels
//   may-advise progress-not-promised
//   backends cpu
//   proof O2 S3 D5 D1
// variant volatile_words -DRACY=2
//   options --devices=2
//   why equal width makes the flags atomic, and still neither releases nor acquires
//   verdict findings
//   require D1 data_store(store,weak) data_load(load,weak) distance=between-kernels
//   may-advise progress-not-promised
//   may-advise unordered-strong
//   backends cpu
//   proof O2 S1 D1
#include "check.h"

constexpr int kThreads = 32;
#if RACY == 1
using Flag = unsigned char;
#else
using Flag = unsigned;
#endif

struct Mailbox {
  alignas(8) Flag arrived[sizeof(Flag) == 1 ? 8 : 2];
  int data[kThreads];
};

__device__ void set(Flag *flag) {
#ifdef RACY
  *static_cast<volatile Flag *>(flag) = 1; // @flag_store
#else
  asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(flag) : "memory");
#endif
}
__device__ void await(Flag *flags) {
#if RACY == 1
  while (*reinterpret_cast<volatile unsigned long long *>(flags) == 0) // @flag_load
    ;
#elif RACY == 2
  while (*static_cast<volatile Flag *>(flags) == 0)
    ;
#else
  Flag seen = 0;
  do
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flags) : "memory");
  while (seen == 0);
#endif
}

__global__ void send(Mailbox *peer, int value) {
  peer->data[threadIdx.x] = value + int(threadIdx.x); // @data_store
  __syncthreads();
  if (threadIdx.x == 0)
    set(&peer->arrived[0]);
}
__global__ void receive(Mailbox *own, int *out) {
  if (threadIdx.x == 0)
    await(own->arrived);
  __syncthreads();
  out[threadIdx.x] = own->data[kThreads - 1 - threadIdx.x]; // @data_load
}

int main() {
  int devices = 0, host[kThreads], *out = nullptr;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    printf("two devices are needed\n");
    return 2;
  }
  Mailbox *mailbox = nullptr;
  cudaStream_t first, second;
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&mailbox, sizeof(Mailbox)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemset(mailbox, 0, sizeof(Mailbox)));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  send<<<1, kThreads, 0, first>>>(mailbox, 100);
  CHECK(cudaSetDevice(1));
  receive<<<1, kThreads, 0, second>>>(mailbox, out);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(second));
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamSynchronize(first));
  CHECK(cudaFree(mailbox));
  CHECK(cudaFree(out));
  bool right = true;
  for (int i = 0; i < kThreads; ++i)
    right = right && host[i] == 100 + kThreads - 1 - i;
  return verdict(right);
}

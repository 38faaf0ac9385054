// scopesan-test: a kernel tells the host by a flag in mapped memory that its result is there
//
// variant fixed -fscopesan-host -DQUERY
//   why release and acquire at system scope; a query in every iteration makes the wait promised
//   verdict clean
//   proof S3 S15 D12
// variant device_scope -fscopesan-host -DQUERY -DSCOPE=cuda::thread_scope_device -DRACY=1
//   why a device-scope flag does not reach the host
//   verdict findings
//   require D2 flag_store(store,release,device) flag_load(load,acquire,system) blame=flag_store:system distance=host-device
//   require D3 result_store(store) result_load(load) blame=flag_store:system distance=host-device
//   proof P4 S3 D2 D3
// variant relaxed -fscopesan-host -DQUERY -DORDER=cuda::memory_order_relaxed -DRACY=2
//   verdict findings
//   require D1 result_store(store) result_load(load) distance=host-device
//   may-advise unordered-strong
//   proof S1 D1
// variant no_query -fscopesan-host -DRACY=3
//   why nothing promises that the device makes progress while the host only reads; on a GPU the
//   why kernel may be done before the host first looks, and then nobody has waited
//   backends cpu
//   verdict findings
//   require D12 flag_store flag_load
//   proof D12
// variant plain_flag -fscopesan-host -DQUERY -DPLAIN -DRACY=4
//   why the kernel's plain store is no flag
//   verdict findings
//   require D1 flag_store(store,weak) flag_load(load,acquire,system) distance=host-device
//   require D1 result_store(store) result_load(load) distance=host-device
//   proof O1 D1
#include "check.h"

#include <cuda/atomic>

#ifndef SCOPE
#define SCOPE cuda::thread_scope_system
#endif
#ifndef ORDER
#define ORDER cuda::memory_order_release
#endif

struct Mail {
  int flag, result;
};

__global__ void produce(Mail *mail) {
  mail->result = 42; // @result_store
#ifdef PLAIN
  mail->flag = 1; // @flag_store
#else
  cuda::atomic_ref<int, SCOPE>(mail->flag).store(1, ORDER); // @flag_store
#endif
}

int main() {
  Mail *mail = nullptr;
  CHECK(cudaHostAlloc(&mail, sizeof(Mail), cudaHostAllocMapped));
  mail->flag = mail->result = 0;
  cudaStream_t stream, other;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  produce<<<1, 1, 0, stream>>>(mail);
  CHECK(cudaGetLastError());
  cuda::atomic_ref<int, cuda::thread_scope_system> flag(mail->flag);
  while (flag.load(cuda::memory_order_acquire) == 0) { // @flag_load
#ifdef QUERY
    CHECK(cudaStreamQuery(other)); // of nothing: it promises progress and orders nothing
#endif
  }
  bool right = mail->result == 42; // @result_load
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(other));
  CHECK(cudaFreeHost(mail));
  return verdict(right);
}

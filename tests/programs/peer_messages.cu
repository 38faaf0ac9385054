// scopesan-test: message passing between two devices: data and flag lie on the first one
//
// variant system_scope
//   options --devices=2
//   why system scope reaches the other device
//   verdict clean
//   may-advise progress-not-promised
//   backends cpu
//   proof P4 S3
// variant device_scope_flag -DSTORE_SCOPE=cuda::thread_scope_device -DLOAD_SCOPE=cuda::thread_scope_device -DRACY=1
//   options --devices=2
//   why device scope ends at the device
//   verdict findings
//   require D2 flag_store flag_load blame=flag_store:system,flag_load:system
//   require D3 data_store data_load blame=flag_store:system,flag_load:system
//   may-advise progress-not-promised
//   backends cpu
//   proof P4 S3 D2 D3
// variant narrow_load -DLOAD_SCOPE=cuda::thread_scope_device -DRACY=2
//   label full
//   options --devices=2
//   verdict findings
//   require D2 flag_store flag_load blame=flag_load:system
//   require D3 data_store data_load blame=flag_load:system
//   may-advise progress-not-promised
//   backends cpu
//   proof P4 S3 D2 D3
// variant fences -DFENCES=__threadfence_system
//   label full
//   options --devices=2
//   verdict clean
//   may-advise progress-not-promised
//   backends cpu
//   proof S1 S2 S3
// variant narrow_fences -DFENCES=__threadfence -DRACY=3
//   options --devices=2
//   why a wide flag does not save narrow fences
//   verdict findings
//   require D3 data_store data_load blame=fence_store:system,fence_load:system
//   may-advise progress-not-promised
//   backends cpu
//   proof S3 D3
// variant managed -DMANAGED
//   label full
//   options --devices=2
//   verdict clean
//   may-advise progress-not-promised
//   backends cpu
//   proof P4 S3 D6
#include "check.h"

#include <cuda/atomic>

#ifndef STORE_SCOPE
#define STORE_SCOPE cuda::thread_scope_system
#endif
#ifndef LOAD_SCOPE
#define LOAD_SCOPE cuda::thread_scope_system
#endif

struct Mail {
  int data, flag, received;
};

__global__ void send(Mail *mail) {
  mail->data = 42; // @data_store
  cuda::atomic_ref<int, STORE_SCOPE> flag(mail->flag);
#ifdef FENCES
  FENCES(); // @fence_store
  flag.store(1, cuda::memory_order_relaxed);
#else
  flag.store(1, cuda::memory_order_release); // @flag_store
#endif
}

__global__ void receive(Mail *mail) {
  cuda::atomic_ref<int, LOAD_SCOPE> flag(mail->flag);
#ifdef FENCES
  while (flag.load(cuda::memory_order_relaxed) == 0)
    ;
  FENCES(); // @fence_load
#else
  while (flag.load(cuda::memory_order_acquire) == 0) // @flag_load
    ;
#endif
  mail->received = mail->data; // @data_load
}

int main() {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    printf("two devices are needed\n");
    return 2;
  }
  Mail *mail = nullptr, out;
  cudaStream_t first, second;
#ifdef MANAGED
  CHECK(cudaMallocManaged(&mail, sizeof(Mail)));
#else
  CHECK(cudaMalloc(&mail, sizeof(Mail)));
#endif
  CHECK(cudaMemset(mail, 0, sizeof(Mail)));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  send<<<1, 1, 0, first>>>(mail);
  CHECK(cudaSetDevice(1));
  CHECK(cudaDeviceEnablePeerAccess(0, 0));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  receive<<<1, 1, 0, second>>>(mail);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(second));
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamSynchronize(first));
  CHECK(cudaMemcpy(&out, mail, sizeof(Mail), cudaMemcpyDefault));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFree(mail));
  return verdict(out.received == 42);
}

// scopesan-test: memory-synchronization domains: the compute and communication kernels of the guide
//
// The first kernel computes, the second one, on another stream, sends what is ready. Between domains
// of one device the flag needs system scope.
//
// variant one_domain
//   why without attributes both kernels are in domain 0, where device scope suffices
//   verdict clean
//   may-advise progress-not-promised
//   proof P6 S3
// variant system_scope -DREMOTE -DSCOPE=cuda::thread_scope_system
//   why system scope orders domains
//   verdict clean
//   may-advise progress-not-promised
//   proof P6 P4 S3
// variant remote_domain -DREMOTE -DRACY=1
//   why the remote domain is mapped to domain 1: device scope does not reach it
//   verdict findings
//   require D4 compute send blame=publish:system,await:system distance=between-domains
//   allow D4 publish await
//   may-advise progress-not-promised
//   proof P6 P4 D4
// variant device_with_one_domain -DREMOTE
//   why on a device with one domain everybody is in it; a GPU's domains cannot be chosen
//   label full
//   backends cpu
//   options --domains=1
//   verdict clean
//   may-advise progress-not-promised
//   proof P6
// variant mapped_together -DREMOTE -DMAP_STREAM=0
//   why the stream maps both logical domains to domain 0
//   verdict clean
//   label full
//   may-advise progress-not-promised
//   proof P6
// variant streams_apart -DMAP_STREAM=2 -DRACY=2
//   why the stream's map puts its kernels into domain 2, whatever their logical domain
//   verdict findings
//   require D4 compute send blame=publish:system,await:system distance=between-domains
//   allow D4 publish await
//   may-advise progress-not-promised
//   proof P6 P4 D4
// variant stream_attribute -DSTREAM_REMOTE -DRACY=3
//   why the launch takes the logical domain of its stream
//   verdict findings
//   require D4 compute send blame=publish:system,await:system distance=between-domains
//   allow D4 publish await
//   may-advise progress-not-promised
//   proof P6 P4 D4
// variant captured -DSTREAM_REMOTE -DCAPTURE -DRACY=4
//   why capture copies the stream's attribute to the node
//   verdict findings
//   label full
//   require D4 compute send blame=publish:system,await:system distance=between-domains
//   allow D4 publish await
//   may-advise progress-not-promised
//   proof P6 P4 D4
// variant graph_ignores_its_stream -DCAPTURE -DSTREAM_REMOTE_LATER
//   why a graph's nodes use their own attributes, not those of the stream it is launched into
//   verdict clean
//   label full
//   may-advise progress-not-promised
//   proof P6
#include "check.h"

#include <cuda/atomic>

#ifndef SCOPE
#define SCOPE cuda::thread_scope_device
#endif

__device__ int payload, sent;
__device__ int ready;

__global__ void computeKernel() {
  payload = 42; // @compute
  cuda::atomic_ref<int, SCOPE>(ready).store(1, cuda::memory_order_release); // @publish
}

__global__ void sendKernel() {
  cuda::atomic_ref<int, SCOPE> flag(ready);
  while (flag.load(cuda::memory_order_acquire) != 1) // @await
    ;
  sent = payload; // @send
}

[[maybe_unused]] static void setDomain(cudaStream_t stream, cudaLaunchMemSyncDomain domain) {
  cudaStreamAttrValue value = {};
  value.memSyncDomain = domain;
  CHECK(cudaStreamSetAttribute(stream, cudaLaunchAttributeMemSyncDomain, &value));
}

static void launchSend(cudaStream_t stream) {
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  config.stream = stream;
  cudaLaunchAttribute attribute[1] = {};
  attribute[0].id = cudaLaunchAttributeMemSyncDomain;
  attribute[0].val.memSyncDomain = cudaLaunchMemSyncDomainRemote;
  config.attrs = attribute;
#ifdef REMOTE
  config.numAttrs = 1;
#endif
  CHECK(cudaLaunchKernelEx(&config, sendKernel));
}

int main() {
  cudaStream_t compute, send;
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&send, cudaStreamNonBlocking));
#ifdef MAP_STREAM
  cudaStreamAttrValue map = {};
  map.memSyncDomainMap.default_ = map.memSyncDomainMap.remote = MAP_STREAM;
  CHECK(cudaStreamSetAttribute(send, cudaLaunchAttributeMemSyncDomainMap, &map));
#endif
#ifdef STREAM_REMOTE
  setDomain(send, cudaLaunchMemSyncDomainRemote);
#endif
#ifdef CAPTURE
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(send, cudaStreamCaptureModeGlobal));
  launchSend(send);
  CHECK(cudaStreamEndCapture(send, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
#ifdef STREAM_REMOTE
  setDomain(send, cudaLaunchMemSyncDomainDefault);
#endif
#endif
#ifdef STREAM_REMOTE_LATER
  setDomain(send, cudaLaunchMemSyncDomainRemote);
#endif
  computeKernel<<<1, 1, 0, compute>>>();
#ifdef CAPTURE
  CHECK(cudaGraphLaunch(exec, send));
#else
  launchSend(send);
#endif
  CHECK(cudaStreamSynchronize(compute));
  CHECK(cudaStreamSynchronize(send));
  int out = 0;
  CHECK(cudaMemcpyFromSymbol(&out, sent, sizeof(out)));
#ifdef CAPTURE
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
#endif
  CHECK(cudaStreamDestroy(compute));
  CHECK(cudaStreamDestroy(send));
  return verdict(out == 42);
}

// Toolkit code that uses mbarriers, asynchronous copies and clusters: everything is modelled.
// RUN: %clang-cuda -O2 -D_CG_CLUSTER_INTRINSICS_AVAILABLE -c %s -o %t.o 2>%t.err && %snapshot %t.o | llvm-dis | FileCheck %s
// RUN: FileCheck --check-prefix=NOTE --allow-empty %s < %t.err
// NOTE-NOT: note: ScopeSan
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_pipeline.h>

namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// CHECK-LABEL: define {{.*}} @_Z7barrierPi
// CHECK: call void @__scopesan_mbarrier_init(
// CHECK: call void @__scopesan_block_barrier_before(
// CHECK: call void @__scopesan_mbarrier_arrive(
// CHECK: call void @__scopesan_mbarrier_wait(
__global__ void barrier(int *data) {
  __shared__ alignas(8) char storage[sizeof(Barrier)];
  Barrier *b = reinterpret_cast<Barrier *>(storage);
  if (threadIdx.x == 0)
    init(b, blockDim.x);
  __syncthreads();
  data[threadIdx.x] = 1;
  b->arrive_and_wait();
  data[threadIdx.x + blockDim.x] = data[threadIdx.x ^ 1];
}

// CHECK-LABEL: define {{.*}} @_Z8pipelinePiPKi
// CHECK: call void @__scopesan_cp_async(ptr {{.*}}, ptr {{.*}}, i32 4, i32 4,
// CHECK: call void @__scopesan_cp_async_commit(
// CHECK: call void @__scopesan_cp_async_wait(i32 0,
__global__ void pipeline(int *out, const int *in) {
  __shared__ int tile[256];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

// CHECK-LABEL: define {{.*}} @_Z4bulkPiPKi
// CHECK: call void @__scopesan_fence(
// CHECK: call void @__scopesan_bulk_copy(
// CHECK: call void @__scopesan_mbarrier_arrive(ptr {{.*}}, i32 1, i32 1024, i32 0,
// CHECK: call void @__scopesan_mbarrier_wait(
// CHECK: call void @__scopesan_proxy_fence(i32 0, i32 2,
// CHECK: call void @__scopesan_bulk_copy(ptr {{.*}}, ptr {{.*}}, i64 1024, ptr null,
// CHECK: call void @__scopesan_bulk_commit(
// CHECK: call void @__scopesan_bulk_wait(i32 0, i32 1,
__global__ void bulk(int *out, const int *in) {
  __shared__ alignas(16) int tile[256];
  __shared__ alignas(8) uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof(tile), &bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                   sizeof(tile));
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&bar, 0))
    ;
  tile[threadIdx.x] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof(tile));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}

// CHECK-LABEL: define {{.*}} @_Z7clusterPi
// CHECK: call void @__scopesan_cluster_arrive(i32 0,
// CHECK: call void @__scopesan_cluster_wait(
// CHECK: call void @__scopesan_read(
// CHECK: call void @__scopesan_cluster_arrive(
// CHECK: call void @__scopesan_cluster_wait(
__global__ void __cluster_dims__(2, 1, 1) cluster(int *out) {
  __shared__ int value;
  auto c = cooperative_groups::this_cluster();
  if (threadIdx.x == 0)
    value = c.block_rank();
  c.sync();
  out[blockIdx.x] = *c.map_shared_rank(&value, c.block_rank() ^ 1);
  c.sync();
}

// clang with the plugin, down to the object file, at every level of optimization.
// RUN: %clang-cuda -O0 -c %s -o %t.O0.o && %snapshot %t.O0.o | llvm-dis | FileCheck --check-prefix=ANY %s
// RUN: %clang-cuda -O1 -g -c %s -o %t.O1.o && %snapshot %t.O1.o | llvm-dis | FileCheck %s
// RUN: %clang-cuda -O3 -Werror -c %s -o %t.O3.o && %snapshot %t.O3.o | llvm-dis | FileCheck --check-prefix=ANY %s
// RUN: %clang-cuda -O2 -fgpu-rdc -c %s -o %t.rdc.o && %snapshot %t.rdc.o | llvm-dis | FileCheck --check-prefix=ANY %s
// fatbinary compresses debug images unless told otherwise.
// RUN: %clang-cuda -O0 -g -Xcuda-fatbinary --compress=false -c %s -o %t.g.o && %snapshot %t.g.o | llvm-dis | FileCheck --check-prefix=ANY %s
// ANY: @__scopesan_module =
// ANY: call void @__scopesan_atomic_before
// RUN: %clang-cuda -O1 -g --cuda-device-only -S %s -o %t.s -mllvm -scopesan-gpu=0 -mllvm -scopesan-emit-instrumented=%t.ll
// RUN: FileCheck --check-prefix=PTX %s < %t.s
// RUN: FileCheck %s < %t.ll
#include <cuda/atomic>
#include <cooperative_groups.h>

using Flag = cuda::atomic<int, cuda::thread_scope_device>;

// The code for the GPU is plain with -scopesan-gpu=0, except that atomicCAS is what nvcc emits.
// PTX-NOT: call{{.*}}__scopesan
// PTX-LABEL: .entry _Z6legacyPi(
// PTX-NOT: fence.sc
// PTX: atom.relaxed.gpu.{{(global.)?}}cas.b32
// CHECK-LABEL: define {{.*}}@_Z6legacyPi
// Both lie in toolkit headers: bit 19.
// CHECK: call void @__scopesan_atomic_before(ptr %{{.*}}, i32 4, i32 2622227,
// CHECK: call void @__scopesan_atomic_before(ptr %{{.*}}, i32 4, i32 2621714,
__global__ void legacy(int *p) {
  atomicCAS(p, 1, 2);
  atomicAdd_block(p, 1);
}

// Meant seq_cst: stays.
// PTX-LABEL: .entry _Z7writtenPiS_(
// PTX: fence.sc.sys;
// PTX: atom.acquire.sys.{{(global.)?}}cas.b32
// CHECK-LABEL: define {{.*}}@_Z7writtenPiS_
// CHECK: call void @__scopesan_fence(i32 1109,
// CHECK: cmpxchg ptr {{.*}} seq_cst seq_cst
__global__ void written(int *p, int *ok) {
  int e = 1;
  *ok = __atomic_compare_exchange_n(p, &e, 2, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

// CHECK-LABEL: define {{.*}}@_Z7messagePi{{.*}}(
// CHECK: call void @__scopesan_write(
// CHECK: call void @__scopesan_atomic_before(ptr %{{.*}}, i32 4, i32 2622257,
// The load is its loop's only way out: bit 26.
// CHECK: call void @__scopesan_atomic_before(ptr %{{.*}}, i32 4, i32 69731104,
// CHECK: call void @__scopesan_read(
__global__ void message(int *data, Flag *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 42;
    flag->store(1, cuda::memory_order_release);
  } else {
    while (flag->load(cuda::memory_order_acquire) == 0) {
    }
    *out = *data;
  }
}

// CHECK-LABEL: define {{.*}}@_Z4gridPi
// CHECK: call void @__scopesan_block_barrier_before(i32 0, i32 0, i32 0,
// CHECK-NOT: call void @__scopesan_unmodelled
// CHECK: ret void
__global__ void grid(int *p) {
  auto g = cooperative_groups::this_grid();
  p[g.thread_rank()] = 1;
  g.sync();
  p[g.size() - 1 - g.thread_rank()]++;
}

// The front-end plugin takes default constructors of __shared__ objects, and nothing more.
// RUN: %clang-front -fsyntax-only %s
// RUN: %clang-front -O0 --cuda-device-only -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %clang-front -fsyntax-only -DREJECTED %s 2>&1 | FileCheck --check-prefix=ERROR %s
// CHECK: @_ZZ6kernelPiE1b = internal addrspace(3) global %struct.Body undef
// CHECK: @_ZZ6nestedI4BodyEvPT_E1b = linkonce_odr {{.*}}addrspace(3) global [2 x %struct.Body] undef
// CHECK-NOT: = {{.*}}alias {{.*}}@_ZZ
// CHECK-NOT: call {{.*}}@_ZN4BodyC
struct Body {
  int value;
  __device__ Body() { value = 5; }
};
struct Argument {
  int value;
  __device__ Argument(int v) : value(v) {}
};
struct Deleted {
  Deleted() = delete;
};

__global__ void kernel(int *out) {
  __shared__ Body b;
  __shared__ int plain[3];
  b.value = plain[threadIdx.x] = *out;
  __syncthreads();
  *out = b.value + plain[0];
#ifdef REJECTED
  // ERROR: [[#@LINE+1]]:{{.*}}error: initialization is not supported
  __shared__ int written = 3;
  // ERROR: [[#@LINE+1]]:{{.*}}error: initialization is not supported
  __shared__ Argument given(3);
  // ERROR: [[#@LINE+1]]:{{.*}}error: no matching constructor
  __shared__ Argument none;
  // ERROR: [[#@LINE+1]]:{{.*}}error: call to deleted constructor
  __shared__ Deleted deleted;
#endif
}

template <typename T> __global__ void nested(T *out) {
  __shared__ T b[2];
  b[threadIdx.x] = *out;
  __syncthreads();
  *out = b[1];
}
template __global__ void nested<Body>(Body *);

#ifdef REJECTED
// ERROR: [[#@LINE+1]]:{{.*}}error: initialization is not supported
__shared__ Body outside;
#endif

// scopesan-compat: code that asks for nvcc's version and then uses its built-in atomics
// plain (no nvcc|__nv_atomic)
// flags -std=c++17
#include "check.h"

#if !defined(__CUDACC_VER_MAJOR__) || !defined(__CUDACC_VER_MINOR__) ||                            \
    !defined(__CUDACC_VER_BUILD__)
#error "no nvcc"
#elif __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1208

__global__ void message(int *data, unsigned *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __nv_atomic_store_n(flag, 1u, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  } else {
    while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0)
      ;
    *out = *data;
  }
}

struct alignas(16) Wide {
  unsigned long long low, high;
};

template <typename T> __device__ T count(T *cell, T value) {
  __nv_atomic_add(cell, value, __NV_ATOMIC_RELAXED);
  return __nv_atomic_fetch_add(cell, value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
}

__global__ void operations(int *i, unsigned long long *u, float *f, Wide *wide, bool *same) {
  count(i, 2);
  count(u, 3ull);
  count(f, 0.5f);
  __nv_atomic_fetch_sub(i, 1, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_or(u, 64ull, __NV_ATOMIC_ACQ_REL);
  __nv_atomic_fetch_max(i, 100, __NV_ATOMIC_RELAXED);
  unsigned long long expected = 5;
  same[0] = __nv_atomic_compare_exchange_n(u, &expected, 1ull, false, __NV_ATOMIC_RELAXED,
                                           __NV_ATOMIC_RELAXED);
  same[1] = __nv_atomic_compare_exchange_n(u, &expected, 1ull, false, __NV_ATOMIC_ACQUIRE,
                                           __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
  Wide next{8, 9};
  __nv_atomic_exchange(wide, &next, wide + 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_load(wide, wide + 2, __NV_ATOMIC_ACQUIRE);
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_BLOCK);
}
#endif

template <typename T> T *managed(size_t count) {
  T *p;
  CHECK(cudaMallocManaged(&p, count * sizeof(T)));
  memset((void *)p, 0, count * sizeof(T));
  return p;
}

int main() {
  int *cells = managed<int>(3);
  message<<<2, 1>>>(cells, (unsigned *)(cells + 1), cells + 2);
  int *i = managed<int>(1);
  auto *u = managed<unsigned long long>(1);
  float *f = managed<float>(1);
  Wide *wide = managed<Wide>(3);
  bool *same = managed<bool>(2);
  operations<<<1, 1>>>(i, u, f, wide, same);
  CHECK(cudaDeviceSynchronize());
  bool right = cells[2] == 42 && *i == 100 && *u == 1 && *f == 1.0f && !same[0] && same[1];
  return verdict(right && wide[0].high == 9 && wide[1].low == 0 && wide[2].low == 8);
}

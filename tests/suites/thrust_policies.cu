// scopesan-test: Thrust with streams, par_nosync, allocators, universal and pinned vectors, and in a kernel
//
// variant all -Xarch_host -O0
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S8
//   args --sizes=0,1,33,257,1000,4099
#include "suite.h"

#include <map>
#include <thrust/device_delete.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_new.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/logical.h>
#include <thrust/mr/allocator.h>
#include <thrust/mr/pool.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/memory_resource.h>
#include <thrust/transform.h>
#include <thrust/universal_vector.h>

namespace thrust_policies {
template <class T> std::vector<T> host(const thrust::device_vector<T> &v) {
  thrust::host_vector<T> h = v;
  return std::vector<T>(h.begin(), h.end());
}

struct Cache {
  using value_type = char;
  std::multimap<std::ptrdiff_t, char *> free;
  std::map<char *, std::ptrdiff_t> used;
  int hits = 0;
  ~Cache() {
    for (auto &p : free)
      cudaFree(p.second);
    for (auto &p : used)
      cudaFree(p.first);
  }
  char *allocate(std::ptrdiff_t b) {
    auto i = free.find(b);
    char *r;
    if (i != free.end()) {
      r = i->second;
      free.erase(i);
      ++hits;
    } else
      CHECK(cudaMalloc(&r, b ? b : 1));
    used[r] = b;
    return r;
  }
  void deallocate(char *p, size_t) {
    auto i = used.find(p);
    free.insert({i->second, p});
    used.erase(i);
  }
};

SUITE_TEST(cachedAllocator) {
  Cache c;
  auto a = suite::values(n, 1000);
  auto w = a;
  std::sort(w.begin(), w.end());
  for (int r = 0; r < 3; ++r) {
    thrust::device_vector<int> d(a.begin(), a.end());
    thrust::sort(thrust::cuda::par(c), d.begin(), d.end());
    EXPECT(host(d) == w);
  }
  EXPECT(n < 2 || c.hits > 0);
}

SUITE_TEST(twoStreams) {
  cudaStream_t s, t;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  auto a = suite::values(n, 1000);
  thrust::device_vector<int> d(a.begin(), a.end()), e(n);
  CHECK(cudaDeviceSynchronize());
  cudaEvent_t ev;
  CHECK(cudaEventCreate(&ev));
  thrust::inclusive_scan(thrust::cuda::par.on(s), d.begin(), d.end(), e.begin());
  CHECK(cudaEventRecord(ev, s));
  CHECK(cudaStreamWaitEvent(t, ev));
  thrust::transform(thrust::cuda::par_nosync.on(t), e.begin(), e.end(), e.begin(),
                    [] __device__(int x) { return x + 1; });
  CHECK(cudaStreamSynchronize(t));
  auto h = host(e);
  int r = 1;
  for (int i = 0; i < n; ++i) {
    r += a[i];
    EXPECT(h[i] == r);
  }
  CHECK(cudaStreamDestroy(s));
  CHECK(cudaStreamDestroy(t));
  CHECK(cudaEventDestroy(ev));
}

SUITE_TEST(parNosync) {
  thrust::device_vector<int> d(n), e(n);
  auto p = thrust::cuda::par_nosync;
  thrust::sequence(p, d.begin(), d.end());
  thrust::transform(p, d.begin(), d.end(), e.begin(), thrust::negate<int>());
  thrust::for_each(p, e.begin(), e.end(), [] __device__(int &x) { x -= 1; });
  thrust::exclusive_scan(p, e.begin(), e.end(), d.begin());
  CHECK(cudaDeviceSynchronize());
  auto h = host(d);
  int s = 0;
  for (int i = 0; i < n; ++i) {
    EXPECT(h[i] == s);
    s += -i - 1;
  }
}

SUITE_TEST(universalVector) {
  thrust::universal_vector<int> u(n);
  for (int i = 0; i < n; ++i)
    u[i] = i * 3 % 101;
  thrust::sort(thrust::device, u.begin(), u.end());
  CHECK(cudaDeviceSynchronize());
  for (int i = 1; i < n; ++i)
    EXPECT(u[i - 1] <= u[i]);
  int s = thrust::reduce(thrust::device, u.begin(), u.end());
  int w = 0;
  for (int i = 0; i < n; ++i)
    w += u[i];
  EXPECT(s == w);
}

SUITE_TEST(rawMemory) {
  auto p = thrust::device_malloc<int>(n + 1);
  thrust::fill(p, p + n, 5);
  thrust::sequence(p, p + n / 2);
  EXPECT(thrust::reduce(p, p + n) == n / 2 * (n / 2 - 1) / 2 + 5 * (n - n / 2));
  thrust::device_free(p);
  auto q = thrust::device_new<float>(n + 1);
  q[0] = 2.5f;
  EXPECT(q[0] == 2.5f);
  thrust::device_delete(q);
  int *raw;
  CHECK(cudaMalloc(&raw, (n + 1) * sizeof(int)));
  thrust::device_ptr<int> dp(raw);
  thrust::fill(dp, dp + n, 1);
  EXPECT(thrust::all_of(thrust::device, raw, raw + n, [] __device__(int x) { return x == 1; }));
  CHECK(cudaFree(raw));
}

SUITE_TEST(poolResource) {
  thrust::cuda::memory_resource up;
  thrust::mr::unsynchronized_pool_resource<thrust::cuda::memory_resource> pool(&up);
  using A = thrust::mr::allocator<int, decltype(pool)>;
  for (int r = 0; r < 3; ++r) {
    thrust::device_vector<int, A> v(n, A(&pool));
    thrust::sequence(v.begin(), v.end(), r);
    EXPECT(thrust::reduce(v.begin(), v.end()) == n * (n - 1) / 2 + r * n);
  }
}

SUITE_TEST(hostVectors) {
  thrust::host_vector<double> h(n);
  for (int i = 0; i < n; ++i)
    h[i] = i * 0.5;
  thrust::device_vector<float> f = h;
  thrust::host_vector<float> b = f;
  for (int i = 0; i < n; ++i)
    EXPECT(b[i] == i * 0.5f);
  thrust::device_vector<float> g(f), k;
  k = g;
  k.swap(f);
  EXPECT(k == g);
  std::vector<float> sv(n);
  thrust::copy(k.begin(), k.end(), sv.begin());
  thrust::copy_n(sv.begin(), n, k.begin());
  thrust::universal_host_pinned_vector<int> pin(n, 4);
  thrust::device_vector<int> d(n);
  thrust::copy(pin.begin(), pin.end(), d.begin());
  EXPECT(thrust::reduce(d.begin(), d.end()) == 4 * n);
}

__global__ void child(int *o, int n) {
  if (threadIdx.x == 0) {
    thrust::for_each_n(thrust::seq, o, n, [](int &x) { x += 5; });
    int s = thrust::reduce(thrust::seq, o, o + n);
    thrust::sort(thrust::seq, o, o + n, thrust::greater<int>());
    o[n] = s;
  }
}

SUITE_TEST(seqInKernel) {
  thrust::device_vector<int> d(n + 1);
  thrust::sequence(d.begin(), d.end());
  child<<<1, 32>>>(thrust::raw_pointer_cast(d.data()), n);
  CHECK(cudaDeviceSynchronize());
  EXPECT(d[n] == n * (n - 1) / 2 + 5 * n);
  EXPECT(!n || d[0] == n + 4);
}
} // namespace thrust_policies

// scopesan-test: Thrust: policies with streams and allocators, asynchronous vectors, universal vectors, memory resources, device_new
//
// variant all -Xarch_host -O0
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S8 S14
//   args --sizes=0,1,33,257,1000,4099
#include "suite.h"

#include <map>
#include <thrust/device_vector.h>
#include <thrust/device_delete.h>
#include <thrust/device_make_unique.h>
#include <thrust/device_new.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/mr/allocator.h>
#include <thrust/mr/device_memory_resource.h>
#include <thrust/mr/disjoint_pool.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/vector.h>
#include <thrust/transform.h>
#include <thrust/universal_vector.h>

namespace thrust_policies {
using H = std::vector<int>;

/// Keeps freed blocks and gives them again, as programs do that sort in a loop.
struct CachingAllocator {
  using value_type = char;
  std::multimap<ptrdiff_t, char *> kept;
  std::map<char *, ptrdiff_t> given;

  char *allocate(ptrdiff_t bytes) {
    char *block;
    auto found = kept.lower_bound(bytes);
    if (found != kept.end() && found->first <= 2 * bytes) {
      block = found->second;
      bytes = found->first;
      kept.erase(found);
    } else {
      CHECK(cudaMalloc(&block, bytes));
    }
    given[block] = bytes;
    return block;
  }
  void deallocate(char *block, size_t) {
    kept.emplace(given[block], block);
    given.erase(block);
  }
  ~CachingAllocator() {
    for (auto &k : kept)
      cudaFree(k.second);
  }
};

SUITE_TEST(ownStream) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    H in = suite::values(n, 1000), right = in;
    thrust::device_vector<int> data(in.begin(), in.end());
    CHECK(cudaDeviceSynchronize()); // the vector was filled in another stream
    thrust::transform(thrust::cuda::par.on(stream), data.begin(), data.end(), data.begin(),
                      [] __device__(int x) { return x + 1; });
    thrust::sort(thrust::cuda::par.on(stream), data.begin(), data.end());
    int sum = thrust::reduce(thrust::cuda::par.on(stream), data.begin(), data.end());
    for (int &v : right)
      ++v;
    std::sort(right.begin(), right.end());
    EXPECT(sum == std::accumulate(right.begin(), right.end(), 0));
    H got(n);
    CHECK(cudaMemcpyAsync(got.data(), thrust::raw_pointer_cast(data.data()), n * sizeof(int),
                          cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(got == right);
  }
  CHECK(cudaStreamDestroy(stream));
}

SUITE_TEST(noSynchronization) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  {
    thrust::device_vector<int> data(n);
    int *raw = thrust::raw_pointer_cast(data.data());
    auto policy = thrust::cuda::par_nosync.on(stream);
    thrust::for_each_n(policy, thrust::counting_iterator<int>(0), n,
                       [raw] __device__(int i) { raw[i] = i; });
    thrust::inclusive_scan(policy, data.begin(), data.end(), data.begin());
    CHECK(cudaStreamSynchronize(stream));
    thrust::host_vector<int> got = data;
    for (int i = 0; i < n; ++i)
      EXPECT(got[i] == i * (i + 1) / 2);
  }
  CHECK(cudaStreamDestroy(stream));
}

SUITE_TEST(ownAllocator) {
  CachingAllocator cache;
  for (int round = 0; round < 3; ++round) {
    H in = suite::values(n, 1000, round);
    thrust::device_vector<int> data(in.begin(), in.end());
    thrust::stable_sort(thrust::cuda::par(cache), data.begin(), data.end());
    int last = thrust::reduce(thrust::cuda::par(cache), data.begin(), data.end(), 0,
                              thrust::maximum<int>());
    std::sort(in.begin(), in.end());
    thrust::host_vector<int> got = data;
    EXPECT(H(got.begin(), got.end()) == in);
    EXPECT(last == (n ? in.back() : 0));
  }
  EXPECT(cache.given.empty());
}

SUITE_TEST(rawPointers) {
  H in = suite::values(n, 1000), right = in;
  suite::Device<int> data(in);
  thrust::sort(thrust::device, data.get(), data.get() + n, thrust::greater<int>());
  std::sort(right.begin(), right.end(), std::greater<>());
  EXPECT(data.host() == right);
  EXPECT(thrust::reduce(thrust::device_pointer_cast(data.get()),
                        thrust::device_pointer_cast(data.get() + n)) ==
         std::accumulate(in.begin(), in.end(), 0));
}

SUITE_TEST(universalVector) {
  thrust::universal_vector<int> data(n);
  for (int i = 0; i < n; ++i)
    data[i] = i % 10;
  int sum = thrust::reduce(thrust::device, data.begin(), data.end());
  int right = 0;
  for (int i = 0; i < n; ++i)
    right += data[i];
  EXPECT(sum == right);
}

SUITE_TEST(pooledResource) {
  using Pointer = thrust::device_ptr<void>;
  thrust::mr::new_delete_resource onHost;
  thrust::device_ptr_memory_resource<thrust::device_memory_resource> onDevice;
  thrust::mr::disjoint_unsynchronized_pool_resource<decltype(onDevice), decltype(onHost)> pool(
      &onDevice, &onHost);
  using Allocator = thrust::mr::allocator<int, decltype(pool)>;
  static_assert(std::is_same_v<typename Allocator::void_pointer, Pointer>);
  for (int round = 0; round < 3; ++round) {
    thrust::device_vector<int, Allocator> data(n, round, Allocator(&pool));
    EXPECT(thrust::reduce(data.begin(), data.end()) == n * round);
  }
}

SUITE_TEST(asynchronousVector) {
  H in = suite::values(n, 1000);
  thrust::device_vector<int> a(in.begin(), in.end()), b;
  b = a;
  a.resize(n + 10, 4);
  a.insert(a.begin(), 3, 9);
  b.assign(a.begin(), a.end());
  a.clear();
  a.shrink_to_fit();
  EXPECT(int(b.size()) == n + 13);
  in.insert(in.begin(), 3, 9);
  in.resize(n + 13, 4);
  thrust::host_vector<int> got = b;
  EXPECT(H(got.begin(), got.end()) == in);
}

SUITE_TEST(builtOnTheDevice) {
  auto one = thrust::device_make_unique<int>(n);
  EXPECT(int(*one.get()) == n);
  thrust::device_ptr<int> some = thrust::device_new<int>(thrust::device_malloc<int>(4), n, 4);
  EXPECT(int(some[3]) == n);
  thrust::device_delete(some, 4);
}
} // namespace thrust_policies

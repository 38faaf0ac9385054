// scopesan-test: CUB with wide, narrow, floating and structured items
//
// variant all -Xarch_host -O0
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S8 S14
#include "suite.h"

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda_fp16.h>

namespace cub_types {

/// 24 bytes: no atomic or vector access has this size.
struct Sample {
  double weight;
  int64_t count;
  short tag;
  __host__ __device__ Sample(int v = 0) : weight(v), count(v * 3ll), tag(short(v % 100)) {}
  __host__ __device__ bool operator==(const Sample &o) const {
    return weight == o.weight && count == o.count && tag == o.tag;
  }
};
struct Join {
  __host__ __device__ Sample operator()(const Sample &a, const Sample &b) const {
    Sample result(0);
    result.weight = a.weight + b.weight;
    result.count = a.count + b.count;
    result.tag = a.tag > b.tag ? a.tag : b.tag;
    return result;
  }
};
struct IsOdd {
  template <class T> __host__ __device__ bool operator()(const T &v) const {
    return (long long)(v) % 2 != 0;
  }
  __host__ __device__ bool operator()(const Sample &v) const { return v.tag % 2 != 0; }
  __host__ __device__ bool operator()(__half v) const { return (int)__half2float(v) % 2 != 0; }
};

template <class T> std::vector<T> samples(int n, int below) {
  std::vector<T> result;
  for (int v : suite::values(n, below))
    result.push_back(T(v));
  return result;
}
bool same(const __half &a, const __half &b) { return __half2float(a) == __half2float(b); }
template <class T> bool same(const T &a, const T &b) { return a == b; }
template <class T> bool same(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](const T &x, const T &y) { return same(x, y); });
}

template <class T, class Operation> void checkScan(int n, T start, Operation operation) {
  std::vector<T> in = samples<T>(n, 50), right;
  suite::Device<T> data(in), out(n);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceScan::ExclusiveScan(s, bytes, data.get(), out.get(), operation, start, n);
  });
  T sum = start;
  for (const T &v : in) {
    right.push_back(sum);
    sum = operation(sum, v);
  }
  EXPECT(same(out.host(n), right));
}
SUITE_TEST(typesScanDouble) { checkScan<double>(n, 0.5, cuda::std::plus<double>()); }
SUITE_TEST(typesScanSample) { checkScan<Sample>(n, Sample(0), Join()); }

template <class T> void checkSelect(int n) {
  std::vector<T> in = samples<T>(n, 90), right;
  suite::Device<T> data(in), out(n);
  suite::Device<int> count(1);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceSelect::If(s, bytes, data.get(), out.get(), count.get(), n, IsOdd());
  });
  std::copy_if(in.begin(), in.end(), std::back_inserter(right), IsOdd());
  EXPECT(count.host()[0] == int(right.size()));
  EXPECT(same(out.host(right.size()), right));
}
SUITE_TEST(typesSelectHalf) { checkSelect<__half>(n); }

SUITE_TEST(typesReduceSample) {
  std::vector<Sample> in = samples<Sample>(n, 50);
  suite::Device<Sample> data(in), total(1);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceReduce::Reduce(s, bytes, data.get(), total.get(), n, Join(), Sample(1));
  });
  EXPECT(same(total.host()[0], std::accumulate(in.begin(), in.end(), Sample(1), Join())));
}

SUITE_TEST(typesSortLong) {
  std::vector<int64_t> in = samples<int64_t>(n, 2000);
  for (int64_t &v : in)
    v = (v - 1000) * (1ll << 40) + v;
  suite::Device<int64_t> data(in), out(n);
  suite::withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceRadixSort::SortKeys(s, bytes, data.get(), out.get(), n);
  });
  std::sort(in.begin(), in.end());
  EXPECT(same(out.host(n), in));
}

/// One block: reduces, scans and sorts; the storage is used again after a barrier.
template <class T, int Threads> __global__ void inBlock(const T *in, T *out, T *sorted) {
  using Reduce = cub::BlockReduce<T, Threads>;
  using Scan = cub::BlockScan<T, Threads>;
  using Sort = cub::BlockRadixSort<T, Threads, 2>;
  __shared__ union Storage {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
  } storage;
  T mine[2] = {in[threadIdx.x * 2], in[threadIdx.x * 2 + 1]}, upTo[2];
  T sum = Reduce(storage.reduce).Sum(mine);
  __syncthreads();
  Scan(storage.scan).InclusiveSum(mine, upTo);
  __syncthreads();
  Sort(storage.sort).Sort(mine);
  for (int i = 0; i < 2; ++i) {
    out[threadIdx.x * 2 + i] = upTo[i];
    sorted[threadIdx.x * 2 + i] = mine[i];
  }
  if (threadIdx.x == 0)
    out[Threads * 2] = sum;
}
template <class T, int Threads> void checkBlock() {
  std::vector<T> in = samples<T>(Threads * 2, 300);
  suite::Device<T> data(in), out(Threads * 2 + 1), sorted(Threads * 2);
  inBlock<T, Threads><<<1, Threads>>>(data.get(), out.get(), sorted.get());
  std::vector<T> right(in.size());
  std::partial_sum(in.begin(), in.end(), right.begin());
  right.push_back(right.back());
  EXPECT(out.host() == right);
  std::sort(in.begin(), in.end());
  EXPECT(sorted.host() == in);
}
SUITE_TEST(typesInBlock) {
  if (n > 1)
    return;
  checkBlock<double, 33>();
}

} // namespace cub_types

// scopesan-test: CUB: radix sort of other key types, bit ranges and buffers; segmented sort, radix sort and reduction; merge sort of records
//
// variant all -Xarch_host -O0
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S14
//   args --sizes=0,1,33,257,1000,4099
#include "suite.h"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cuda/std/tuple>

namespace cub_device_sorts {
using suite::withStorage;

constexpr int MaxMergedItems = 256 * 9; // one tile of cub::DeviceMergeSort, 8-byte keys

/// Offsets of segments whose lengths run from nothing to more than a block sorts at once.
std::vector<int> segments(int n) {
  std::vector<int> offsets = {0};
  for (int i = 0, length; offsets.back() < n; ++i) {
    length = i % 5 == 4 ? 700 : i % 5 == 3 ? 90 : (i * 7) % 20;
    offsets.push_back(std::min(n, offsets.back() + length));
  }
  return offsets;
}

template <class T> void radixOfType(int n, bool descending) {
  std::vector<T> in = suite::values<T>(n, 1 << 20);
  for (int i = 0; i < n; i += 3)
    in[i] = T(-in[i]); // negative, or large
  suite::Device<T> data(in), out(n);
  withStorage([&](void *s, size_t &bytes) {
    return descending
               ? cub::DeviceRadixSort::SortKeysDescending(s, bytes, data.get(), out.get(), n)
               : cub::DeviceRadixSort::SortKeys(s, bytes, data.get(), out.get(), n);
  });
  if (descending)
    std::sort(in.begin(), in.end(), std::greater<>());
  else
    std::sort(in.begin(), in.end());
  EXPECT(out.host() == in);
}

SUITE_TEST(radixSortDouble) { radixOfType<double>(n, false); }
SUITE_TEST(radixSortUnsigned16) { radixOfType<unsigned short>(n, true); }
SUITE_TEST(radixSortSigned64) { radixOfType<long long>(n, false); }

SUITE_TEST(radixSortBitsAndDoubleBuffer) {
  std::vector<uint32_t> keys = suite::values<uint32_t>(n, 1 << 20), sorted;
  std::vector<short> payload(n);
  std::iota(payload.begin(), payload.end(), short(0));
  suite::Device<uint32_t> k(keys), other(n);
  suite::Device<short> v(payload), otherPayload(n);
  cub::DoubleBuffer<uint32_t> keyBuffers(k.get(), other.get());
  cub::DoubleBuffer<short> payloadBuffers(v.get(), otherPayload.get());
  withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceRadixSort::SortPairs(s, bytes, keyBuffers, payloadBuffers, n, 4, 13);
  });
  auto digit = [](uint32_t key) { return (key >> 4) & 0x1ff; };
  std::vector<short> order = payload;
  std::stable_sort(order.begin(), order.end(), [&](short a, short b) {
    return digit(keys[(uint16_t)a]) < digit(keys[(uint16_t)b]);
  });
  for (short i : order)
    sorted.push_back(keys[(uint16_t)i]);
  EXPECT((keyBuffers.Current() == k.get() ? k.host() : other.host()) == sorted);
  EXPECT((payloadBuffers.Current() == v.get() ? v.host() : otherPayload.host()) == order);
}

struct Record {
  float weight;
  uint16_t kind;
};
struct KindThenWeight {
  __host__ __device__ ::cuda::std::tuple<uint16_t &, float &> operator()(Record &r) const {
    return {r.kind, r.weight};
  }
};

SUITE_TEST(radixSortOfRecords) {
  if (n > 1000)
    return;
  std::vector<int> kinds = suite::values(n, 5), weights = suite::values(n, 1000, 1);
  std::vector<Record> in(n);
  for (int i = 0; i < n; ++i)
    in[i] = {float(weights[i]), uint16_t(kinds[i])};
  suite::Device<Record> data(in), out(n);
  withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceRadixSort::SortKeys(s, bytes, data.get(), out.get(), n, KindThenWeight());
  });
  auto key = [](const Record &r) { return std::pair(r.kind, r.weight); };
  std::stable_sort(in.begin(), in.end(),
                   [&](const Record &a, const Record &b) { return key(a) < key(b); });
  std::vector<Record> got = out.host();
  for (int i = 0; i < n; ++i)
    EXPECT(key(got[i]) == key(in[i]));
}

SUITE_TEST(segmentedSort) {
  std::vector<int> in = suite::values(n, 500), offsets = segments(n), right = in;
  int count = int(offsets.size()) - 1;
  suite::Device<int> data(in), out(n), bounds(offsets);
  withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceSegmentedSort::SortKeys(s, bytes, data.get(), out.get(), n, count,
                                              bounds.get(), bounds.get() + 1);
  });
  for (int i = 0; i < count; ++i)
    std::sort(right.begin() + offsets[i], right.begin() + offsets[i + 1]);
  EXPECT(out.host() == right);
}

SUITE_TEST(segmentedRadixSortPairs) {
  std::vector<int> in = suite::values(n, 500), offsets = segments(n), payload(n);
  std::iota(payload.begin(), payload.end(), 0);
  int count = int(offsets.size()) - 1;
  suite::Device<int> data(in), out(n), bounds(offsets), v(payload), outV(n);
  withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceSegmentedRadixSort::SortPairs(s, bytes, data.get(), out.get(), v.get(),
                                                    outV.get(), n, count, bounds.get(),
                                                    bounds.get() + 1);
  });
  std::vector<int> order = payload, sorted;
  for (int i = 0; i < count; ++i)
    std::stable_sort(order.begin() + offsets[i], order.begin() + offsets[i + 1],
                     [&](int a, int b) { return in[a] < in[b]; });
  for (int i : order)
    sorted.push_back(in[i]);
  EXPECT(out.host() == sorted);
  EXPECT(outV.host() == order);
}

SUITE_TEST(segmentedReduce) {
  std::vector<int> in = suite::values(n, 500), offsets = segments(n);
  int count = int(offsets.size()) - 1;
  suite::Device<int> data(in), sums(count), largest(count), bounds(offsets);
  withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceSegmentedReduce::Sum(s, bytes, data.get(), sums.get(), count, bounds.get(),
                                           bounds.get() + 1);
  });
  withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceSegmentedReduce::Max(s, bytes, data.get(), largest.get(), count,
                                           bounds.get(), bounds.get() + 1);
  });
  std::vector<int> gotSums = sums.host(), gotLargest = largest.host();
  for (int i = 0; i < count; ++i) {
    auto first = in.begin() + offsets[i], last = in.begin() + offsets[i + 1];
    EXPECT(gotSums[i] == std::accumulate(first, last, 0));
    EXPECT(first == last || gotLargest[i] == *std::max_element(first, last));
  }
}

struct Wide {
  long long key;
  int from;
};
struct ByKey {
  __host__ __device__ bool operator()(const Wide &a, const Wide &b) const { return a.key < b.key; }
};

SUITE_TEST(mergeSortRecordsCopy) {
  if (n > MaxMergedItems / 2)
    return;
  std::vector<int> keys = suite::values(n, 50);
  std::vector<Wide> in(n);
  for (int i = 0; i < n; ++i)
    in[i] = {keys[i], i};
  suite::Device<Wide> data(in), out(n);
  withStorage([&](void *s, size_t &bytes) {
    return cub::DeviceMergeSort::StableSortKeysCopy(s, bytes, data.get(), out.get(), n, ByKey());
  });
  std::stable_sort(in.begin(), in.end(), ByKey());
  std::vector<Wide> got = out.host();
  for (int i = 0; i < n; ++i)
    EXPECT(got[i].key == in[i].key && got[i].from == in[i].from);
}
} // namespace cub_device_sorts

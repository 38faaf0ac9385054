// The frame of the suites. A .cu file registers tests; each runs once for every size. A program is
// one such file, or a batch that includes several.
//
//   SUITE_TEST(deviceReduceSum) { ...uses n...; EXPECT(result == expected); }
//
// Options: --sizes=0,33,255   --only=TEXT (tests whose name contains TEXT)
#pragma once

#include "../programs/check.h"

#include <algorithm>
#include <numeric>
#include <stdint.h>
#include <string.h>
#include <utility>
#include <vector>

namespace suite {

struct Test {
  const char *name;
  void (*body)(int n);
};

inline std::vector<Test> &tests() {
  static std::vector<Test> All;
  return All;
}
inline bool add(const char *name, void (*body)(int)) {
  tests().push_back({name, body});
  return true;
}

inline int Failures = 0, Checks = 0;
inline const char *CurrentTest = "";
inline int CurrentSize = 0;

inline void expect(bool right, const char *what, const char *file, int line) {
  ++Checks;
  if (right)
    return;
  if (++Failures <= 20)
    printf("%s:%d: %s n=%d: WRONG: %s\n", file, line, CurrentTest, CurrentSize, what);
}

/// Device memory of `count` elements; frees itself. Never empty, so that a null pointer is a fault.
template <class T> class Device {
public:
  explicit Device(size_t count) : count(count) {
    CHECK(cudaMalloc(&data, std::max<size_t>(count, 1) * sizeof(T)));
  }
  Device(size_t count, int byte) : Device(count) {
    CHECK(cudaMemset(data, byte, std::max<size_t>(count, 1) * sizeof(T)));
  }
  explicit Device(const std::vector<T> &host) : Device(host.size()) {
    CHECK(cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  Device(const Device &) = delete;
  ~Device() { cudaFree(data); }

  T *get() { return data; }
  std::vector<T> host() const {
    std::vector<T> result(count);
    CHECK(cudaMemcpy(result.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return result;
  }
  std::vector<T> host(size_t first) const {
    std::vector<T> result = host();
    result.resize(std::min(first, count));
    return result;
  }

private:
  T *data = nullptr;
  size_t count;
};

/// `n` values in [0, below), the same on every run; another `salt`, other values.
template <class T = int> std::vector<T> values(size_t n, uint32_t below, uint32_t salt = 0) {
  std::vector<T> result(n);
  uint32_t state = 0x9e3779b9u * (salt + 1);
  for (T &v : result) {
    state = state * 1664525u + 1013904223u;
    v = T((state >> 8) % below);
  }
  return result;
}

inline int blocksFor(int n, int threads) { return std::max(1, (n + threads - 1) / threads); }

/// CUB's two phases: asks for the size of the temporary storage, then runs with exactly that.
template <class Call> void withStorage(Call call) {
  size_t bytes = 0;
  CHECK(call(nullptr, bytes));
  Device<char> storage(bytes);
  CHECK(call(storage.get(), bytes));
  CHECK(cudaDeviceSynchronize());
}

inline std::vector<int> parseSizes(const char *text) {
  std::vector<int> sizes;
  for (char *end; *text; text = *end ? end + 1 : end)
    sizes.push_back(int(strtol(text, &end, 10)));
  return sizes;
}

} // namespace suite

#define EXPECT(condition) suite::expect((condition), #condition, __FILE__, __LINE__)
#define SUITE_TEST(name)                                                                           \
  static void name(int n);                                                                         \
  static const bool name##Added = suite::add(#name, name);                                         \
  static void name([[maybe_unused]] int n)

int main(int argc, char **argv) {
  std::vector<int> sizes = {0, 1, 31, 33, 255, 257, 1000, 4099, 20011};
  const char *only = "";
  for (int i = 1; i < argc; ++i) {
    if (!strncmp(argv[i], "--sizes=", 8))
      sizes = suite::parseSizes(argv[i] + 8);
    else if (!strncmp(argv[i], "--only=", 7))
      only = argv[i] + 7;
    else
      return fprintf(stderr, "unknown option '%s'\n", argv[i]), 2;
  }
  for (const suite::Test &test : suite::tests()) {
    if (!strstr(test.name, only))
      continue;
    for (int n : sizes) {
      suite::CurrentTest = test.name;
      suite::CurrentSize = n;
      test.body(n);
      CHECK(cudaDeviceSynchronize());
    }
  }
  printf("%d checks, %d wrong\n", suite::Checks, suite::Failures);
  return suite::Failures || !suite::Checks ? 1 : 0;
}

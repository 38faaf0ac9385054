// scopesan-test: atomic references of one and two bytes
//
// variant all
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S11
// variant mixed -DMIXED
//   why     loads of two bytes have that size, libcu++'s read-modify-writes are compare-exchanges of the
//   why     word around them: docs/known-library-findings.md
//   verdict findings
//   require D5 narrow_load(load,relaxed,device,2B) narrow_add(cas,relaxed,device,4B)
//   proof   D5
// variant byte_flag -DBYTE_FLAG
//   why     a store of one byte is a compare-exchange of four, a load reads two: no synchronization
//   verdict findings
//   require D5 flag_store(cas,release,device,4B) flag_load(load,acquire,device,2B)
//   require D1 word_store(store) word_load(load)
//   proof   S3 D5 D1
#include "suite.h"

#include <cuda/atomic>

namespace atomic_narrow {

template <class T> using Ref = cuda::atomic_ref<T, cuda::thread_scope_device>;

/// Everyone adds to the neighbours of one word: only the owner's bytes may change.
template <class T> __global__ void add(T *words, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Ref<T> mine(words[i % 4]);
#ifdef MIXED
  if (mine.load(cuda::memory_order_relaxed) < 0) // @narrow_load
    return;
#endif
  mine.fetch_add(T(1), cuda::memory_order_relaxed); // @narrow_add
}

/// A flag of one byte hands over a word: nothing but its size differs from others.
template <class T> __global__ void handOver(T *flag, int *word, int *result) {
  if (threadIdx.x)
    return;
  if (blockIdx.x == 0) {
    *word = 42; // @word_store
    Ref<T>(*flag).store(T(1), cuda::memory_order_release); // @flag_store
  } else {
    while (Ref<T>(*flag).load(cuda::memory_order_acquire) == T(0)) // @flag_load
      ;
    *result = *word; // @word_load
  }
}

template <class T> void check(int n) {
  suite::Device<T> words(4, 0);
  add<T><<<suite::blocksFor(n, 32), 32>>>(words.get(), n);
  std::vector<T> sums = words.host();
  for (int i = 0; i < 4; ++i)
    EXPECT(sums[i] == T((n + 3 - i) / 4));
}

template <class T> void checkHandOver() {
  suite::Device<T> flag(4, 0);
  suite::Device<int> word(1), result(1);
  handOver<<<2, 32>>>(flag.get(), word.get(), result.get());
  EXPECT(result.host()[0] == 42);
}

#ifdef BYTE_FLAG
SUITE_TEST(byteFlag) {
  if (n < 2)
    checkHandOver<unsigned char>();
}
#else
SUITE_TEST(narrowAdd) {
#ifdef MIXED
  n = std::min(n, 64);
#else
  check<int8_t>(std::min(n, 300));
#endif
  check<int16_t>(std::min(n, 300));
}
SUITE_TEST(shortFlag) {
  if (n < 2)
    checkHandOver<short>();
}
#endif

} // namespace atomic_narrow

// scopesan-test: every form of cuda::atomic_ref at every scope and order, by one thread
//
// variant int -DTYPE=int
//   verdict clean
//   proof O1 O3 O5 X1
// variant unsigned -DTYPE=unsigned
//   verdict clean
//   label full
//   proof O1 O3 O5 X1
// variant long_long -DTYPE=long -DWIDE
//   verdict clean
//   label full
//   proof O1 O3 O5 X1
// variant unsigned_long_long -DTYPE=unsigned -DWIDE
//   verdict clean
//   label full
//   proof O1 O3 O5 X1
// variant float -DTYPE=float -DNO_BITS
//   verdict clean
//   proof O1 O3 O5 X1
// variant double -DTYPE=double -DNO_BITS
//   verdict clean
//   label full
//   proof O1 O3 O5 X1
// variant int8 -DTYPE=int8_t
//   why narrow read-modify-writes loop over a compare-and-swap of the word
//   verdict clean
//   label full
//   proof O1 O3 O5 P1 X1
// variant uint16 -DTYPE=uint16_t
//   verdict clean
//   label full
//   proof O1 O3 O5 P1 X1
#include "check.h"
#include <cuda/atomic>
#include <stdint.h>

#ifdef WIDE
using T = TYPE long;
#else
using T = TYPE;
#endif
using cuda::memory_order;
constexpr auto kRelaxed = cuda::memory_order_relaxed, kConsume = cuda::memory_order_consume,
               kAcquire = cuda::memory_order_acquire, kRelease = cuda::memory_order_release,
               kAcqRel = cuda::memory_order_acq_rel, kSeqCst = cuda::memory_order_seq_cst;
constexpr int kCells = 4, kUsed = 1; // the neighbours must keep their values

__device__ alignas(16) T cells[kCells];
__device__ unsigned checks, mismatches;

/// Sets the cell, runs the operation, compares what it returned and what it left.
template <class Operation>
__device__ void expect(int before, int returned, int after, Operation operation) {
  cells[kUsed] = T(before);
  const T got = operation();
  ++checks;
  if (got != T(returned) || cells[kUsed] != T(after))
    ++mismatches;
}

template <cuda::thread_scope S> using Ref = cuda::atomic_ref<T, S>;

template <cuda::thread_scope S, memory_order O> __device__ void load() {
  expect(5, 5, 5, [] { return Ref<S>(cells[kUsed]).load(O); });
}

template <cuda::thread_scope S, memory_order O> __device__ void store() {
  expect(5, 0, 7, [] { return Ref<S>(cells[kUsed]).store(T(7), O), T(0); });
}

template <cuda::thread_scope S, memory_order O>
__device__ void compareExchange(T wanted, int after) {
  const int won = after == 9;
  auto swap = [=](auto operation) {
    expect(5, won, after, [=] {
      T seen = wanted;
      const bool swapped = operation(Ref<S>(cells[kUsed]), seen);
      const bool told = seen == (swapped ? wanted : T(5)); // a failed one reports what it saw
      return told ? T(swapped) : T(100);
    });
  };
  swap([](Ref<S> r, T &seen) { return r.compare_exchange_strong(seen, T(9), O); });
  swap([](Ref<S> r, T &seen) { return r.compare_exchange_weak(seen, T(9), O); });
  swap([](Ref<S> r, T &seen) { return r.compare_exchange_strong(seen, T(9), O, kRelaxed); });
  swap([](Ref<S> r, T &seen) { return r.compare_exchange_strong(seen, T(9), O, kAcquire); });
  swap([](Ref<S> r, T &seen) { return r.compare_exchange_weak(seen, T(9), O, kSeqCst); });
}

template <cuda::thread_scope S, memory_order O> __device__ void modify() {
  expect(5, 5, 7, [] { return Ref<S>(cells[kUsed]).exchange(T(7), O); });
  expect(5, 5, 8, [] { return Ref<S>(cells[kUsed]).fetch_add(T(3), O); });
  expect(5, 5, 2, [] { return Ref<S>(cells[kUsed]).fetch_sub(T(3), O); });
  expect(5, 5, 9, [] { return Ref<S>(cells[kUsed]).fetch_max(T(9), O); });
  expect(5, 5, 3, [] { return Ref<S>(cells[kUsed]).fetch_min(T(3), O); });
#ifndef NO_BITS
  expect(5, 5, 4, [] { return Ref<S>(cells[kUsed]).fetch_and(T(6), O); });
  expect(5, 5, 7, [] { return Ref<S>(cells[kUsed]).fetch_or(T(2), O); });
  expect(5, 5, 6, [] { return Ref<S>(cells[kUsed]).fetch_xor(T(3), O); });
#endif
  compareExchange<S, O>(T(5), 9);
  compareExchange<S, O>(T(6), 5);
}

template <cuda::thread_scope S> __device__ void atScope() {
  load<S, kRelaxed>(), load<S, kConsume>(), load<S, kAcquire>(), load<S, kSeqCst>();
  store<S, kRelaxed>(), store<S, kRelease>(), store<S, kSeqCst>();
  modify<S, kRelaxed>(), modify<S, kConsume>(), modify<S, kAcquire>();
  modify<S, kRelease>(), modify<S, kAcqRel>(), modify<S, kSeqCst>();
}

__global__ void matrix() {
  for (int i = 0; i < kCells; ++i)
    cells[i] = T(40 + i);
  atScope<cuda::thread_scope_thread>();
  atScope<cuda::thread_scope_block>();
  atScope<cuda::thread_scope_device>();
  atScope<cuda::thread_scope_system>();
  for (int i = 0; i < kCells; ++i)
    mismatches += i != kUsed && cells[i] != T(40 + i);
}

int main() {
  matrix<<<1, 1>>>();
  CHECK(cudaGetLastError());
  unsigned done = 0, wrong = 0;
  CHECK(cudaMemcpyFromSymbol(&done, checks, sizeof(done)));
  CHECK(cudaMemcpyFromSymbol(&wrong, mismatches, sizeof(wrong)));
  printf("%u checks, %u wrong\n", done, wrong);
  return verdict(done > 0 && wrong == 0);
}

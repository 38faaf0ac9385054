// scopesan-test: memcpy, memset and structure copies in device code are checked byte by byte
//
// variant fixed
//   verdict clean
//   proof P1
// variant overlapping_fill -DRACY=1
//   why the memset of a thread reaches one byte into its neighbour's part
//   verdict findings
//   require D1 fill(store,weak) fill(store,weak)
//   allow   D1 fill(store,weak) copy(load,weak)
//   proof P1 D1
// variant struct_copy -DRACY=2
//   why a structure is copied while its neighbour writes one of its fields
//   verdict findings
//   require D1 field(store,weak) whole(load,weak)
//   proof P1 D1
#include "check.h"

#include <string.h>

constexpr int kThreads = 64, kPart = 24;
struct Record {
  int key;
  char name[13];
  double weight;
};

__global__ void __launch_bounds__(kThreads)
    moves(unsigned char *bytes, unsigned char *copies, Record *records, int part) {
  const int i = int(threadIdx.x);
#if RACY == 1
  memset(bytes + i * part, i, size_t(part + (i % 2 == 0))); // @fill
#else
  memset(bytes + i * part, i, size_t(part)); // @fill
#endif
  memcpy(copies + i * part, bytes + i * part, size_t(part)); // @copy
  records[i].name[i % 13] = char(i);                         // @field
#if RACY != 2
  __syncthreads();
#endif
  Record other = records[(i + 1) % kThreads]; // @whole
  __syncthreads();
  other.key = i;
  records[i] = other; // @store
}

int main() {
  static unsigned char host[kThreads * kPart + 1];
  static Record records[kThreads];
  unsigned char *bytes = nullptr, *copies = nullptr;
  Record *list = nullptr;
  CHECK(cudaMalloc(&bytes, sizeof(host)));
  CHECK(cudaMalloc(&copies, sizeof(host)));
  CHECK(cudaMalloc(&list, sizeof(records)));
  CHECK(cudaMemset(bytes, 0, sizeof(host)));
  CHECK(cudaMemset(list, 0, sizeof(records)));
  moves<<<1, kThreads>>>(bytes, copies, list, kPart);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, copies, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(records, list, sizeof(records), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(bytes));
  CHECK(cudaFree(copies));
  CHECK(cudaFree(list));
  bool right = true;
  for (int i = 0; i < kThreads; ++i) {
    const int from = (i + 1) % kThreads;
    right = right && host[i * kPart] == i && host[(i + 1) * kPart - 1] == i &&
            records[i].key == i && records[i].name[from % 13] == char(from);
  }
  return verdict(right);
}

// scopesan-test: blocks add their parts of an attention row by atomics, the last one normalizes the row
//
// variant fixed
//   why the last block fences after its ticket, then reads what the others added
//   verdict clean
//   may-advise unordered-strong
//   proof S1 S2 S6 S7
// variant no_acquire -DRACY
//   why the sums were made by atomics, but the plain read of them is not ordered after;
//   why where the last block adds nothing itself, it has not even observed what it reads
//   verdict findings
//   require D1 add row(load,weak) distance=same-grid
//   may-advise unordered-strong
//   proof O3 S2 S16 D1
#include "check.h"

constexpr int kSplits = 5, kThreads = 32;

__global__ void attend(const float *values, float *row, float *weight, unsigned *tickets,
                       float *out) {
  __shared__ bool isLast;
  const int t = int(threadIdx.x);
  const float value = values[blockIdx.x * kThreads + t];
  if (value != 0.0f) // masked positions add nothing
    atomicAdd(&row[t], value); // @add
  if (t == 0)
    atomicAdd(weight, 1.0f); // @add
  __syncthreads();
  if (t == 0) {
    __threadfence();
    isLast = atomicInc(tickets, kSplits - 1) == kSplits - 1;
#ifndef RACY
    __threadfence();
#endif
  }
  __syncthreads();
  if (isLast)
    out[t] = row[t] / *weight; // @row
}

int main() {
  float host[kSplits * kThreads], result[kThreads];
  float *values = nullptr, *row = nullptr, *out = nullptr;
  unsigned *tickets = nullptr;
  for (int i = 0; i < kSplits * kThreads; ++i)
    host[i] = (i % kThreads + i / kThreads) % kSplits ? float(i % kThreads) : 0.0f;
  CHECK(cudaMalloc(&values, sizeof(host)));
  CHECK(cudaMalloc(&row, (kThreads + 1) * sizeof(float)));
  CHECK(cudaMalloc(&out, sizeof(result)));
  CHECK(cudaMalloc(&tickets, sizeof(unsigned)));
  CHECK(cudaMemcpy(values, host, sizeof(host), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(row, 0, (kThreads + 1) * sizeof(float)));
  CHECK(cudaMemset(tickets, 0, sizeof(unsigned)));
  attend<<<kSplits, kThreads>>>(values, row, row + kThreads, tickets, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  for (void *p : {(void *)values, (void *)row, (void *)out, (void *)tickets})
    CHECK(cudaFree(p));
  bool right = true;
  for (int t = 0; t < kThreads; ++t)
    right = right && result[t] == float((kSplits - 1) * t) / float(kSplits);
  return verdict(right);
}

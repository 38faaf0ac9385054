// scopesan-test: a block works off a list of tasks; thread 0 puts the next one into shared memory
//
// variant fixed
//   why a barrier at the end of the loop keeps the next task away until all have done with this one
//   verdict clean
//   proof S7
// variant two_warps -DRACY
//   why warp 1 may still use the task that thread 0 replaces
//   verdict findings
//   require D1 fetch(store,weak) use(load,weak) memory=task
//   proof S7 D1
// variant one_warp -DRACY -DTHREADS=32
//   why in a block of one warp it is the same fault: lockstep is no order
//   verdict findings
//   require D1 fetch(store,weak) use(load,weak) memory=task distance=same-warp
//   proof S8 D1
#include "check.h"

#ifndef THREADS
#define THREADS 64
#endif

struct Task {
  int first, count, factor;
};

__global__ void work(const Task *tasks, int count, int *data) {
  __shared__ Task task;
  for (int i = int(blockIdx.x); i < count; i += int(gridDim.x)) {
    if (threadIdx.x == 0)
      task = tasks[i]; // @fetch
    __syncthreads();
    const Task mine = task; // @use
    for (int k = int(threadIdx.x); k < mine.count; k += THREADS)
      data[mine.first + k] *= mine.factor;
#ifndef RACY
    __syncthreads();
#endif
  }
}

int main() {
  constexpr int tasks = 6, each = 80, n = tasks * each;
  Task host[tasks], *list = nullptr;
  int values[n], *data = nullptr;
  for (int t = 0; t < tasks; ++t)
    host[t] = {t * each, each, t + 2};
  for (int i = 0; i < n; ++i)
    values[i] = i;
  CHECK(cudaMalloc(&list, sizeof(host)));
  CHECK(cudaMalloc(&data, sizeof(values)));
  CHECK(cudaMemcpy(list, host, sizeof(host), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(data, values, sizeof(values), cudaMemcpyHostToDevice));
  work<<<2, THREADS>>>(list, tasks, data);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(values, data, sizeof(values), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(list));
  CHECK(cudaFree(data));
  bool right = true;
  for (int i = 0; i < n; ++i)
    right = right && values[i] == i * (i / each + 2);
  return verdict(right);
}

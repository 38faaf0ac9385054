// scopesan-test: a kernel that ends with an error: the report says which, where and why
// What such a kernel had not executed was not checked, so a run without findings is incomplete.
//
// variant fixed
//   verdict clean
//   proof S10 S12
// variant trap -DFAULT=1
//   verdict incomplete
//   incomplete a kernel ended with an error
//   incomplete trap
//   incomplete in kernel fail(char*, int) (launch 1)
//   exit any
//   proof X1
// variant illegal_address -DFAULT=2
//   verdict incomplete
//   incomplete illegal address
//   incomplete in kernel fail(char*, int) (launch 1)
//   exit any
//   proof X1
// variant misaligned_source -DFAULT=3
//   why bulk copies need addresses and sizes that are multiples of 16
//   verdict incomplete
//   label full
//   incomplete misaligned
//   incomplete in kernel fail(char*, int) (launch 1)
//   exit any
//   proof S12
// variant misaligned_destination -DFAULT=4
//   verdict incomplete
//   label full
//   incomplete misaligned
//   exit any
//   proof S12
// variant misaligned_cp_async -DFAULT=5
//   why cp.async needs addresses that are multiples of its size
//   verdict incomplete
//   incomplete misaligned
//   exit any
//   proof S12
// variant misaligned_mbarrier -DFAULT=6
//   verdict incomplete
//   label full
//   incomplete misaligned
//   exit any
//   proof S10
// variant odd_size -DFAULT=7
//   why the device ends without an error, but PTX defines sizes that are multiples of 16 only
//   verdict incomplete
//   incomplete a bulk copy whose size is not a multiple of 16 bytes
//   exit any
//   proof S12
#include "check.h"
#include "hopper.h"

#ifndef FAULT
#define FAULT 0
#endif

__global__ void fail(char *memory, int one) {
  __shared__ alignas(16) char tile[512];
  __shared__ uint64_t fullAndMore[2];
  uint64_t &full = *reinterpret_cast<uint64_t *>(reinterpret_cast<char *>(fullAndMore) +
                                                 (FAULT == 6 ? 4 : 0) * one);
  if (threadIdx.x)
    return;
  char *from = memory + (FAULT == 3 ? 8 : 0) * one, *to = tile + (FAULT == 4 ? 8 : 0) * one;
  mbarrierInit(&full, 1);
  shareMbarriers();
  if (FAULT == 1 && one)
    __trap();
  if (FAULT == 2)
    *reinterpret_cast<volatile int *>(one * 64ull) = 1;
  if (FAULT == 5) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(address(to) + 4 * one), "l"(from)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    return;
  }
  if (FAULT == 7) {
    bulkStore(memory, to, 24 * one);
    bulkWait();
    return;
  }
  mbarrierArriveExpect(&full, 256);
  bulkLoad(to, from, 256, &full);
  mbarrierWait(&full, 0);
  memory[512] = to[0] + 1;
}

int main() {
  char *memory = nullptr, result = 0;
  CHECK(cudaMalloc(&memory, 1024));
  CHECK(cudaMemset(memory, 41, 512));
  fail<<<1, 32>>>(memory, 1);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, memory + 512, 1, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(memory));
  return result == 42 ? 0 : 1;
}

// Second unit of relocatable.cu.
__device__ int total = 100;
__constant__ int factor = 10;
__managed__ int seen = 1;

// Its shared variable must not lie over the caller's.
__device__ __noinline__ int addOne(int value) {
  __shared__ int cells[32];
  cells[threadIdx.x] = value;
  return cells[threadIdx.x] + 1;
}
__device__ int (*operation)(int) = addOne;

static __global__ void same() { total *= 2; }
void launchOther() { same<<<1, 1>>>(); }

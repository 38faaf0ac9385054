__global__ void collide(int *p) { *p = static_cast<int>(threadIdx.x); }

extern "C" int runCollide() {
  int *p = nullptr;
  if (cudaMalloc(&p, sizeof *p) != cudaSuccess)
    return 1;
  collide<<<1, 64>>>(p);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}

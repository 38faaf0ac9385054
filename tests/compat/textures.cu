// scopesan-compat: texture and surface objects compile; a program that does not launch them is clean
// flags -std=c++17
// kernels "ordinary(float*)"
#include "check.h"

__global__ void everyForm(cudaTextureObject_t t, cudaSurfaceObject_t s, float *out) {
  int x = int(threadIdx.x), y = int(threadIdx.y);
  float sum = tex1Dfetch<float>(t, x) + tex2D<float>(t, x + 0.5f, y + 0.5f) +
              tex2DLod<float>(t, x, y, 0) + tex2DLayered<float>(t, x, y, 1) +
              tex3D<float>(t, x, y, 0) + texCubemap<float>(t, x, y, 0);
  uchar4 pixel;
  surf2Dread(&pixel, s, x * int(sizeof pixel), y);
  surf2Dwrite(make_uchar4(pixel.y, pixel.x, 0, 255), s, x * int(sizeof pixel), y,
              cudaBoundaryModeClamp);
  out[x] = sum;
}

__global__ void ordinary(float *out) { out[threadIdx.x] = float(threadIdx.x); }

int main(int argc, char **) {
  float *out, host[32];
  CHECK(cudaMalloc(&out, sizeof host));
  if (argc > 1) // never
    everyForm<<<1, dim3(8, 8)>>>(0, 0, out);
  ordinary<<<1, 32>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  return verdict(host[7] == 7);
}

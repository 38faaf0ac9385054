// scopesan-test: kernels read and write a CUDA array through a surface object
//
// variant fixed
//   why each thread changes its own texel once; kernels follow each other in a stream
//   verdict clean
//   backends cpu
//   proof S13 S14
// variant same_texel -DRACY=1
//   why threads of two blocks write one texel
//   verdict findings
//   require D1 write(store,weak,4B) write(store,weak,4B) memory=array
//   allow   D1 read(load,weak) write(store,weak) memory=array
//   backends cpu
//   proof D1
// variant neighbour -DRACY=2
//   why a thread reads the texel of another block, which may have been changed
//   verdict findings
//   require D1 read(load,weak) write(store,weak) memory=array
//   backends cpu
//   proof D1
// variant read_back -DRACY=3
//   why a surface read does not see what the kernel has written, not even by the same thread
//   verdict findings
//   require D11 write(store,weak) again(load,weak) memory=array
//   backends cpu
//   proof O6 D11
// variant fetched -DRACY=4
//   why a texture fetch does not see it either; the barrier does not help
//   verdict findings
//   require D11 write(store,weak) fetch(load,weak) memory=array
//   backends cpu
//   proof O6 D11
// variant two_streams -DRACY=5
//   why nothing orders the kernels
//   verdict findings
//   require D1 write(store,weak) write(store,weak) memory=array
//   allow   D1 read(load,weak) write(store,weak) memory=array
//   backends cpu
//   proof S14 D1
#include "check.h"

#ifdef RACY
constexpr int kCase = RACY;
#else
constexpr int kCase = 0;
#endif
constexpr int kWidth = 32, kHeight = 4, kCount = kWidth * kHeight;

/// A block for each row.
__global__ void increment(cudaSurfaceObject_t image, cudaTextureObject_t fetched, int *out) {
  int x = int(threadIdx.x), y = int(blockIdx.x);
  int from = kCase == 2 ? (y + 1) % kHeight : y, to = kCase == 1 ? 0 : y;
  int value = y * kWidth + x;
  if (kCase != 3)
    surf2Dread(&value, image, x * int(sizeof(int)), from); // @read
  surf2Dwrite(value + 1, image, x * int(sizeof(int)), to); // @write
  if (kCase == 3)
    surf2Dread(&out[y * kWidth + x], image, x * int(sizeof(int)), y); // @again
  __syncthreads();
  if (kCase == 4)
    out[y * kWidth + x] = tex2D<int>(fetched, float(x), float(y)); // @fetch
}

int main() {
  int host[kCount], *out;
  CHECK(cudaMalloc(&out, sizeof(host)));
  for (int i = 0; i < kCount; ++i)
    host[i] = i;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, kWidth, kHeight, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, host, kWidth * sizeof(int), kWidth * sizeof(int), kHeight,
                            cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize()); // a pageable copy may return when its data is staged
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  how.readMode = cudaReadModeElementType;
  cudaSurfaceObject_t surface;
  cudaTextureObject_t texture;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  cudaStream_t first, second;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));

  increment<<<kHeight, kWidth, 0, first>>>(surface, texture, out);
  if (kCase == 0 || kCase == 5)
    increment<<<kHeight, kWidth, 0, kCase == 5 ? second : first>>>(surface, texture, out);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(first));
  CHECK(cudaStreamSynchronize(second));
  CHECK(cudaMemcpy2DFromArray(host, kWidth * sizeof(int), array, 0, 0, kWidth * sizeof(int),
                              kHeight, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < kCount; ++i)
    right = right && host[i] == i + 2;
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
  return verdict(right);
}

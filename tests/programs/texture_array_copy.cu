// scopesan-test: an image is copied into a CUDA array and fetched through a texture
//
// variant fixed
//   why the kernel waits for the stream of the copy
//   verdict clean
//   backends cpu
//   proof O6 O7 S14
// variant no_event -DRACY=1
//   why nothing orders the copy and the kernel
//   verdict findings
//   require D11 api:cudaMemcpy2DToArrayAsync fetch(load) memory=array
//   backends cpu
//   proof O6 O7 D11
// variant next_image -DRACY=2
//   why the next image is copied while the kernel still reads the last one
//   verdict findings
//   require D11 api:cudaMemcpy3DAsync fetch(load) memory=array
//   backends cpu
//   proof O6 O7 D11
// variant freed -DRACY=3
//   why the array is gone
//   verdict findings
//   require D8 api:cudaFreeArray fetch(load) memory=array
//   backends cpu
//   proof D8
#include "check.h"

#ifdef RACY
constexpr int kCase = RACY;
#else
constexpr int kCase = 0;
#endif
constexpr int kWidth = 16, kHeight = 8, kCount = kWidth * kHeight;
constexpr size_t kRow = kWidth * sizeof(float);

/// The mean of each texel and its right neighbour: the filter does it.
__global__ void blur(float *out, cudaTextureObject_t image) {
  int x = int(threadIdx.x), y = int(threadIdx.y);
  out[y * kWidth + x] = tex2D<float>(image, float(x) + 1, float(y) + 0.5f); // @fetch
}

static cudaTextureObject_t makeTexture(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  cudaResourceDesc given;
  CHECK(cudaGetTextureObjectResourceDesc(&given, texture));
  return given.res.array.array == array ? texture : 0;
}

int main() {
  float *host, *out, back[kCount];
  CHECK(cudaMallocHost(&host, sizeof(back)));
  CHECK(cudaMalloc(&out, sizeof(back)));
  for (int i = 0; i < kCount; ++i)
    host[i] = float(i % kWidth + 100 * (i / kWidth));
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, kWidth, kHeight));
  cudaTextureObject_t texture = makeTexture(array);
  cudaStream_t copies, work;
  cudaEvent_t copied;
  CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));

  CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, host, kRow, kRow, kHeight, cudaMemcpyHostToDevice,
                                 copies));
  CHECK(cudaEventRecord(copied, copies));
  if (kCase != 1)
    CHECK(cudaStreamWaitEvent(work, copied, 0));
  if (kCase == 3) {
    CHECK(cudaStreamSynchronize(copies));
    CHECK(cudaFreeArray(array));
  }
  blur<<<1, dim3(kWidth, kHeight), 0, work>>>(out, texture);
  CHECK(cudaGetLastError());
  if (kCase == 2) {
    cudaMemcpy3DParms next = {};
    next.srcPtr = make_cudaPitchedPtr(host, kRow, kWidth, kHeight);
    next.dstArray = array;
    next.extent = make_cudaExtent(kWidth, kHeight, 1);
    next.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3DAsync(&next, copies));
  }
  CHECK(cudaStreamSynchronize(work));
  CHECK(cudaStreamSynchronize(copies));
  CHECK(cudaMemcpy(back, out, sizeof(back), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < kCount; ++i) {
    int x = i % kWidth, next = x + 1 < kWidth ? x + 1 : x;
    right = right && back[i] == float(x + next) / 2 + float(100 * (i / kWidth));
  }
  CHECK(cudaDestroyTextureObject(texture));
  if (kCase != 3)
    CHECK(cudaFreeArray(array));
  CHECK(cudaEventDestroy(copied));
  CHECK(cudaStreamDestroy(copies));
  CHECK(cudaStreamDestroy(work));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(out));
  return verdict(right);
}

// scopesan-test: filters, address modes, formats and geometries of textures, computed and checked
//
// variant fixed
//   why kernels only read what was copied before
//   verdict clean
//   backends cpu
//   proof O6 O7
// variant optimised -O3
//   verdict clean
//   backends cpu
//   proof O6 O7
// variant filtered -DRACY
//   why a filtered fetch reads the neighbours, too: a thread of the kernel writes one of them
//   verdict findings
//   require D11 write(store,weak) plane(load,weak,4B) memory=device
//   backends cpu
//   proof O6 D11
#include "check.h"

#include <math.h>

constexpr int kSide = 4, kPitch = 512;

struct Textures {
  cudaTextureObject_t plane, bytes, volume, layers, cube, gathered;
};

__global__ void sample(Textures t, float *out, float *plane) {
#ifdef RACY
  plane[1] = 1; // @write
#endif
  out[0] = tex2D<float>(t.plane, 1.0f, 0.5f);  // between 0 and 1 // @plane
  out[1] = tex2D<float>(t.plane, 0.5f, 2.0f);  // between rows 1 and 2
  out[2] = tex2D<float>(t.plane, -9.0f, 9.0f); // clamped
  uchar4 pixel = tex1D<uchar4>(t.bytes, 1.3f); // wraps: texel 1 of 4
  out[3] = float(pixel.x + 1000 * pixel.w);
  out[4] = tex3D<float>(t.volume, 0.5f, 0.5f, 0.5f); // the middle of 2 x 2 x 2
  out[5] = tex2DLayered<float>(t.layers, 1, 0, 1);
  out[6] = texCubemap<float>(t.cube, 0.1f, -1.0f, 0.2f);
  float4 four = tex2Dgather<float4>(t.gathered, 2.0f, 2.0f, 0);
  out[7] = four.x + 100 * four.y + 10000 * four.z + 1000000 * four.w;
  out[8] = tex2DLod<float>(t.plane, 2.5f, 3.5f, 0);
  out[9] = tex2DGrad<float>(t.plane, 3.5f, 3.5f, make_float2(0, 0), make_float2(0, 0));
}

static cudaTextureDesc describe(cudaTextureFilterMode filter, cudaTextureAddressMode mode,
                                bool normalized) {
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = mode;
  how.filterMode = filter;
  how.readMode = cudaReadModeElementType;
  how.normalizedCoords = normalized;
  return how;
}

static cudaTextureObject_t textureOf(cudaArray_t array, const cudaTextureDesc &how) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  return texture;
}

/// An array whose texels hold 0, 1, 2, ...
template <typename T>
static cudaArray_t arrayOf(cudaExtent extent, unsigned flags, cudaChannelFormatDesc format) {
  size_t height = extent.height ? extent.height : 1, depth = extent.depth ? extent.depth : 1;
  size_t count = extent.width * height * depth;
  T *host = new T[count]();
  for (size_t i = 0; i < count; ++i)
    *reinterpret_cast<decltype(host->x) *>(&host[i]) = decltype(host->x)(i);
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host, extent.width * sizeof(T), extent.width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  delete[] host;
  return array;
}

int main() {
  float *plane, *out, host[10], rows[kSide * kSide];
  CHECK(cudaMalloc(&plane, kPitch * kSide));
  CHECK(cudaMalloc(&out, sizeof(host)));
  for (int i = 0; i < kSide * kSide; ++i)
    rows[i] = float(i);
  CHECK(cudaMemcpy2D(plane, kPitch, rows, kSide * 4, kSide * 4, kSide, cudaMemcpyHostToDevice));
  cudaResourceDesc pitched = {};
  pitched.resType = cudaResourceTypePitch2D;
  pitched.res.pitch2D.devPtr = plane;
  pitched.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  pitched.res.pitch2D.width = pitched.res.pitch2D.height = kSide;
  pitched.res.pitch2D.pitchInBytes = kPitch;
  cudaTextureDesc linear = describe(cudaFilterModeLinear, cudaAddressModeClamp, false);
  cudaTextureDesc points = describe(cudaFilterModePoint, cudaAddressModeWrap, true);
  cudaTextureDesc blend = describe(cudaFilterModeLinear, cudaAddressModeClamp, true);
  cudaArray_t arrays[] = {
      arrayOf<uchar4>(make_cudaExtent(4, 0, 0), 0, cudaCreateChannelDesc<uchar4>()),
      arrayOf<float1>(make_cudaExtent(2, 2, 2), 0, cudaCreateChannelDesc<float>()),
      arrayOf<float1>(make_cudaExtent(2, 2, 3), cudaArrayLayered, cudaCreateChannelDesc<float>()),
      arrayOf<float1>(make_cudaExtent(2, 2, 6), cudaArrayCubemap, cudaCreateChannelDesc<float>()),
      arrayOf<float1>(make_cudaExtent(kSide, kSide, 0), cudaArrayTextureGather,
                      cudaCreateChannelDesc<float>())};
  Textures t;
  CHECK(cudaCreateTextureObject(&t.plane, &pitched, &linear, nullptr));
  t.bytes = textureOf(arrays[0], points);
  t.volume = textureOf(arrays[1], blend);
  t.layers = textureOf(arrays[2], describe(cudaFilterModePoint, cudaAddressModeClamp, false));
  t.cube = textureOf(arrays[3], points);
  t.gathered = textureOf(arrays[4], linear);

  sample<<<1, 1>>>(t, out, plane);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  const float expected[] = {0.5f, 6, 12, 1, 3.5f, 5, 13, 9 + 1000 + 60000 + 5000000, 14, 15};
  bool right = true;
  for (int i = 0; i < 10; ++i) {
    if (fabsf(host[i] - expected[i]) > 1e-3f)
      printf("%d: %g, not %g\n", i, host[i], expected[i]), right = false;
  }
  for (cudaTextureObject_t texture : {t.plane, t.bytes, t.volume, t.layers, t.cube, t.gathered})
    CHECK(cudaDestroyTextureObject(texture));
  for (cudaArray_t array : arrays)
    CHECK(cudaFreeArray(array));
  CHECK(cudaFree(plane));
  CHECK(cudaFree(out));
  return verdict(right);
}

// CUDA arrays, texture and surface objects through the API.
#include "shim_fixture.h"

#include "cpu/textures.h"

#include <vector>

namespace {

using namespace scopesan;
using cpu::TheTextures;

struct Arrays : cpu::test::Shim {
protected:
  cudaArray_t make(size_t Width, size_t Height, unsigned Flags = 0) {
    cudaArray_t A = nullptr;
    cudaChannelFormatDesc D = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    EXPECT_EQ(cudaMallocArray(&A, &D, Width, Height, Flags), cudaSuccess);
    return A;
  }
  static cudaResourceDesc resourceOf(cudaArray_t A) {
    cudaResourceDesc R{};
    R.resType = cudaResourceTypeArray;
    R.res.array.array = A;
    return R;
  }
};

TEST_F(Arrays, InfoIsWhatWasAskedFor) {
  cudaArray_t A = make(5, 3, cudaArraySurfaceLoadStore);
  cudaChannelFormatDesc D, Again;
  cudaExtent E;
  unsigned Flags;
  ASSERT_EQ(cudaArrayGetInfo(&D, &E, &Flags, A), cudaSuccess);
  EXPECT_EQ(D.x, 32);
  EXPECT_EQ(D.f, cudaChannelFormatKindFloat);
  EXPECT_EQ(E.width, 5u);
  EXPECT_EQ(E.height, 3u);
  EXPECT_EQ(E.depth, 0u);
  EXPECT_EQ(Flags, unsigned(cudaArraySurfaceLoadStore));
  EXPECT_EQ(cudaGetChannelDesc(&Again, A), cudaSuccess);
  EXPECT_EQ(Again.x, 32);
  EXPECT_EQ(cudaFreeArray(A), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(A), cudaErrorInvalidValue);
  EXPECT_EQ(cudaArrayGetInfo(&D, &E, &Flags, A), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaFreeArray(nullptr), cudaSuccess);
}

TEST_F(Arrays, FormatsAndExtentsThatAreNone) {
  cudaArray_t A;
  auto with = [&](int X, int Y, int Z, int W, cudaChannelFormatKind F) {
    cudaChannelFormatDesc D{X, Y, Z, W, F};
    cudaError_t E = cudaMallocArray(&A, &D, 4, 4, 0);
    if (E == cudaSuccess)
      cudaFreeArray(A);
    return E;
  };
  EXPECT_EQ(with(8, 8, 8, 8, cudaChannelFormatKindUnsigned), cudaSuccess);
  EXPECT_EQ(with(16, 16, 0, 0, cudaChannelFormatKindFloat), cudaSuccess);
  EXPECT_EQ(with(8, 8, 0, 0, cudaChannelFormatKindSignedNormalized8X2), cudaSuccess);
  EXPECT_EQ(with(8, 8, 8, 0, cudaChannelFormatKindUnsigned), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(with(8, 16, 0, 0, cudaChannelFormatKindUnsigned), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(with(8, 0, 0, 0, cudaChannelFormatKindFloat), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(with(0, 0, 0, 0, cudaChannelFormatKindUnsigned), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(with(32, 0, 0, 0, cudaChannelFormatKindNone), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(with(8, 8, 8, 8, cudaChannelFormatKindUnsignedBlockCompressed1), cudaErrorNotSupported);
  cudaChannelFormatDesc D{32, 0, 0, 0, cudaChannelFormatKindFloat};
  EXPECT_EQ(cudaMallocArray(&A, &D, 0, 4, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocArray(&A, &D, 4, 4, cudaArraySparse), cudaErrorNotSupported);
  EXPECT_EQ(cudaMalloc3DArray(&A, &D, {4, 5, 6}, cudaArrayCubemap), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc3DArray(&A, &D, {4, 4, 0}, cudaArrayLayered), cudaErrorInvalidValue);
  cudaMipmappedArray_t Mips;
  EXPECT_EQ(cudaMallocMipmappedArray(&Mips, &D, {4, 4, 0}, 2, 0), cudaErrorNotSupported);
  cudaGetLastError();
}

TEST_F(Arrays, CopiesCountBytesInTwoDimensionsAndTexelsInThree) {
  cudaArray_t A = make(4, 3), B = make(4, 3);
  std::vector<float> In(12), Out(12);
  for (int I = 0; I < 12; ++I)
    In[size_t(I)] = float(I);
  ASSERT_EQ(cudaMemcpy2DToArray(A, 0, 0, In.data(), 16, 16, 3, cudaMemcpyHostToDevice),
            cudaSuccess);
  // Two texels of two rows, from (1, 1) to (2, 0).
  ASSERT_EQ(cudaMemcpy2DArrayToArray(B, 8, 0, A, 4, 1, 8, 2, cudaMemcpyDeviceToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaMemcpy2DFromArray(Out.data(), 16, B, 0, 0, 16, 3, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(Out, (std::vector<float>{0, 0, 5, 6, 0, 0, 9, 10, 0, 0, 0, 0}));
  cudaMemcpy3DParms P{};
  P.srcArray = A;
  P.srcPos = {1, 2, 0};
  P.dstPtr = {Out.data(), 16, 4, 3};
  P.extent = {2, 1, 1};
  P.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3D(&P), cudaSuccess);
  EXPECT_EQ(Out[0], 9);
  EXPECT_EQ(Out[1], 10);
  EXPECT_EQ(Out[2], 5);
  P.extent = {4, 1, 1}; // beyond the row
  EXPECT_EQ(cudaMemcpy3D(&P), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DToArray(A, 4, 0, In.data(), 16, 16, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DToArray(A, 0, 3, In.data(), 16, 16, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DToArray(A, 0, 0, In.data(), 8, 16, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  cudaGetLastError();
  cudaFreeArray(A);
  cudaFreeArray(B);
}

TEST_F(Arrays, TextureObjectsDescribeThemselves) {
  cudaArray_t A = make(4, 4);
  cudaResourceDesc R = resourceOf(A), Again{};
  cudaTextureDesc D{}, How{};
  D.filterMode = cudaFilterModeLinear;
  D.addressMode[1] = cudaAddressModeBorder;
  cudaTextureObject_t T = 0;
  ASSERT_EQ(cudaCreateTextureObject(&T, &R, &D, nullptr), cudaSuccess);
  EXPECT_EQ(cudaGetTextureObjectResourceDesc(&Again, T), cudaSuccess);
  EXPECT_EQ(Again.res.array.array, A);
  EXPECT_EQ(cudaGetTextureObjectTextureDesc(&How, T), cudaSuccess);
  EXPECT_EQ(How.addressMode[1], cudaAddressModeBorder);
  cudaResourceViewDesc View;
  EXPECT_EQ(cudaGetTextureObjectResourceViewDesc(&View, T), cudaErrorInvalidValue);
  EXPECT_TRUE(TheTextures.find(T)->Sampling.Linear);
  EXPECT_EQ(cudaDestroySurfaceObject(T), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDestroyTextureObject(T), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(T), cudaErrorInvalidValue);
  cudaSurfaceObject_t S;
  EXPECT_EQ(cudaCreateSurfaceObject(&S, &R), cudaErrorInvalidValue) << "made without the flag";
  cudaArray_t B = make(4, 4, cudaArraySurfaceLoadStore);
  R = resourceOf(B);
  ASSERT_EQ(cudaCreateSurfaceObject(&S, &R), cudaSuccess);
  EXPECT_EQ(cudaGetSurfaceObjectResourceDesc(&Again, S), cudaSuccess);
  EXPECT_EQ(Again.res.array.array, B);
  EXPECT_EQ(cudaDestroySurfaceObject(S), cudaSuccess);
  cudaGetLastError();
  cudaFreeArray(A);
  cudaFreeArray(B);
}

TEST_F(Arrays, LimitsAreThoseOfTheDevice) {
  cudaDeviceProp P;
  int V = 0;
  ASSERT_EQ(cudaGetDeviceProperties(&P, 0), cudaSuccess);
  EXPECT_EQ(P.maxTexture2D[1], 65536);
  EXPECT_EQ(cudaDeviceGetAttribute(&V, cudaDevAttrMaxTexture2DHeight, 0), cudaSuccess);
  EXPECT_EQ(V, P.maxTexture2D[1]);
  size_t Width = 0;
  cudaChannelFormatDesc D = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  EXPECT_EQ(cudaDeviceGetTexture1DLinearMaxWidth(&Width, &D, 0), cudaSuccess);
  EXPECT_EQ(Width, size_t(1) << 28);
}

TEST_F(Arrays, TexturesOfMemoryAreAlignedAndInside) {
  char *P;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&P), 4096), cudaSuccess);
  cudaTextureObject_t T;
  cudaTextureDesc D{};
  auto linear = [&](size_t Offset, size_t Bytes, int Bits) {
    cudaResourceDesc R{};
    R.resType = cudaResourceTypeLinear;
    R.res.linear.devPtr = P + Offset;
    R.res.linear.sizeInBytes = Bytes;
    R.res.linear.desc = cudaCreateChannelDesc(Bits, 0, 0, 0, cudaChannelFormatKindSigned);
    cudaError_t E = cudaCreateTextureObject(&T, &R, &D, nullptr);
    if (E == cudaSuccess)
      EXPECT_EQ(cudaDestroyTextureObject(T), cudaSuccess);
    return E;
  };
  EXPECT_EQ(linear(0, 4096, 32), cudaSuccess);
  EXPECT_EQ(linear(512, 100, 16), cudaSuccess);
  EXPECT_EQ(linear(4, 100, 32), cudaErrorInvalidValue);
  EXPECT_EQ(linear(512, 4096, 32), cudaErrorInvalidValue);
  EXPECT_EQ(linear(0, 2, 32), cudaErrorInvalidValue);
  D.readMode = cudaReadModeNormalizedFloat;
  EXPECT_EQ(linear(0, 100, 8), cudaSuccess);
  EXPECT_EQ(linear(0, 100, 32), cudaErrorInvalidNormSetting);
  D.readMode = cudaReadModeElementType;
  D.filterMode = cudaFilterModeLinear; // means nothing for linear memory
  EXPECT_EQ(linear(0, 100, 8), cudaSuccess);
  cudaResourceDesc R{};
  R.resType = cudaResourceTypePitch2D;
  R.res.pitch2D = {P, cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned), 20, 4, 32};
  EXPECT_EQ(cudaCreateTextureObject(&T, &R, &D, nullptr), cudaErrorInvalidFilterSetting);
  D.filterMode = cudaFilterModePoint;
  EXPECT_EQ(cudaCreateTextureObject(&T, &R, &D, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(T), cudaSuccess);
  R.res.pitch2D.pitchInBytes = 24;
  EXPECT_EQ(cudaCreateTextureObject(&T, &R, &D, nullptr), cudaErrorInvalidValue);
  R.resType = cudaResourceTypeMipmappedArray;
  EXPECT_EQ(cudaCreateTextureObject(&T, &R, &D, nullptr), cudaErrorNotSupported);
  cudaGetLastError();
  cudaFree(P);
}

} // namespace

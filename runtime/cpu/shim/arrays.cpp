#include "cpu/shim/arrays.h"

#include "cpu/shim/capture.h"
#include "cpu/shim/memory_api.h"

#include <map>
#include <memory>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

std::map<cudaArray_const_t, std::unique_ptr<cudaArray>> &arrays() {
  static auto *All = new std::map<cudaArray_const_t, std::unique_ptr<cudaArray>>;
  return *All;
}

/// Channel formats whose texels are normalized integers: kind, bits and number of channels.
struct NormalizedFormat {
  cudaChannelFormatKind Kind;
  TexelFormat Format;
};
constexpr NormalizedFormat NormalizedFormats[] = {
    {cudaChannelFormatKindUnsignedNormalized8X1, {ChannelKind::Unsigned, 8, 1}},
    {cudaChannelFormatKindUnsignedNormalized8X2, {ChannelKind::Unsigned, 8, 2}},
    {cudaChannelFormatKindUnsignedNormalized8X4, {ChannelKind::Unsigned, 8, 4}},
    {cudaChannelFormatKindUnsignedNormalized16X1, {ChannelKind::Unsigned, 16, 1}},
    {cudaChannelFormatKindUnsignedNormalized16X2, {ChannelKind::Unsigned, 16, 2}},
    {cudaChannelFormatKindUnsignedNormalized16X4, {ChannelKind::Unsigned, 16, 4}},
    {cudaChannelFormatKindSignedNormalized8X1, {ChannelKind::Signed, 8, 1}},
    {cudaChannelFormatKindSignedNormalized8X2, {ChannelKind::Signed, 8, 2}},
    {cudaChannelFormatKindSignedNormalized8X4, {ChannelKind::Signed, 8, 4}},
    {cudaChannelFormatKindSignedNormalized16X1, {ChannelKind::Signed, 16, 1}},
    {cudaChannelFormatKindSignedNormalized16X2, {ChannelKind::Signed, 16, 2}},
    {cudaChannelFormatKindSignedNormalized16X4, {ChannelKind::Signed, 16, 4}}};

TextureGeometry geometryOf(const cudaExtent &E, unsigned Flags) {
  bool Layered = Flags & cudaArrayLayered;
  if (Flags & cudaArrayCubemap)
    return Layered ? TextureGeometry::CubeArray : TextureGeometry::Cube;
  if (Layered)
    return E.height ? TextureGeometry::D2Array : TextureGeometry::D1Array;
  return E.depth ? TextureGeometry::D3 : E.height ? TextureGeometry::D2 : TextureGeometry::D1;
}

bool isExtent(const cudaExtent &E, TextureGeometry G) {
  constexpr size_t Largest = 1 << 20;
  if (!E.width || E.width > Largest || E.height > Largest || E.depth > Largest)
    return false;
  switch (G) {
  case TextureGeometry::Cube:
    return E.width == E.height && E.depth == 6;
  case TextureGeometry::CubeArray:
    return E.width == E.height && E.depth && E.depth % 6 == 0;
  case TextureGeometry::D1Array:
  case TextureGeometry::D2Array:
    return E.depth;
  case TextureGeometry::D3:
    return E.height;
  default:
    return true;
  }
}

constexpr unsigned KnownFlags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;

cudaError_t allocateArray(const char *Api, cudaArray_t *Result, const cudaChannelFormatDesc *D,
                          const cudaExtent &E, unsigned Flags) {
  return deviceCall([&](Context &C) {
    if (cudaError_t Unsafe = checkUnsafeCall(C); Unsafe != cudaSuccess)
      return Unsafe;
    if (!Result || !D)
      return cudaErrorInvalidValue;
    if (Flags & ~KnownFlags)
      return lacks("CUDA arrays with flags " + std::to_string(Flags & ~KnownFlags) +
                   " (sparse, deferred mapping or color attachment)");
    auto A = std::make_unique<cudaArray>();
    TexelMemory &M = A->Memory;
    if (cudaError_t Bad = texelFormat(*D, M.Format, A->Normalized); Bad != cudaSuccess)
      return Bad;
    M.Geometry = geometryOf(E, Flags);
    if (!isExtent(E, M.Geometry))
      return cudaErrorInvalidValue;
    A->Channels = *D;
    A->Extent = E;
    A->Flags = Flags;
    M.Width = uint32_t(E.width);
    M.Height = uint32_t(E.height ? E.height : 1);
    M.Depth = uint32_t(E.depth ? E.depth : 1);
    M.RowPitch = uint64_t(M.Width) * M.Format.bytes();
    M.SlicePitch = M.RowPitch * M.Height;
    M.Base = reinterpret_cast<uint64_t>(
        C.Memory.allocate(A->bytes(), host::MemoryKind::Array, Api, currentDevice()));
    if (!M.Base)
      return cudaErrorMemoryAllocation;
    *Result = A.get();
    arrays()[A.get()] = std::move(A);
    return cudaSuccess;
  });
}

} // namespace

const cudaArray *scopesan::cpu::lookupArray(cudaArray_const_t Handle) {
  return arrays().count(Handle) ? Handle : nullptr;
}

cudaError_t scopesan::cpu::lacks(const std::string &What) {
  host::incomplete("the CPU backend lacks " + What);
  return cudaErrorNotSupported;
}

cudaError_t scopesan::cpu::texelFormat(const cudaChannelFormatDesc &D, TexelFormat &F,
                                       bool &Normalized) {
  for (const NormalizedFormat &N : NormalizedFormats)
    if (D.f == N.Kind) {
      F = N.Format;
      Normalized = true;
      return cudaSuccess;
    }
  Normalized = false;
  if (D.f == cudaChannelFormatKindNone)
    return cudaErrorInvalidChannelDescriptor;
  if (D.f > cudaChannelFormatKindNone)
    return lacks("compressed, planar and packed channel formats");
  const int Bits[] = {D.x, D.y, D.z, D.w};
  unsigned Channels = 0;
  while (Channels < 4 && Bits[Channels])
    ++Channels;
  for (unsigned I = 0; I < 4; ++I)
    if (Bits[I] != (I < Channels ? D.x : 0))
      return cudaErrorInvalidChannelDescriptor;
  bool Float = D.f == cudaChannelFormatKindFloat;
  bool Known = D.x == 16 || D.x == 32 || (D.x == 8 && !Float);
  if (!Known || !Channels || Channels == 3)
    return cudaErrorInvalidChannelDescriptor;
  F = {Float                                ? ChannelKind::Float
       : D.f == cudaChannelFormatKindSigned ? ChannelKind::Signed
                                            : ChannelKind::Unsigned,
       uint8_t(D.x), uint8_t(Channels)};
  return cudaSuccess;
}

cudaChannelFormatDesc cudaCreateChannelDesc(int X, int Y, int Z, int W, cudaChannelFormatKind F) {
  return {X, Y, Z, W, F};
}

cudaError_t cudaMallocArray(cudaArray_t *Result, const cudaChannelFormatDesc *D, size_t Width,
                            size_t Height, unsigned Flags) {
  if (Flags & (cudaArrayLayered | cudaArrayCubemap))
    return record(cudaErrorInvalidValue);
  return allocateArray("cudaMallocArray", Result, D, {Width, Height, 0}, Flags);
}
cudaError_t cudaMalloc3DArray(cudaArray_t *Result, const cudaChannelFormatDesc *D, cudaExtent E,
                              unsigned Flags) {
  return allocateArray("cudaMalloc3DArray", Result, D, E, Flags);
}

cudaError_t cudaFreeArray(cudaArray_t Handle) {
  return deviceCall([&](Context &C) {
    if (!Handle)
      return cudaSuccess;
    if (cudaError_t E = checkUnsafeCall(C); E != cudaSuccess)
      return E;
    const cudaArray *A = lookupArray(Handle);
    const Allocation *Memory = A ? C.Memory.find(A->Memory.Base) : nullptr;
    if (!Memory)
      return cudaErrorInvalidValue;
    cudaError_t E = endAllocation(C, *Memory, "cudaFreeArray");
    if (E == cudaSuccess)
      arrays().erase(Handle);
    return E;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *D, cudaExtent *E, unsigned *Flags,
                             cudaArray_t Handle) {
  return apiCall([&](Context &) {
    const cudaArray *A = lookupArray(Handle);
    if (!A)
      return cudaErrorInvalidResourceHandle;
    if (D)
      *D = A->Channels;
    if (E)
      *E = A->Extent;
    if (Flags)
      *Flags = A->Flags;
    return cudaSuccess;
  });
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *D, cudaArray_const_t Handle) {
  return apiCall([&](Context &) {
    const cudaArray *A = lookupArray(Handle);
    if (!A || !D)
      return cudaErrorInvalidValue;
    *D = A->Channels;
    return cudaSuccess;
  });
}

// Texture and surface objects.
#include "cpu/shim/arrays.h"

#include <cuda_runtime_api.h>
#include <map>
#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

constexpr uint64_t Alignment = 512, PitchAlignment = 32; ///< as device.cpp reports them

struct Description {
  cudaResourceDesc Resource;
  cudaTextureDesc Texture;
};
std::map<uint64_t, Description> &descriptions() {
  static auto *All = new std::map<uint64_t, Description>;
  return *All;
}

bool lies(Context &C, uint64_t Address, uint64_t Bytes) {
  const Allocation *A = C.Memory.find(Address);
  return A && Bytes && A->contains(Address + Bytes - 1);
}

/// The texels of linear memory, as one row or as rows with a pitch.
cudaError_t describeMemory(Context &C, const void *P, const cudaChannelFormatDesc &D, size_t Width,
                           size_t Height, size_t Pitch, TextureObject &O, bool &Normalized) {
  TexelMemory &M = O.Memory;
  M.Base = reinterpret_cast<uint64_t>(P);
  if (cudaError_t E = texelFormat(D, M.Format, Normalized); E != cudaSuccess)
    return E;
  uint64_t Row = Width * M.Format.bytes();
  if (!Width || !Height || M.Base % Alignment || Width > UINT32_MAX || Height > UINT32_MAX ||
      (Height > 1 && (Pitch < Row || Pitch % PitchAlignment)) ||
      !lies(C, M.Base, (Height - 1) * Pitch + Row))
    return cudaErrorInvalidValue;
  M.Width = uint32_t(Width);
  M.Height = uint32_t(Height);
  M.RowPitch = Height > 1 ? Pitch : Row;
  M.SlicePitch = M.RowPitch * Height;
  return cudaSuccess;
}

cudaError_t describeResource(Context &C, const cudaResourceDesc &R, TextureObject &O,
                             bool &Normalized) {
  switch (R.resType) {
  case cudaResourceTypeArray: {
    const cudaArray *A = lookupArray(R.res.array.array);
    if (!A)
      return cudaErrorInvalidResourceHandle;
    O.Memory = A->Memory;
    Normalized = A->Normalized;
    return cudaSuccess;
  }
  case cudaResourceTypeMipmappedArray:
    return lacks("textures of mipmapped arrays");
  case cudaResourceTypeLinear: {
    const auto &L = R.res.linear;
    TexelFormat F;
    bool Unused;
    if (cudaError_t E = texelFormat(L.desc, F, Unused); E != cudaSuccess)
      return E;
    return describeMemory(C, L.devPtr, L.desc, L.sizeInBytes / F.bytes(), 1, 0, O, Normalized);
  }
  case cudaResourceTypePitch2D: {
    const auto &P = R.res.pitch2D;
    cudaError_t E =
        describeMemory(C, P.devPtr, P.desc, P.width, P.height, P.pitchInBytes, O, Normalized);
    O.Memory.Geometry = TextureGeometry::D2;
    return E;
  }
  }
  return cudaErrorInvalidValue;
}

AddressMode addressMode(cudaTextureAddressMode M) {
  return M == cudaAddressModeWrap     ? AddressMode::Wrap
         : M == cudaAddressModeMirror ? AddressMode::Mirror
         : M == cudaAddressModeBorder ? AddressMode::Border
                                      : AddressMode::Clamp;
}

cudaError_t describeSampling(const cudaTextureDesc &D, bool IsLinearMemory, bool Normalized,
                             TextureObject &O) {
  const TexelFormat &F = O.Memory.Format;
  Sampler &S = O.Sampling;
  bool Fractions = D.readMode == cudaReadModeNormalizedFloat || Normalized;
  if (Fractions && F.Kind != ChannelKind::Float && F.Bits == 32)
    return cudaErrorInvalidNormSetting;
  S.NormalizedFloat = Fractions && F.Kind != ChannelKind::Float;
  S.FromSrgb = D.sRGB && F.Kind == ChannelKind::Unsigned && F.Bits == 8;
  if (IsLinearMemory) { // read by integers: zero outside
    for (AddressMode &M : S.Mode)
      M = AddressMode::Border;
    return cudaSuccess;
  }
  S.Linear = D.filterMode == cudaFilterModeLinear;
  if (S.Linear && !readsFloats(O.Memory, S))
    return cudaErrorInvalidFilterSetting;
  if (S.Linear && D.seamlessCubemap && isCube(O.Memory.Geometry))
    return lacks("seamless filtering of cubemaps");
  S.NormalizedCoordinates = D.normalizedCoords != 0;
  for (unsigned I = 0; I < 3; ++I)
    S.Mode[I] = addressMode(D.addressMode[I]);
  memcpy(S.Border, D.borderColor, sizeof S.Border);
  return cudaSuccess;
}

template <typename Object> cudaError_t destroy(Object Handle, bool IsSurface) {
  return deviceCall([&](Context &C) {
    const TextureObject *O = TheTextures.find(Handle);
    if (!O || O->IsSurface != IsSurface)
      return cudaErrorInvalidValue;
    C.Work.drain(/*RunCallbacks=*/true); // queued kernels know it by its number
    TheTextures.remove(Handle);
    descriptions().erase(Handle);
    return C.Sticky;
  });
}

template <typename Part>
cudaError_t query(uint64_t Handle, bool IsSurface, Part Description::*What, Part *Result) {
  return apiCall([&](Context &) {
    const TextureObject *O = TheTextures.find(Handle);
    if (!O || O->IsSurface != IsSurface || !Result)
      return cudaErrorInvalidValue;
    *Result = descriptions()[Handle].*What;
    return cudaSuccess;
  });
}

} // namespace

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *Result, const cudaResourceDesc *R,
                                    const cudaTextureDesc *D, const cudaResourceViewDesc *View) {
  return deviceCall([&](Context &C) {
    if (!Result || !R || !D)
      return cudaErrorInvalidValue;
    if (View && (View->format != cudaResViewFormatNone || View->firstLayer ||
                 View->firstMipmapLevel || View->lastMipmapLevel))
      return lacks("resource views of textures");
    TextureObject O;
    bool Normalized = false;
    if (cudaError_t E = describeResource(C, *R, O, Normalized); E != cudaSuccess)
      return E;
    bool Linear = R->resType == cudaResourceTypeLinear;
    if (cudaError_t E = describeSampling(*D, Linear, Normalized, O); E != cudaSuccess)
      return E;
    *Result = TheTextures.add(O);
    descriptions()[*Result] = {*R, *D};
    return cudaSuccess;
  });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t Handle) { return destroy(Handle, false); }
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *Result, cudaTextureObject_t Handle) {
  return query(Handle, false, &Description::Resource, Result);
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *Result, cudaTextureObject_t Handle) {
  return query(Handle, false, &Description::Texture, Result);
}
cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *, cudaTextureObject_t) {
  return record(cudaErrorInvalidValue); // no object has a view
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *Result, const cudaResourceDesc *R) {
  return deviceCall([&](Context &) {
    if (!Result || !R || R->resType != cudaResourceTypeArray)
      return cudaErrorInvalidValue;
    const cudaArray *A = lookupArray(R->res.array.array);
    if (!A || !(A->Flags & cudaArraySurfaceLoadStore))
      return cudaErrorInvalidValue;
    TextureObject O;
    O.Memory = A->Memory;
    O.IsSurface = true;
    *Result = TheTextures.add(O);
    descriptions()[*Result] = {*R, {}};
    return cudaSuccess;
  });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t Handle) { return destroy(Handle, true); }
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *Result, cudaSurfaceObject_t Handle) {
  return query(Handle, true, &Description::Resource, Result);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *Result, const cudaChannelFormatDesc *D,
                                                 int Device) {
  return apiCall([&](Context &C) {
    TexelFormat F;
    bool Normalized;
    if (!Result || !D || !C.valid(Device))
      return cudaErrorInvalidValue;
    if (cudaError_t E = texelFormat(*D, F, Normalized); E != cudaSuccess)
      return E;
    *Result = size_t(1) << 28;
    return cudaSuccess;
  });
}

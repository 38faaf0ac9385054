// Copies to and from CUDA arrays. Offsets and widths of the 1D and 2D calls are bytes, those of the
// 3D calls are texels.
#include "cpu/shim/arrays.h"
#include "cpu/shim/copies.h"
#include "cpu/shim/variants.h"

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

/// A place in an array.
cudaError_t placeIn(cudaArray_const_t Handle, const cudaPos &At, Place &P) {
  const cudaArray *A = lookupArray(Handle);
  if (!A)
    return cudaErrorInvalidResourceHandle;
  const TexelMemory &M = A->Memory;
  if (At.x >= M.RowPitch || At.y >= M.Height || At.z >= M.Depth)
    return cudaErrorInvalidValue;
  P = {reinterpret_cast<char *>(M.Base + At.z * M.SlicePitch + At.y * M.RowPitch + At.x),
       M.RowPitch, M.SlicePitch};
  return cudaSuccess;
}

/// Does the box end inside of the array?
bool fits(cudaArray_const_t Handle, const cudaPos &At, const Box &B) {
  const TexelMemory &M = lookupArray(Handle)->Memory;
  return At.x + B.Width <= M.RowPitch && At.y + B.Height <= M.Height && At.z + B.Depth <= M.Depth;
}

/// One side of a copy of rows: memory, or an array from an offset on.
struct Side {
  Side(const void *P, size_t Pitch) : Memory{lineAt(P).Base, Pitch, 0} {}
  Side(cudaArray_const_t A, size_t X, size_t Y) : Array(A), At{X, Y, 0} {}
  Place Memory;
  cudaArray_const_t Array = nullptr;
  cudaPos At{};

  cudaError_t resolve(const Box &B) {
    if (Memory.Base || !Array)
      return Memory.Base && B.Width <= Memory.Pitch ? cudaSuccess : cudaErrorInvalidPitchValue;
    if (cudaError_t E = placeIn(Array, At, Memory); E != cudaSuccess)
      return E;
    return fits(Array, At, B) ? cudaSuccess : cudaErrorInvalidValue;
  }
};

cudaError_t copyRows(const char *Api, Side To, Side From, size_t Width, size_t Height,
                     cudaMemcpyKind Kind, cudaStream_t Queue, bool Async) {
  Box B{Width, Height, 1};
  if (B.empty())
    return copy({Api, {}, {}, B, Kind}, Queue, Async);
  for (Side *S : {&To, &From})
    if (cudaError_t E = apiCall([&](Context &) { return S->resolve(B); }); E != cudaSuccess)
      return E;
  return copy({Api, To.Memory, From.Memory, B, Kind}, Queue, Async);
}

/// `Bytes` bytes, in an array from an offset on and row by row: rows lie without gaps.
cudaError_t copyLine(const char *Api, Side To, Side From, size_t Bytes, cudaMemcpyKind Kind,
                     cudaStream_t Queue, bool Async) {
  if (!Bytes)
    return copy({Api, {}, {}, {0, 1, 1}, Kind}, Queue, Async);
  for (Side *S : {&To, &From})
    if (S->Array)
      if (cudaError_t E = apiCall([&](Context &) { return placeIn(S->Array, S->At, S->Memory); });
          E != cudaSuccess)
        return E;
  return copy({Api, To.Memory, From.Memory, {Bytes, 1, 1}, Kind}, Queue, Async);
}

/// Position and texel size of a side of a 3D copy.
cudaError_t placeOf3D(cudaArray_const_t Array, const cudaPitchedPtr &P, cudaPos At, const Box &B,
                      Place &Result) {
  if (!Array) {
    Result = placeOf(P, At);
    return P.ptr ? cudaSuccess : cudaErrorInvalidValue;
  }
  const cudaArray *A = lookupArray(Array);
  if (P.ptr || !A)
    return cudaErrorInvalidValue;
  At.x *= A->Memory.Format.bytes();
  if (cudaError_t E = placeIn(Array, At, Result); E != cudaSuccess)
    return E;
  return fits(Array, At, B) ? cudaSuccess : cudaErrorInvalidValue;
}

} // namespace

cudaError_t scopesan::cpu::copyOf(const char *Api, const cudaMemcpy3DParms &P, CopyWork &W) {
  W = {Api, {}, {}, {P.extent.width, P.extent.height, P.extent.depth}, P.kind};
  uint32_t TexelBytes = 0;
  for (cudaArray_const_t Handle : {P.srcArray, P.dstArray}) {
    if (!Handle)
      continue;
    const cudaArray *A = lookupArray(Handle);
    if (!A || (TexelBytes && TexelBytes != A->Memory.Format.bytes()))
      return cudaErrorInvalidValue;
    TexelBytes = A->Memory.Format.bytes();
  }
  W.Size.Width *= TexelBytes ? TexelBytes : 1;
  if (W.Size.empty())
    return cudaSuccess;
  if (cudaError_t E = placeOf3D(P.dstArray, P.dstPtr, P.dstPos, W.Size, W.To); E != cudaSuccess)
    return E;
  return placeOf3D(P.srcArray, P.srcPtr, P.srcPos, W.Size, W.From);
}

// Each API, then its variant whose default stream is the thread's own.

cudaError_t cudaMemcpy2DToArray(cudaArray_t To, size_t X, size_t Y, const void *From, size_t Pitch,
                                size_t Width, size_t Height, cudaMemcpyKind Kind) {
  return copyRows("cudaMemcpy2DToArray", {To, X, Y}, {From, Pitch}, Width, Height, Kind,
                  cudaStreamLegacy, false);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t To, size_t X, size_t Y,
                                                     const void *From, size_t Pitch, size_t Width,
                                                     size_t Height, cudaMemcpyKind Kind) {
  return copyRows("cudaMemcpy2DToArray", {To, X, Y}, {From, Pitch}, Width, Height, Kind,
                  cudaStreamPerThread, false);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t To, size_t X, size_t Y, const void *From,
                                     size_t Pitch, size_t Width, size_t Height, cudaMemcpyKind Kind,
                                     cudaStream_t S) {
  return copyRows("cudaMemcpy2DToArrayAsync", {To, X, Y}, {From, Pitch}, Width, Height, Kind, S,
                  true);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t To, size_t X, size_t Y,
                                                          const void *From, size_t Pitch,
                                                          size_t Width, size_t Height,
                                                          cudaMemcpyKind Kind, cudaStream_t S) {
  return cudaMemcpy2DToArrayAsync(To, X, Y, From, Pitch, Width, Height, Kind, perThread(S));
}
cudaError_t cudaMemcpy2DFromArray(void *To, size_t Pitch, cudaArray_const_t From, size_t X,
                                  size_t Y, size_t Width, size_t Height, cudaMemcpyKind Kind) {
  return copyRows("cudaMemcpy2DFromArray", {To, Pitch}, {From, X, Y}, Width, Height, Kind,
                  cudaStreamLegacy, false);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpy2DFromArray_ptds(void *To, size_t Pitch,
                                                       cudaArray_const_t From, size_t X, size_t Y,
                                                       size_t Width, size_t Height,
                                                       cudaMemcpyKind Kind) {
  return copyRows("cudaMemcpy2DFromArray", {To, Pitch}, {From, X, Y}, Width, Height, Kind,
                  cudaStreamPerThread, false);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *To, size_t Pitch, cudaArray_const_t From, size_t X,
                                       size_t Y, size_t Width, size_t Height, cudaMemcpyKind Kind,
                                       cudaStream_t S) {
  return copyRows("cudaMemcpy2DFromArrayAsync", {To, Pitch}, {From, X, Y}, Width, Height, Kind, S,
                  true);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void *To, size_t Pitch,
                                                            cudaArray_const_t From, size_t X,
                                                            size_t Y, size_t Width, size_t Height,
                                                            cudaMemcpyKind Kind, cudaStream_t S) {
  return cudaMemcpy2DFromArrayAsync(To, Pitch, From, X, Y, Width, Height, Kind, perThread(S));
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t To, size_t ToX, size_t ToY, cudaArray_const_t From,
                                     size_t FromX, size_t FromY, size_t Width, size_t Height,
                                     cudaMemcpyKind Kind) {
  return copyRows("cudaMemcpy2DArrayToArray", {To, ToX, ToY}, {From, FromX, FromY}, Width, Height,
                  Kind, cudaStreamLegacy, false);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t To, size_t ToX, size_t ToY,
                                                          cudaArray_const_t From, size_t FromX,
                                                          size_t FromY, size_t Width, size_t Height,
                                                          cudaMemcpyKind Kind) {
  return copyRows("cudaMemcpy2DArrayToArray", {To, ToX, ToY}, {From, FromX, FromY}, Width, Height,
                  Kind, cudaStreamPerThread, false);
}

// The deprecated calls.

cudaError_t cudaMemcpyToArray(cudaArray_t To, size_t X, size_t Y, const void *From, size_t Bytes,
                              cudaMemcpyKind Kind) {
  return copyLine("cudaMemcpyToArray", {To, X, Y}, {From, 0}, Bytes, Kind, cudaStreamLegacy, false);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpyToArray_ptds(cudaArray_t To, size_t X, size_t Y,
                                                   const void *From, size_t Bytes,
                                                   cudaMemcpyKind Kind) {
  return copyLine("cudaMemcpyToArray", {To, X, Y}, {From, 0}, Bytes, Kind, cudaStreamPerThread,
                  false);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t To, size_t X, size_t Y, const void *From,
                                   size_t Bytes, cudaMemcpyKind Kind, cudaStream_t S) {
  return copyLine("cudaMemcpyToArrayAsync", {To, X, Y}, {From, 0}, Bytes, Kind, S, true);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t To, size_t X, size_t Y,
                                                        const void *From, size_t Bytes,
                                                        cudaMemcpyKind Kind, cudaStream_t S) {
  return cudaMemcpyToArrayAsync(To, X, Y, From, Bytes, Kind, perThread(S));
}
cudaError_t cudaMemcpyFromArray(void *To, cudaArray_const_t From, size_t X, size_t Y, size_t Bytes,
                                cudaMemcpyKind Kind) {
  return copyLine("cudaMemcpyFromArray", {To, 0}, {From, X, Y}, Bytes, Kind, cudaStreamLegacy,
                  false);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpyFromArray_ptds(void *To, cudaArray_const_t From, size_t X,
                                                     size_t Y, size_t Bytes, cudaMemcpyKind Kind) {
  return copyLine("cudaMemcpyFromArray", {To, 0}, {From, X, Y}, Bytes, Kind, cudaStreamPerThread,
                  false);
}
cudaError_t cudaMemcpyFromArrayAsync(void *To, cudaArray_const_t From, size_t X, size_t Y,
                                     size_t Bytes, cudaMemcpyKind Kind, cudaStream_t S) {
  return copyLine("cudaMemcpyFromArrayAsync", {To, 0}, {From, X, Y}, Bytes, Kind, S, true);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpyFromArrayAsync_ptsz(void *To, cudaArray_const_t From,
                                                          size_t X, size_t Y, size_t Bytes,
                                                          cudaMemcpyKind Kind, cudaStream_t S) {
  return cudaMemcpyFromArrayAsync(To, From, X, Y, Bytes, Kind, perThread(S));
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t To, size_t ToX, size_t ToY, cudaArray_const_t From,
                                   size_t FromX, size_t FromY, size_t Bytes, cudaMemcpyKind Kind) {
  return copyLine("cudaMemcpyArrayToArray", {To, ToX, ToY}, {From, FromX, FromY}, Bytes, Kind,
                  cudaStreamLegacy, false);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t To, size_t ToX, size_t ToY,
                                                        cudaArray_const_t From, size_t FromX,
                                                        size_t FromY, size_t Bytes,
                                                        cudaMemcpyKind Kind) {
  return copyLine("cudaMemcpyArrayToArray", {To, ToX, ToY}, {From, FromX, FromY}, Bytes, Kind,
                  cudaStreamPerThread, false);
}

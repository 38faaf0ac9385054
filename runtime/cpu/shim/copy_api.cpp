// cudaMemcpy*, cudaMemset* and their variants.
#include "cpu/shim/arrays.h"
#include "cpu/shim/copies.h"
#include "cpu/shim/variants.h"

#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

cudaError_t copyLine(const char *Api, void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind,
                     cudaStream_t Queue, bool Async) {
  return copy({Api, lineAt(To), lineAt(From), {Bytes, 1, 1}, Kind}, Queue, Async);
}

cudaError_t copyRows(const char *Api, void *To, size_t ToPitch, const void *From, size_t FromPitch,
                     size_t Width, size_t Height, cudaMemcpyKind Kind, cudaStream_t Queue,
                     bool Async) {
  if (Width > ToPitch || Width > FromPitch)
    return record(cudaErrorInvalidPitchValue);
  Place T{static_cast<char *>(To), ToPitch, 0};
  Place F{static_cast<char *>(const_cast<void *>(From)), FromPitch, 0};
  return copy({Api, T, F, {Width, Height, 1}, Kind}, Queue, Async);
}

cudaError_t copyBox(const char *Api, const cudaMemcpy3DParms *P, cudaStream_t Queue, bool Async) {
  if (!P)
    return record(cudaErrorInvalidValue);
  CopyWork W;
  cudaError_t E = apiCall([&](Context &) { return copyOf(Api, *P, W); });
  return E == cudaSuccess ? copy(W, Queue, Async) : E;
}

cudaError_t checkPeers(int To, int From) {
  return apiCall([&](Context &C) {
    return C.valid(To) && C.valid(From) ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t peerCopy(const CopyWork &W, int ToDevice, int FromDevice) {
  if (cudaError_t E = checkPeers(ToDevice, FromDevice); E != cudaSuccess)
    return E;
  return serializedCopy(W, {currentDevice(), ToDevice, FromDevice});
}

cudaError_t fillLine(const char *Api, void *To, int Value, size_t Bytes, cudaStream_t Queue,
                     bool Async) {
  return fill({Api, lineAt(To), {Bytes, 1, 1}, uint32_t(Value), 1}, Queue, Async);
}

cudaError_t fillRows(const char *Api, void *To, size_t Pitch, int Value, size_t Width,
                     size_t Height, cudaStream_t Queue, bool Async) {
  Place At{static_cast<char *>(To), Pitch, 0};
  return fill({Api, At, {Width, Height, 1}, uint32_t(Value), 1}, Queue, Async);
}

cudaError_t fillBox(const char *Api, cudaPitchedPtr To, int Value, cudaExtent E, cudaStream_t Queue,
                    bool Async) {
  return fill({Api, placeOf(To, {0, 0, 0}), {E.width, E.height, E.depth}, uint32_t(Value), 1},
              Queue, Async);
}

} // namespace

// Each API, then its variant whose default stream is the thread's own.

cudaError_t cudaMemcpy(void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind) {
  return copyLine("cudaMemcpy", To, From, Bytes, Kind, cudaStreamLegacy, false);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpy_ptds(void *To, const void *From, size_t Bytes,
                                            cudaMemcpyKind Kind) {
  return copyLine("cudaMemcpy", To, From, Bytes, Kind, cudaStreamPerThread, false);
}
cudaError_t cudaMemcpyAsync(void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind,
                            cudaStream_t S) {
  return copyLine("cudaMemcpyAsync", To, From, Bytes, Kind, S, true);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpyAsync_ptsz(void *To, const void *From, size_t Bytes,
                                                 cudaMemcpyKind Kind, cudaStream_t S) {
  return cudaMemcpyAsync(To, From, Bytes, Kind, perThread(S));
}

// Copies between devices. Without "Async": asynchronous for the host, but after all work of the
// current, the source and the destination device so far, and before all their later work.

cudaError_t cudaMemcpyPeer(void *To, int ToDevice, const void *From, int FromDevice, size_t Bytes) {
  return peerCopy({"cudaMemcpyPeer", lineAt(To), lineAt(From), {Bytes, 1, 1}}, ToDevice,
                  FromDevice);
}
cudaError_t cudaMemcpyPeerAsync(void *To, int ToDevice, const void *From, int FromDevice,
                                size_t Bytes, cudaStream_t S) {
  if (cudaError_t E = checkPeers(ToDevice, FromDevice); E != cudaSuccess)
    return E;
  return copyLine("cudaMemcpyPeerAsync", To, From, Bytes, cudaMemcpyDefault, S, true);
}
static bool peerBox(const char *Api, const cudaMemcpy3DPeerParms *P, CopyWork &W) {
  if (!P)
    return record(cudaErrorInvalidValue), false;
  if (P->srcArray || P->dstArray) {
    host::incomplete("the CPU backend lacks CUDA arrays (" + std::string(Api) + ")");
    return record(cudaErrorNotSupported), false;
  }
  W = {Api,
       placeOf(P->dstPtr, P->dstPos),
       placeOf(P->srcPtr, P->srcPos),
       {P->extent.width, P->extent.height, P->extent.depth}};
  return true;
}
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *P) {
  CopyWork W;
  return peerBox("cudaMemcpy3DPeer", P, W) ? peerCopy(W, P->dstDevice, P->srcDevice) : lastError();
}
SCOPESAN_EXPORT cudaError_t cudaMemcpy3DPeer_ptds(const cudaMemcpy3DPeerParms *P) {
  return cudaMemcpy3DPeer(P);
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *P, cudaStream_t S) {
  CopyWork W;
  if (!peerBox("cudaMemcpy3DPeerAsync", P, W))
    return lastError();
  if (cudaError_t E = checkPeers(P->dstDevice, P->srcDevice); E != cudaSuccess)
    return E;
  return copy(W, S, true);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpy3DPeerAsync_ptsz(const cudaMemcpy3DPeerParms *P,
                                                       cudaStream_t S) {
  return cudaMemcpy3DPeerAsync(P, perThread(S));
}

cudaError_t cudaMemcpy2D(void *To, size_t ToPitch, const void *From, size_t FromPitch, size_t Width,
                         size_t Height, cudaMemcpyKind Kind) {
  return copyRows("cudaMemcpy2D", To, ToPitch, From, FromPitch, Width, Height, Kind,
                  cudaStreamLegacy, false);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpy2D_ptds(void *To, size_t ToPitch, const void *From,
                                              size_t FromPitch, size_t Width, size_t Height,
                                              cudaMemcpyKind Kind) {
  return copyRows("cudaMemcpy2D", To, ToPitch, From, FromPitch, Width, Height, Kind,
                  cudaStreamPerThread, false);
}
cudaError_t cudaMemcpy2DAsync(void *To, size_t ToPitch, const void *From, size_t FromPitch,
                              size_t Width, size_t Height, cudaMemcpyKind Kind, cudaStream_t S) {
  return copyRows("cudaMemcpy2DAsync", To, ToPitch, From, FromPitch, Width, Height, Kind, S, true);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpy2DAsync_ptsz(void *To, size_t ToPitch, const void *From,
                                                   size_t FromPitch, size_t Width, size_t Height,
                                                   cudaMemcpyKind Kind, cudaStream_t S) {
  return cudaMemcpy2DAsync(To, ToPitch, From, FromPitch, Width, Height, Kind, perThread(S));
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *P) {
  return copyBox("cudaMemcpy3D", P, cudaStreamLegacy, false);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpy3D_ptds(const cudaMemcpy3DParms *P) {
  return copyBox("cudaMemcpy3D", P, cudaStreamPerThread, false);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *P, cudaStream_t S) {
  return copyBox("cudaMemcpy3DAsync", P, S, true);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpy3DAsync_ptsz(const cudaMemcpy3DParms *P, cudaStream_t S) {
  return copyBox("cudaMemcpy3DAsync", P, perThread(S), true);
}

cudaError_t cudaMemset(void *To, int Value, size_t Bytes) {
  return fillLine("cudaMemset", To, Value, Bytes, cudaStreamLegacy, false);
}
SCOPESAN_EXPORT cudaError_t cudaMemset_ptds(void *To, int Value, size_t Bytes) {
  return fillLine("cudaMemset", To, Value, Bytes, cudaStreamPerThread, false);
}
cudaError_t cudaMemsetAsync(void *To, int Value, size_t Bytes, cudaStream_t S) {
  return fillLine("cudaMemsetAsync", To, Value, Bytes, S, true);
}
SCOPESAN_EXPORT cudaError_t cudaMemsetAsync_ptsz(void *To, int Value, size_t Bytes,
                                                 cudaStream_t S) {
  return fillLine("cudaMemsetAsync", To, Value, Bytes, perThread(S), true);
}
cudaError_t cudaMemset2D(void *To, size_t Pitch, int Value, size_t Width, size_t Height) {
  return fillRows("cudaMemset2D", To, Pitch, Value, Width, Height, cudaStreamLegacy, false);
}
SCOPESAN_EXPORT cudaError_t cudaMemset2D_ptds(void *To, size_t Pitch, int Value, size_t Width,
                                              size_t Height) {
  return fillRows("cudaMemset2D", To, Pitch, Value, Width, Height, cudaStreamPerThread, false);
}
cudaError_t cudaMemset2DAsync(void *To, size_t Pitch, int Value, size_t Width, size_t Height,
                              cudaStream_t S) {
  return fillRows("cudaMemset2DAsync", To, Pitch, Value, Width, Height, S, true);
}
SCOPESAN_EXPORT cudaError_t cudaMemset2DAsync_ptsz(void *To, size_t Pitch, int Value, size_t Width,
                                                   size_t Height, cudaStream_t S) {
  return fillRows("cudaMemset2DAsync", To, Pitch, Value, Width, Height, perThread(S), true);
}
cudaError_t cudaMemset3D(cudaPitchedPtr To, int Value, cudaExtent E) {
  return fillBox("cudaMemset3D", To, Value, E, cudaStreamLegacy, false);
}
SCOPESAN_EXPORT cudaError_t cudaMemset3D_ptds(cudaPitchedPtr To, int Value, cudaExtent E) {
  return fillBox("cudaMemset3D", To, Value, E, cudaStreamPerThread, false);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr To, int Value, cudaExtent E, cudaStream_t S) {
  return fillBox("cudaMemset3DAsync", To, Value, E, S, true);
}
SCOPESAN_EXPORT cudaError_t cudaMemset3DAsync_ptsz(cudaPitchedPtr To, int Value, cudaExtent E,
                                                   cudaStream_t S) {
  return fillBox("cudaMemset3DAsync", To, Value, E, perThread(S), true);
}

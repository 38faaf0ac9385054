#include "cpu/shim/copies.h"

#include "cpu/shim/capture.h"
#include "cpu/shim/variants.h"
#include "host/copy_promise.h"

using namespace scopesan;
using namespace scopesan::cpu;
using host::CopyPromise;
using host::CopySide;

namespace {

uint64_t raw(const void *P) { return reinterpret_cast<uint64_t>(P); }

/// The whole box lies inside the allocation that contains its start.
bool inside(const Allocation &A, const Place &P, const Box &B) {
  uint64_t Last = raw(P.Base) + (B.Depth - 1) * P.Slice + (B.Height - 1) * P.Pitch + B.Width - 1;
  return A.contains(Last);
}

CopySide sideOf(Context &C, const Place &P) {
  const Allocation *A = C.Memory.find(P.Base);
  return host::copySide(A ? &A->Kind : nullptr);
}

/// Pageable memory is read at the call: CUDA stages it.
void stage(CopyWork &W) {
  W.Staged = std::make_shared<std::vector<char>>(W.Size.Width * W.Size.Height * W.Size.Depth);
  moveBytes({W.Staged->data(), W.Size.Width, W.Size.Width * W.Size.Height}, W.From, W.Size);
}

} // namespace

cudaError_t scopesan::cpu::checkCopy(Context &C, CopyWork &W) {
  if (!W.To.Base || !W.From.Base)
    return cudaErrorInvalidValue;
  if (unsigned(W.Kind) > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  const Allocation *To = C.Memory.find(W.To.Base), *From = C.Memory.find(W.From.Base);
  W.ToKnown = To != nullptr;
  W.FromKnown = From != nullptr;
  bool ToDevice = W.Kind == cudaMemcpyHostToDevice || W.Kind == cudaMemcpyDeviceToDevice;
  bool FromDevice = W.Kind == cudaMemcpyDeviceToHost || W.Kind == cudaMemcpyDeviceToDevice;
  if ((ToDevice && !To) || (FromDevice && !From))
    return cudaErrorInvalidValue;
  if ((To && !inside(*To, W.To, W.Size)) || (From && !inside(*From, W.From, W.Size)))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

cudaError_t scopesan::cpu::checkFill(Context &C, const FillWork &W) {
  const Allocation *A = C.Memory.find(W.To.Base);
  return A && inside(*A, W.To, W.Size) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t scopesan::cpu::copy(const CopyWork &Given, cudaStream_t Queue, bool Async) {
  return streamCall(Queue, [&](Context &C, Stream &S) {
    CopyWork W = Given;
    W.Async = Async;
    if (W.Size.empty())
      return cudaSuccess;
    if (cudaError_t E = checkCopy(C, W); E != cudaSuccess)
      return E;
    if (S.Capturing)
      return Async ? submit(C, S, W) : captureFails(S, cudaErrorStreamCaptureImplicit);
    CopySide To = sideOf(C, W.To), From = sideOf(C, W.From);
    CopyPromise P = host::copyPromise(To, From, Async);
    if (P == CopyPromise::Staged)
      if (cudaError_t E = C.Work.waitForStream(S); E != cudaSuccess)
        return E;
    if (From == CopySide::Pageable && P != CopyPromise::Complete)
      stage(W);
    OperationRef Op;
    if (cudaError_t E = submit(C, S, W, &Op); E != cudaSuccess)
      return E;
    if (P == CopyPromise::Complete)
      return C.Work.waitFor(Op);
    // The buffer may be gone when the caller goes on; CUDA completes such a copy in the call, too.
    return To == CopySide::Pageable ? C.Work.runUntilDone(Op) : cudaSuccess;
  });
}

cudaError_t scopesan::cpu::serializedCopy(CopyWork W, const std::vector<int> &Devices) {
  return streamCall(cudaStreamLegacy, [&](Context &C, Stream &S) {
    if (W.Size.empty())
      return cudaSuccess;
    if (cudaError_t E = checkCopy(C, W); E != cudaSuccess)
      return E;
    if (cudaError_t E = checkUnsafeCall(C); E != cudaSuccess)
      return E;
    Dependencies Before;
    for (int D : Devices) {
      Dependencies All = C.Streams.everythingOn(D);
      Before.insert(Before.end(), All.begin(), All.end());
    }
    OperationRef Op = C.Work.enqueue(S, W, Before);
    for (int D : Devices)
      C.Streams.serialize(D, {Op, Op->Node});
    return cudaSuccess;
  });
}

cudaError_t scopesan::cpu::fill(const FillWork &W, cudaStream_t Queue, bool Async) {
  return streamCall(Queue, [&](Context &C, Stream &S) {
    if (W.Size.empty())
      return cudaSuccess;
    if (cudaError_t E = checkFill(C, W); E != cudaSuccess)
      return E;
    if (S.Capturing && !Async)
      return captureFails(S, cudaErrorStreamCaptureImplicit);
    OperationRef Op;
    if (cudaError_t E = submit(C, S, W, &Op); E != cudaSuccess)
      return E;
    bool Waits = host::fillPromise(sideOf(C, W.To), Async) == CopyPromise::Complete;
    return Waits ? C.Work.waitFor(Op) : cudaSuccess;
  });
}

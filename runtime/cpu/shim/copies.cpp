#include "cpu/shim/copies.h"

#include "cpu/shim/capture.h"
#include "cpu/shim/variants.h"

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

uint64_t raw(const void *P) { return reinterpret_cast<uint64_t>(P); }

/// The whole box lies inside the allocation that contains its start.
bool inside(const Allocation &A, const Place &P, const Box &B) {
  uint64_t Last = raw(P.Base) + (B.Depth - 1) * P.Slice + (B.Height - 1) * P.Pitch + B.Width - 1;
  return A.contains(Last);
}

/// What the synchronization behaviour of a copy depends on.
enum class Side { Pageable, Pinned, Managed, Device };

Side sideOf(Context &C, const Place &P) {
  const Allocation *A = C.Memory.find(P.Base);
  if (!A)
    return Side::Pageable;
  if (A->Kind == host::MemoryKind::Managed)
    return Side::Managed;
  return A->onHost() ? Side::Pinned : Side::Device;
}

/// Pageable memory is read at the call: CUDA stages it.
void stage(CopyWork &W) {
  W.Staged = std::make_shared<std::vector<char>>(W.Size.Width * W.Size.Height * W.Size.Depth);
  moveBytes({W.Staged->data(), W.Size.Width, W.Size.Width * W.Size.Height}, W.From, W.Size);
}

/// What a copy promises to the host that calls it ("API synchronization behavior" of the CUDA
/// runtime's reference):
///   synchronous    pageable -> device  waits for the stream, returns when the source is staged
///                  device -> device    nothing
///                  all others          returns when the copy is complete
///   asynchronous   host -> host        returns when the copy is complete
///                  device <-> pageable "might be synchronous": nothing
///                  all others          nothing
/// Copies that involve managed memory count as host copies where they are synchronous.
enum class Promise { Nothing, Staged, Complete };

Promise promiseOf(Side To, Side From, bool Async) {
  bool ToHost = To == Side::Pageable || To == Side::Pinned;
  bool FromHost = From == Side::Pageable || From == Side::Pinned;
  if (ToHost && FromHost)
    return Promise::Complete;
  if (Async || (To == Side::Device && From == Side::Device))
    return Promise::Nothing;
  if (To == Side::Device && From == Side::Pageable && host::options().pageable_copy == "staged")
    return Promise::Staged;
  return Promise::Complete;
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
    if (W.Size.empty())
      return cudaSuccess;
    if (cudaError_t E = checkCopy(C, W); E != cudaSuccess)
      return E;
    if (S.Capturing)
      return Async ? submit(C, S, W) : captureFails(S, cudaErrorStreamCaptureImplicit);
    Side To = sideOf(C, W.To), From = sideOf(C, W.From);
    Promise P = promiseOf(To, From, Async);
    if (P == Promise::Staged)
      if (cudaError_t E = C.Work.waitForStream(S); E != cudaSuccess)
        return E;
    if (From == Side::Pageable && P != Promise::Complete)
      stage(W);
    OperationRef Op;
    if (cudaError_t E = submit(C, S, W, &Op); E != cudaSuccess)
      return E;
    if (P == Promise::Complete)
      return C.Work.waitFor(Op);
    // The buffer may be gone when the caller goes on; CUDA completes such a copy in the call, too.
    return To == Side::Pageable ? C.Work.runUntilDone(Op) : cudaSuccess;
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
    // Documented: asynchronous with respect to the host except on pinned host memory.
    return !Async && sideOf(C, W.To) == Side::Pinned ? C.Work.waitFor(Op) : cudaSuccess;
  });
}

#include "cpu/shim/copies.h"

#include "cpu/shim/variants.h"

#include <memory>
#include <string.h>
#include <vector>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

uint64_t raw(const void *P) { return reinterpret_cast<uint64_t>(P); }

bool onDeviceOnly(const Allocation *A) {
  return A && !A->onHost() && A->Kind != host::MemoryKind::Managed;
}

/// Reports the accesses of a copy's one side. Pageable host memory is not shadowed.
void shadow(Context &C, core::NodeId Node, const Place &P, const Box &B, bool Write) {
  forRuns(P, B, [&](char *Run, size_t Bytes) {
    if (!C.Memory.find(Run))
      return;
    if (Write)
      C.Detector->nodeWrite(Node, raw(Run), Bytes, core::SiteId{});
    else
      C.Detector->nodeRead(Node, raw(Run), Bytes, core::SiteId{});
  });
}

void moveBytes(const Place &To, const Place &From, const Box &B) {
  for (size_t Z = 0; Z < B.Depth; ++Z)
    for (size_t Y = 0; Y < B.Height; ++Y)
      memmove(To.Base + Z * To.Slice + Y * To.Pitch, From.Base + Z * From.Slice + Y * From.Pitch,
              B.Width);
}

/// The whole box lies inside the allocation that contains its start.
bool inside(const Allocation &A, const Place &P, const Box &B) {
  uint64_t Last = raw(P.Base) + (B.Depth - 1) * P.Slice + (B.Height - 1) * P.Pitch + B.Width - 1;
  return A.contains(Last);
}

struct Sides {
  const Allocation *To, *From;
};

cudaError_t check(const CopyRequest &R, const Sides &S) {
  if (!R.To.Base || !R.From.Base)
    return cudaErrorInvalidValue;
  if (unsigned(R.Kind) > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  bool ToDevice = R.Kind == cudaMemcpyHostToDevice || R.Kind == cudaMemcpyDeviceToDevice;
  bool FromDevice = R.Kind == cudaMemcpyDeviceToHost || R.Kind == cudaMemcpyDeviceToDevice;
  if ((ToDevice && !S.To) || (FromDevice && !S.From))
    return cudaErrorInvalidValue;
  if ((S.To && !inside(*S.To, R.To, R.Size)) || (S.From && !inside(*S.From, R.From, R.Size)))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

/// An asynchronous copy takes pageable memory at the call: CUDA stages it.
std::shared_ptr<std::vector<char>> stage(Place &From, const Box &B) {
  auto Copy = std::make_shared<std::vector<char>>(B.Width * B.Height * B.Depth);
  Place Staged{Copy->data(), B.Width, B.Width * B.Height};
  moveBytes(Staged, From, B);
  From = Staged;
  return Copy;
}

} // namespace

// When the host waits: copies to pageable memory always; synchronous copies unless both sides are
// device memory (documented in "API synchronization behavior"). A synchronous copy from pageable
// memory may return before the transfer in CUDA; it is taken as complete, as everybody assumes.
cudaError_t scopesan::cpu::copy(const CopyRequest &R) {
  return streamCall(R.Queue, [&](Context &C, Stream &S) {
    if (R.Size.empty())
      return cudaSuccess;
    Sides Known{C.Memory.find(R.To.Base), C.Memory.find(R.From.Base)};
    if (cudaError_t E = check(R, Known); E != cudaSuccess)
      return E;
    bool Wait = R.Async ? !Known.To : !(onDeviceOnly(Known.To) && onDeviceOnly(Known.From));
    Place From = R.From;
    std::shared_ptr<std::vector<char>> Staged;
    if (!Wait && !Known.From)
      Staged = stage(From, R.Size);
    OperationRef Op =
        C.Work.enqueueCopy(S, [&C, To = R.To, From, Size = R.Size, Staged](Operation &Self) {
          shadow(C, Self.Node, From, Size, false);
          shadow(C, Self.Node, To, Size, true);
          moveBytes(To, From, Size);
        });
    host::nodeNamed(Op->Node, R.Api, S.Ordinal);
    return Wait ? C.Work.waitFor(Op) : cudaSuccess;
  });
}

cudaError_t scopesan::cpu::fill(const FillRequest &R) {
  return streamCall(R.Queue, [&](Context &C, Stream &S) {
    if (R.Size.empty())
      return cudaSuccess;
    const Allocation *A = C.Memory.find(R.To.Base);
    if (!A || !inside(*A, R.To, R.Size))
      return cudaErrorInvalidValue;
    OperationRef Op =
        C.Work.enqueueCopy(S, [&C, To = R.To, Size = R.Size, Value = R.Value](Operation &Self) {
          shadow(C, Self.Node, To, Size, true);
          forRuns(To, Size, [&](char *Run, size_t Bytes) { memset(Run, Value, Bytes); });
        });
    host::nodeNamed(Op->Node, R.Api, S.Ordinal);
    return !R.Async && A->onHost() ? C.Work.waitFor(Op) : cudaSuccess;
  });
}

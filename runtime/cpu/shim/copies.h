// Copies and fills: rows of bytes between two places, as one actor in stream order (O7).
#pragma once

#include "cpu/shim/context.h"

namespace scopesan::cpu {

/// Calls F(address, bytes) for each contiguous run of a box at a place.
template <typename Function> void forRuns(const Place &P, const Box &B, Function F) {
  if (B.Height == 1 && B.Depth == 1)
    return F(P.Base, B.Width);
  if (P.Pitch == B.Width && (B.Depth == 1 || P.Slice == B.Width * B.Height))
    return F(P.Base, B.Width * B.Height * B.Depth);
  for (size_t Z = 0; Z < B.Depth; ++Z)
    for (size_t Y = 0; Y < B.Height; ++Y)
      F(P.Base + Z * P.Slice + Y * P.Pitch, B.Width);
}
void moveBytes(const Place &To, const Place &From, const Box &B);

inline Place lineAt(const void *P) { return {static_cast<char *>(const_cast<void *>(P)), 0, 0}; }
inline Place placeOf(const cudaPitchedPtr &P, const cudaPos &At) {
  size_t Slice = P.pitch * P.ysize;
  return {static_cast<char *>(P.ptr) + At.z * Slice + At.y * P.pitch + At.x, P.pitch, Slice};
}

/// Are the places inside known memory, as far as the direction demands it?
cudaError_t checkCopy(Context &C, CopyWork &W);
cudaError_t checkFill(Context &C, const FillWork &W);

/// Where `Bytes` at `Offset` of a device variable lie; an error when they do not fit.
cudaError_t resolveSymbol(const void *Symbol, size_t Offset, size_t Bytes, char *&Address);

/// A copy as an API call asks for it: checks, enqueues or captures, and synchronizes with the host
/// as documented.
cudaError_t copy(const CopyWork &W, cudaStream_t Queue, bool Async);
cudaError_t fill(const FillWork &W, cudaStream_t Queue, bool Async);
/// A copy after all work of the devices so far and before all their later work.
cudaError_t serializedCopy(CopyWork W, const std::vector<int> &Devices);

} // namespace scopesan::cpu

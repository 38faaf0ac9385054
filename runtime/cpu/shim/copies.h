// Copies and fills: rows of bytes between two places, as one actor in stream order (O7).
#pragma once

#include "cpu/shim/context.h"

namespace scopesan::cpu {

struct Place {
  char *Base = nullptr;
  size_t Pitch = 0; ///< bytes from row to row
  size_t Slice = 0; ///< bytes from plane to plane
};

struct Box {
  size_t Width = 0; ///< bytes
  size_t Height = 1, Depth = 1;
  bool empty() const { return !Width || !Height || !Depth; }
};

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

struct CopyRequest {
  const char *Api;
  Place To, From;
  Box Size;
  cudaMemcpyKind Kind;
  cudaStream_t Queue;
  bool Async;
};
cudaError_t copy(const CopyRequest &R);

struct FillRequest {
  const char *Api;
  Place To;
  Box Size;
  int Value;
  cudaStream_t Queue;
  bool Async;
};
cudaError_t fill(const FillRequest &R);

} // namespace scopesan::cpu

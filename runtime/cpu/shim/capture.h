// Stream capture: work goes into a graph instead of the queue.
//
//   none --cudaStreamBeginCapture--> active --forbidden call--> invalidated
//   active, invalidated --cudaStreamEndCapture--> none
// Other streams join when they wait for an event that was recorded in a capturing stream.
#pragma once

#include "cpu/shim/context.h"
#include "cpu/shim/graph.h"

#include <thread>

namespace scopesan::cpu {

struct Capture {
  uint64_t Id = 0;
  Graph *Into = nullptr;
  std::unique_ptr<Graph> Owned; ///< `Into`, unless the program gave the graph
  Stream *Origin = nullptr;
  std::vector<Stream *> Streams; ///< all that take part
  cudaStreamCaptureMode Mode = cudaStreamCaptureModeGlobal;
  std::thread::id Thread;
  bool Invalidated = false;
};

/// Enqueues the work in the stream, or adds it to the graph that the stream captures. `Enqueued`
/// is null for captured work.
cudaError_t submit(Context &C, Stream &S, const Work &W, OperationRef *Enqueued = nullptr);
/// Adds a node after the stream's captured work.
cudaError_t captureNode(Stream &S, cudaGraphNodeType Type, NodeWork W);

/// The batch follows the stream's work; its parts are in no order among themselves. Part I also
/// follows `Extra[I]`, where that names an operation; a captured batch has no `Extra`.
cudaError_t submitParallel(Context &C, Stream &S, const std::vector<Work> &List,
                           const Dependencies &Extra = {});

/// The call cannot be captured: the capture is invalidated. Returns `E`.
cudaError_t captureFails(Stream &S, cudaError_t E);
/// For calls that are unsafe during capture (allocation, device-wide synchronization): an error
/// when the calling thread's captures forbid them, which invalidates those.
cudaError_t checkUnsafeCall(Context &C);
/// For operations in the legacy default stream: it would join capturing blocking streams.
cudaError_t checkImplicitJoin(Context &C, const Stream &S);

/// The stream waits for an event recorded in a capture, or for one that was not while it captures.
cudaError_t captureWait(Stream &S, Event &E);
void captureRecord(Stream &S, Event &E);

} // namespace scopesan::cpu

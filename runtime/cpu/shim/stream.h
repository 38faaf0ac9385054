// Streams and events: the places in order that API calls name.
#pragma once

#include "cpu/shim/cuda_api.h"
#include "cpu/shim/operation.h"

#include <optional>

namespace scopesan::cpu {

struct Capture;
struct GraphNode;

struct Stream {
  uint32_t Ordinal = 0; ///< order of creation; 0 = legacy default stream of device 0
  int Device = 0;
  unsigned Flags = cudaStreamDefault;
  int Priority = 0;
  bool IsLegacy = false;
  bool Blocking = true;   ///< synchronizes with the legacy default stream
  bool Destroyed = false; ///< by the program; lives on until its work is done
  core::TimelineId Timeline;

  /// What the next operation follows: the last one, or a chain of programmatic launches.
  Dependencies Tail;
  Dependencies Root;                       ///< what the first launch of that chain followed
  std::vector<core::TimelineId> SideLines; ///< of the further launches of a chain
  bool TailIsKernel = false;
  uint32_t Pending = 0;      ///< operations that are not done
  uint64_t LastSequence = 0; ///< of the most recent operation
  core::NodeId HostKnows;    ///< node of this stream that the host was last ordered after

  /// P6: attributes that the program set.
  std::optional<cudaLaunchMemSyncDomain> Domain;
  std::optional<cudaLaunchMemSyncDomainMap> DomainMap;
  Hints Others;

  /// Stream capture: null when the stream is not capturing.
  std::shared_ptr<Capture> Capturing;
  std::vector<GraphNode *> CaptureTail; ///< nodes that the next captured node follows
};

struct Event {
  unsigned Flags = cudaEventDefault;
  int Device = 0;
  Dependencies LastRecord; ///< what the event's latest record stands for
  bool Recorded = false;
  std::shared_ptr<uint64_t> Time; ///< virtual nanoseconds, written when the record is reached

  /// Recorded in a capturing stream: the nodes at that point instead.
  std::shared_ptr<Capture> Captured;
  std::vector<GraphNode *> CapturedNodes;
};

/// Null for a handle that is not an event.
Event *lookupEvent(cudaEvent_t Handle);

} // namespace scopesan::cpu

// The streams of all devices, and which of them the default stream joins (S14).
#pragma once

#include "cpu/shim/stream.h"

#include <unordered_set>

namespace scopesan::cpu {

class StreamTable {
public:
  /// Creates the legacy default stream of each device. `Follows`: is the host ordered after a node?
  void start(int Devices, std::function<bool(core::NodeId)> Follows);

  Stream *create(int Device, unsigned Flags, int Priority);
  void destroy(Stream *S);
  /// A stream's work became less: it goes away when it was destroyed and nothing is left.
  void settled(Stream *S);

  /// Null for a handle that is not a stream. The null handle is the legacy default stream of the
  /// thread's device, cudaStreamPerThread a stream of the calling thread.
  Stream *lookup(cudaStream_t Handle, int CurrentDevice);
  Stream &legacy(int Device) { return *Legacy[size_t(Device)]; }
  static cudaStream_t handleOf(Stream *S) { return reinterpret_cast<cudaStream_t>(S); }

  /// Operations of other streams that the next one of `S` follows: the legacy default stream joins
  /// all blocking streams of its device, both ways; serializing copies join everything.
  Dependencies crossDependencies(Stream &S);
  /// `Op` comes after all work of `Device` so far and before all later work.
  void serialize(int Device, const Dependency &Op) { Barriers[size_t(Device)] = Op; }
  /// All that was enqueued on the device so far.
  Dependencies everythingOn(int Device) const;

  /// The host has waited for the device: what destroyed streams left behind is known to it.
  void hostWaitedFor(int Device);
  const std::vector<Stream *> &all() const { return Streams; }

private:
  /// Replaces what is done by one node after all of it.
  void merge(Dependencies &Kept, core::TimelineId &Line);

  std::vector<Stream *> Streams; ///< in order of creation
  std::unordered_set<const Stream *> Alive;
  std::vector<Stream *> Legacy;        ///< by device
  std::vector<Dependencies> Orphans;   ///< last operations of destroyed blocking streams, by device
  std::vector<Dependencies> Forgotten; ///< likewise of destroyed non-blocking streams
  std::vector<Dependency> Barriers;    ///< by device
  std::vector<core::TimelineId> OrphanLines, ForgottenLines; ///< of merged ones, by device
  std::function<bool(core::NodeId)> HostFollows;
  uint32_t Created = 0;
};

} // namespace scopesan::cpu

// What API calls ask the device to do, kept apart from when it happens: the same item is enqueued
// in a stream or becomes a node of a graph.
#pragma once

#include "cpu/cpu_abi.h"
#include "cpu/shim/cuda_api.h"
#include "scopesan/core/ids.h"

#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace scopesan::cpu {

struct KernelFunction;

/// Attributes of a stream or a kernel that change nothing here (windows of the L2 cache, policies
/// of waiting and scheduling): kept to be read back.
using Hints = std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue>;
inline cudaLaunchAttributeValue hintOf(const Hints &H, cudaLaunchAttributeID Id) {
  auto It = H.find(Id);
  return It == H.end() ? cudaLaunchAttributeValue{} : It->second;
}

/// The argument values of a launch, each aligned for any type.
struct Arguments {
  std::vector<char> Bytes;
  std::vector<void *> Pointers; ///< into Bytes
};
/// Copies the values at the call.
std::shared_ptr<const Arguments> copyArguments(const Kernel &Code, void **Values);

struct KernelWork {
  KernelFunction *Function = nullptr;
  const void *Handle = nullptr; ///< what the program calls it
  core::Dim3 Grid, Block, Cluster;
  size_t DynamicShared = 0;
  bool ExplicitCluster = false;
  bool Cooperative = false;
  bool Programmatic = false; ///< may start before the kernel in front of it has ended
  int Priority = 0;
  std::optional<cudaLaunchMemSyncDomain> Domain; ///< P6: unset = the stream's
  std::optional<cudaLaunchMemSyncDomainMap> DomainMap;
  std::shared_ptr<const Arguments> Args;
  Hints Others;
};

/// A place in memory that rows of bytes start from.
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

struct CopyWork {
  const char *Api = "";
  Place To, From;
  Box Size;
  cudaMemcpyKind Kind = cudaMemcpyDefault;
  std::shared_ptr<std::vector<char>> Staged{}; ///< the source, packed, if it was read early
  bool Async = false;                          ///< the call does not wait for its source
  bool ToKnown = false, FromKnown = false; ///< allocated by CUDA; pageable memory is not checked
  std::shared_ptr<const cudaMemcpy3DParms> Given{}; ///< of a graph's node, where it names arrays
};

struct FillWork {
  const char *Api = "";
  Place To;
  Box Size;
  uint32_t Value = 0;
  uint32_t ElementBytes = 1; ///< 1, 2 or 4: how much of Value is repeated
};

struct HostWork {
  const char *Api = "";
  cudaHostFn_t Function = nullptr;
  void *Data = nullptr;
};

/// The source of a copy is read ahead of the copy.
struct StageWork {
  const char *Api = "";
  Place From;
  Box Size;
  bool FromKnown = false;
  std::shared_ptr<std::vector<char>> Into{}; ///< filled when it runs
};

/// Stream-ordered memory becomes alive, or ends.
struct AllocWork {
  const char *Api = "";
  uint64_t Address = 0, Bytes = 0;
  std::shared_ptr<void> Reservation{}; ///< graphs: keeps the address theirs
};
struct FreeWork {
  const char *Api = "";
  uint64_t Address = 0, Bytes = 0;
  bool InGraph = false; ///< the address stays reserved for the graph
};

/// A stream memory operation: a write of a value, or a wait until it is there.
struct ValueWork {
  const char *Api = "";
  uint64_t Address = 0;
  uint32_t Bytes = 4; ///< 4 or 8
  uint64_t Value = 0;
  bool IsWait = false;
  uint8_t Compare = 0;  ///< CUstreamWaitValue_flags
  bool Relaxed = false; ///< a write that publishes nothing
  /// The stream's attributes.
  std::optional<cudaLaunchMemSyncDomain> Domain = {};
  std::optional<cudaLaunchMemSyncDomainMap> DomainMap = {};
};
/// Is what the wait waits for there?
bool isReached(const ValueWork &W);

/// A point in the order that does nothing.
struct EmptyWork {};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, AllocWork, FreeWork,
                          StageWork, ValueWork>;

} // namespace scopesan::cpu

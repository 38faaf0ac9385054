// What a made-up program and the made-up driver share.
#pragma once

#include <cuda.h>
#include <cupti.h>
#include <functional>
#include <map>
#include <stdint.h>
#include <string>
#include <vector>

struct FakeCapture {
  CUgraph graph = nullptr;
  std::vector<CUgraphNode> last;
};
/// What the collector itself asked for, beside its own kernels.
struct FakeIssued {
  std::string what;
  CUfunction kernel = nullptr;
  CUdeviceptr address = 0;
};

struct FakeDriver {
  CUcontext current = nullptr, primary = nullptr;
  std::vector<CUcontext> stack;
  uint64_t handles = 100;
  std::map<CUcontext, uint64_t> state; ///< the module's __scopesan_gpu_state: address of the Log
  uint64_t siteBase = 0;
  bool busy = false;    ///< the active kernel has not ended
  unsigned queries = 0; ///< of events
  unsigned waits = 0;   ///< of the host, for a stream
  std::function<void()> onQuery;
  bool noMemory = false; ///< for shadow
  bool dead = false;     ///< the current context has ended
  CUpti_CallbackFunc callback = nullptr;

  std::map<CUstream, FakeCapture> captures;
  unsigned nodesRun = 0;                    ///< by launches of graphs that really happened
  std::vector<FakeIssued> issued;           ///< in order
  std::function<void(CUfunction)> onKernel; ///< effect of a kernel that the collector launches
  std::vector<CUdeviceptr> deviceMemory;    ///< that cuPointerGetAttribute knows
  bool reuses = true;                       ///< allocations get the address that was freed last
  CUdeviceptr lastFreed = 0;
  uint64_t poolThreshold = 0;
  bool hostNativeAtomics = true, concurrentManagedAccess = true;
};

__attribute__((visibility("default"))) FakeDriver &fakeDriver();

// The collector on a real GPU: what the driver's API does becomes facts for the detector, and what
// kernels recorded is replayed.
//
// Launches of instrumented kernels are serialised: there is one log, and its records belong to the
// one launch that is active. Copies that the program issues meanwhile wait in a queue, so that the
// detector sees everything in an order that happens-before allows.
//
//   idle --launch ENTER: log reset--> launching --EXIT: completion event--> active
//   active --event complete: log replayed, queue applied--> idle
//   active --next launch waits too long--> overrun: nothing is recorded until the event completes
#pragma once

#include "gpu/device_image.h"
#include "gpu/order.h"
#include "gpu/replay.h"

#include <cuda.h>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>

namespace scopesan::cupti {

/// A function of a loaded module, known since its first launch.
struct Function {
  std::string name; ///< demangled
  bool instrumented = false;
  uint32_t staticShared = 0;
  core::Dim3 cluster;
};

struct LaunchRequest {
  CUfunction function = nullptr;
  const char *symbol = nullptr;
  core::Dim3 grid, block, cluster;
  uint32_t dynamicShared = 0;
  CUstream stream = nullptr;
  bool perThread = false;
  bool cooperative = false;
  core::DomainId domain;
};

class Collector {
public:
  Collector();
  static Collector &get();

  std::mutex Lock;

  // All of these need the lock.
  void launchBegins(const LaunchRequest &request);
  void launchIssued(bool succeeded, CUstream stream);
  /// A graph, or another launch that records nothing of its own, starts.
  void uncheckedLaunch(const std::string &what, CUstream stream, bool perThread);
  /// Replays what is complete. `wait`: first waits for the active launch (for a while).
  void settle(bool wait);
  /// Judges what the active launch has recorded so far. Calls no CUDA function.
  void peek();
  /// Runs `action` now, or after the active launch's records.
  void inOrder(std::function<void()> action);
  void publish();
  void finish();

  core::Detector Detector;
  gpu::Order Order;
  /// Registry of memory that copies and fills touch.
  struct Memory {
    uint64_t bytes = 0;
    bool host = false, managed = false;
  };
  std::map<uint64_t, Memory> Allocations;
  const Memory *find(uint64_t address);
  void allocated(uint64_t address, uint64_t bytes, host::MemoryKind kind, const std::string &api);
  void freed(uint64_t address);

  /// A device image was loaded. Has a lock of its own: called while the driver holds locks.
  void imageLoaded(const void *image, size_t bytes);

private:
  struct Active {
    bool running = false;
    bool issued = false;
    CUcontext context = nullptr;
    std::string name;
    uint64_t started = 0; ///< milliseconds
  };
  const Function &functionOf(const LaunchRequest &r);
  void bindModule(CUmodule module, const std::string &name);
  void takeImages();
  bool prepareLog();
  bool writeLog(uint32_t capacity);
  void beginUnchecked();
  bool uncheckedRuns();
  void conclude(bool ended);
  void applyQueue();
  bool complete();
  void reportLimits();

  gpu::Replay Replay;
  std::unordered_map<CUfunction, Function> Functions;
  std::unordered_map<CUmodule, bool> Modules; ///< true: instrumented
  std::vector<std::unique_ptr<gpu::SiteTable>> Tables;
  std::vector<gpu::ImageVariable> Variables;
  std::mutex ImageLock;
  std::vector<std::unique_ptr<gpu::SiteTable>> NewTables;
  std::vector<gpu::ImageVariable> NewVariables;

  CUcontext Context = nullptr;
  CUstream Private = nullptr;
  CUevent Done = nullptr;
  CUdeviceptr LogAddress = 0;
  gpu::Record *Records = nullptr;
  uint64_t RecordsOnDevice = 0;
  uint32_t Capacity = 0;
  bool LogFailed = false;
  uint32_t Stamp = 0;
  uint32_t LaunchCount = 0;
  uint32_t ReservedShared = 0;
  Active Now;
  bool Overrun = false, DeviceLost = false;
  bool UncheckedStarts = false;   ///< between ENTER and EXIT of an unchecked launch
  std::vector<CUevent> Unchecked; ///< ends of instrumented kernels that run unchecked
  uint64_t Dropped = 0;
  std::vector<std::function<void()>> Queue;
};

/// True while the collector itself calls CUDA: its calls are not the program's.
extern thread_local bool Inside;
struct InsideScope {
  bool before = Inside;
  InsideScope() { Inside = true; }
  ~InsideScope() { Inside = before; }
};

/// Subscribes the collector's callbacks (callbacks.cpp). Returns what went wrong or nothing.
std::string subscribeCollector();
uint64_t milliseconds();

} // namespace scopesan::cupti

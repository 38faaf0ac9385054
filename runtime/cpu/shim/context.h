// State of the shim and the frame of every API function.
#pragma once

#include "cpu/engine.h"
#include "cpu/shim/api_mutex.h"
#include "cpu/shim/cuda_api.h"
#include "cpu/shim/devices.h"
#include "cpu/shim/host_threads.h"
#include "cpu/shim/memory_table.h"
#include "cpu/shim/stream_table.h"
#include "cpu/shim/work_queue.h"
#include "host/collector.h"
#include "host/options.h"

namespace scopesan::cpu {

class Context {
public:
  Context();

  ApiMutex Mutex;
  std::unique_ptr<core::Detector> Detector;
  MemoryTable Memory;
  StreamTable Streams;
  HostThreadTable Hosts;
  WorkQueue Work;
  int DeviceCount = 1;
  std::vector<Device> Devices;
  bool valid(int D) const { return D >= 0 && D < DeviceCount; }
  Device &current();
  /// Something became reachable or unreachable for a device (D8).
  void reachChanged();
  uint32_t DomainCount = 4; ///< memory-synchronization domains of a device (P6)
  /// An error that killed the device; every call returns it until cudaDeviceReset.
  cudaError_t Sticky = cudaSuccess;
  /// Host threads that made API calls so far, at most 2 (one or many).
  uint32_t HostThreads = 0;
  size_t Limits[8] = {};
  uint32_t LaunchCount = 0;

  void start();
  void noteHostThread();
};

/// Created on first use and never destroyed: the program's static destructors may still call.
Context &context();
/// False while no CUDA function has been called and no device code registered.
bool contextExists();

/// The context once it works; null before. Creates nothing.
Context *runningContext();
/// Instrumented host code was loaded.
void hostCodeIsInstrumented();

/// The device that the calling thread chose.
int &currentDevice();

/// The calling thread's last error.
cudaError_t &lastError();

/// Pass-through that records an error as the calling thread's last one.
inline cudaError_t record(cudaError_t E) {
  if (E != cudaSuccess)
    lastError() = E;
  return E;
}

/// Runs `Body(Context &)` under the lock and records its error.
template <typename Function> cudaError_t apiCall(Function Body) {
  Context &C = context();
  std::lock_guard Lock(C.Mutex);
  C.noteHostThread();
  return record(Body(C));
}

/// The same for calls that need a working device.
template <typename Function> cudaError_t deviceCall(Function Body) {
  return apiCall([&](Context &C) {
    if (C.Sticky != cudaSuccess)
      return C.Sticky;
    if (HostThreadTable::inFunction())
      return cudaErrorNotPermitted; // API calls from host functions are forbidden
    return Body(C);
  });
}

/// One line on stderr, prefixed with the tool's name.
void complain(const std::string &Text);

/// Has a kernel used memory of the host that CUDA did not allocate?
bool pageableMemoryWasUsed();

/// Flushes device output, publishes counters, stops the program when `halt_on_finding` says so.
/// Called where the host has waited for the device.
void afterWait(Context &C);

} // namespace scopesan::cpu

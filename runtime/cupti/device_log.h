// Where kernels record: one array of records in host memory for the process, one gpu::Log in each
// context that points to it.
#pragma once

#include "scopesan/gpu_abi.h"

#include <array>
#include <cuda.h>
#include <map>
#include <memory>
#include <string>

namespace scopesan::cupti {

/// State and counters, as they lie on the device.
struct LogOutcome {
  gpu::Log log{};
  uint64_t counters[gpu::CounterRows][gpu::Counters] = {};
};

/// What the collector owns in one context.
struct ContextLog {
  CUcontext context = nullptr;
  CUdevice device = 0;
  CUstream stream = nullptr;                   ///< the collector's own
  CUstream after = nullptr;                    ///< likewise; waits for the active launch
  CUevent ready = nullptr;                     ///< the next launch's state is there
  CUevent done = nullptr;                      ///< end of the active launch
  CUevent known = nullptr;                     ///< what it left is in `last`
  LogOutcome *next = nullptr, *last = nullptr; ///< pinned: state of a launch, before and after it
  CUdeviceptr log = 0;                         ///< gpu::State
  uint64_t records = 0;                        ///< address of the records in this context
  uint32_t generation = 0;                     ///< of the registration that `records` belongs to
  CUevent slotDone[gpu::Overlap::Slots] = {};  ///< ends of launches that overlap
  uint32_t reservedShared = 0;
  bool lost = false; ///< a kernel failed: nothing works here any more

  /// For the device's shadow memory; made when it is first needed.
  struct Kernels {
    CUfunction check = nullptr, fill = nullptr, sweep = nullptr;
  } kernels;
  CUdeviceptr dedup = 0, slotTable = 0, slotHeaders = 0, slotTaken = 0;
  CUdeviceptr sharedShadow = 0;
  uint64_t sharedBytes = 0; ///< allocated there
};

/// Slots for the shared memory of resident blocks.
struct SlotDemand {
  uint32_t count = 0, bytes = 0; ///< of one slot
  uint64_t blocks = 0;           ///< of the grid
};

/// Makes a context current for a while.
class ContextScope {
public:
  explicit ContextScope(CUcontext context) { cuCtxPushCurrent(context); }
  ~ContextScope() {
    CUcontext ignored;
    cuCtxPopCurrent(&ignored);
  }
};

class DeviceLog {
public:
  /// The context's part, made at its first use; it must be current. Null: there is none, which was
  /// reported.
  ContextLog *of(CUcontext context);
  /// The context may be destroyed: what it has registered must not end with it unnoticed.
  void leave(CUcontext context);
  /// The context has been destroyed, with all that was in it.
  void drop(CUcontext context);
  /// The part of some context on the device that works; null = none.
  ContextLog *anyOn(CUdevice device) const;
  bool hasContexts() const { return !Contexts.empty(); }

  /// What every launch's state begins with: an empty log under `stamp`.
  gpu::Log blank(const ContextLog &c, uint32_t stamp) const;
  using Outcome = LogOutcome;
  /// What is launched from now on finds this state, and counters at zero.
  bool write(ContextLog &c, const gpu::Log &log);
  /// The same for what follows in `stream`, without a wait of the host. No launch is active.
  bool writeBefore(ContextLog &c, const gpu::Log &log, CUstream stream);
  /// `c.last` is fetched when all that is in `stream` has ended; c.known tells when it is there.
  bool readAfter(ContextLog &c, CUstream stream);
  /// The same for launches that overlap, none of which is there yet.
  bool writeShared(ContextLog &c);
  /// The log of one of them.
  bool writeSlot(ContextLog &c, uint32_t slot, const gpu::Log &log);
  /// Overlap::kernels.
  bool writeKernels(ContextLog &c, const std::array<uint32_t, gpu::Overlap::Slots> &kernels);
  /// Recorded at the end of the launch in that slot.
  CUevent doneOf(ContextLog &c, uint32_t slot);
  /// Nothing is recorded anywhere.
  void switchOff();
  /// Loads the collector's own kernels and makes the tables that fast kernels need.
  bool prepareFast(ContextLog &c);
  /// Clears what a fast kernel needs, and fills in where it lies.
  bool clearFast(ContextLog &c, gpu::Log &log, const SlotDemand &slots);
  /// State and counters now.
  bool read(ContextLog &c, Outcome &outcome);

  const gpu::Record *records() const { return Records; }
  uint32_t capacity() const { return Capacity; }

private:
  bool allocateRecords();
  bool registerRecords(ContextLog &c);
  bool create(ContextLog &c);

  /// Host memory of our own, registered with the driver: it survives kernels and contexts that die.
  gpu::Record *Records = nullptr;
  uint32_t Capacity = 0;
  bool Failed = false;
  CUcontext Registrar = nullptr; ///< the registration ends with this context
  uint32_t Generation = 0;
  std::map<CUcontext, std::unique_ptr<ContextLog>> Contexts;
};

} // namespace scopesan::cupti

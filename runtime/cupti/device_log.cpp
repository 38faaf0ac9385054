#include "cupti/device_log.h"

#include "cupti/device_shadow.h"
#include "host/collector.h"
#include "host/options.h"

#include <algorithm>
#include <stddef.h>
#include <sys/mman.h>

namespace scopesan::cupti {

bool DeviceLog::allocateRecords() {
  uint64_t bytes = host::options().gpu_log_mb << 20;
  Capacity = uint32_t(std::min<uint64_t>(bytes / sizeof(gpu::Record), ~0u));
  void *p = mmap(nullptr, Capacity * sizeof(gpu::Record), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Records = p == MAP_FAILED ? nullptr : static_cast<gpu::Record *>(p);
  return Records;
}

bool DeviceLog::registerRecords(ContextLog &c) {
  if (!Registrar) {
    CUresult r = cuMemHostRegister(Records, Capacity * sizeof(gpu::Record),
                                   CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
    if (r != CUDA_SUCCESS && r != CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
      return false;
    Registrar = c.context;
    ++Generation;
  }
  CUdeviceptr address = 0;
  if (cuMemHostGetDevicePointer(&address, Records, 0) != CUDA_SUCCESS)
    return false;
  c.records = address;
  c.generation = Generation;
  return true;
}

bool DeviceLog::create(ContextLog &c) {
  void *pinned = nullptr;
  if (cuCtxGetDevice(&c.device) != CUDA_SUCCESS ||
      cuMemAlloc(&c.log, sizeof(gpu::State)) != CUDA_SUCCESS ||
      cuMemHostAlloc(&pinned, 2 * sizeof(Outcome), 0) != CUDA_SUCCESS)
    return false;
  c.next = static_cast<Outcome *>(pinned);
  c.last = c.next + 1;
  for (CUstream *s : {&c.stream, &c.after})
    if (cuStreamCreate(s, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
      return false;
  for (CUevent *e : {&c.ready, &c.done, &c.known})
    if (cuEventCreate(e, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
      return false;
  // No number of a grid is there yet.
  if (cuMemsetD32Async(c.log, 0, sizeof(gpu::State) / 4, c.stream) != CUDA_SUCCESS)
    return false;
  int reserved = 0;
  cuDeviceGetAttribute(&reserved, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, c.device);
  c.reservedShared = uint32_t(reserved);
  return true;
}

/// The records lie in mapped host memory: they survive a kernel that dies with its context. The
/// cursor lies on the device, where its atomics are fast.
ContextLog *DeviceLog::of(CUcontext context) {
  if (Failed || !context)
    return nullptr;
  auto known = Contexts.find(context);
  if (known != Contexts.end() && known->second->generation == Generation)
    return known->second.get();
  if (known == Contexts.end())
    known = Contexts.emplace(context, std::make_unique<ContextLog>()).first;
  ContextLog &c = *known->second;
  bool isNew = !c.context;
  c.context = context;
  if ((Records || allocateRecords()) && (!isNew || create(c)) && registerRecords(c))
    return &c;
  Failed = true;
  host::toolFailure("the log of " + std::to_string(host::options().gpu_log_mb) +
                    " MiB for the GPU backend cannot be allocated; make it smaller with "
                    "--gpu-log-mb");
  return nullptr;
}

ContextLog *DeviceLog::anyOn(CUdevice device) const {
  for (auto &[context, c] : Contexts)
    if (c->device == device && !c->lost && c->generation == Generation)
      return c.get();
  return nullptr;
}

void DeviceLog::leave(CUcontext context) {
  if (Registrar != context)
    return;
  ContextScope current(context);
  cuMemHostUnregister(Records);
  Registrar = nullptr; // the others, and this one if it lives on, register again
  ++Generation;
}

void DeviceLog::drop(CUcontext context) {
  Contexts.erase(context);
  if (Registrar != context)
    return;
  Registrar = nullptr; // the others register again at their next use
  ++Generation;
}

gpu::Log DeviceLog::blank(const ContextLog &c, uint32_t stamp) const {
  gpu::Log log{};
  log.records = c.records;
  log.capacity = Capacity;
  log.stamp = stamp;
  log.counters = c.log + offsetof(Outcome, counters);
  return log;
}

/// Writes to the context's gpu::State at `offset`.
static bool put(ContextLog &c, size_t offset, const void *from, size_t bytes) {
  ContextScope current(c.context);
  return cuMemcpyHtoDAsync(c.log + offset, from, bytes, c.stream) == CUDA_SUCCESS &&
         cuStreamSynchronize(c.stream) == CUDA_SUCCESS;
}

bool DeviceLog::write(ContextLog &c, const gpu::Log &log) {
  Outcome state;
  state.log = log;
  return put(c, 0, &state, sizeof state);
}

bool DeviceLog::writeShared(ContextLog &c) {
  gpu::Log log = blank(c, 0);
  log.capacity = 0; // whoever has no launch
  log.overlaps = 1;
  return write(c, log);
}

bool DeviceLog::writeSlot(ContextLog &c, uint32_t slot, const gpu::Log &log) {
  return put(c, offsetof(gpu::State, overlap.logs) + slot * sizeof log, &log, sizeof log);
}

bool DeviceLog::writeKernels(ContextLog &c,
                             const std::array<uint32_t, gpu::Overlap::Slots> &kernels) {
  return put(c, offsetof(gpu::State, overlap.kernels), kernels.data(), sizeof kernels);
}

CUevent DeviceLog::doneOf(ContextLog &c, uint32_t slot) {
  if (!c.slotDone[slot]) {
    ContextScope current(c.context);
    cuEventCreate(&c.slotDone[slot], CU_EVENT_DISABLE_TIMING);
  }
  return c.slotDone[slot];
}

bool DeviceLog::writeBefore(ContextLog &c, const gpu::Log &log, CUstream stream) {
  *c.next = Outcome();
  c.next->log = log;
  ContextScope current(c.context);
  return cuMemcpyHtoDAsync(c.log, c.next, sizeof(Outcome), c.stream) == CUDA_SUCCESS &&
         cuEventRecord(c.ready, c.stream) == CUDA_SUCCESS &&
         cuStreamWaitEvent(stream, c.ready, 0) == CUDA_SUCCESS;
}

bool DeviceLog::readAfter(ContextLog &c, CUstream stream) {
  ContextScope current(c.context);
  return cuEventRecord(c.done, stream) == CUDA_SUCCESS &&
         cuStreamWaitEvent(c.after, c.done, 0) == CUDA_SUCCESS &&
         cuMemcpyDtoHAsync(c.last, c.log, sizeof(Outcome), c.after) == CUDA_SUCCESS &&
         cuEventRecord(c.known, c.after) == CUDA_SUCCESS;
}

void DeviceLog::switchOff() {
  for (auto &[context, c] : Contexts)
    if (c->log)
      write(*c, gpu::Log{});
}

bool DeviceLog::read(ContextLog &c, Outcome &outcome) {
  ContextScope current(c.context);
  return cuMemcpyDtoHAsync(&outcome, c.log, sizeof outcome, c.stream) == CUDA_SUCCESS &&
         cuStreamSynchronize(c.stream) == CUDA_SUCCESS;
}

// ---------------------------------------------------------------- fast kernels

bool DeviceLog::prepareFast(ContextLog &c) {
  if (c.kernels.check)
    return true;
  CUmodule module;
  ContextLog::Kernels k;
  if (cuModuleLoadData(&module, kernelImage()) != CUDA_SUCCESS ||
      cuModuleGetFunction(&k.check, module, "scopesanCheck") != CUDA_SUCCESS ||
      cuModuleGetFunction(&k.fill, module, "scopesanFill") != CUDA_SUCCESS ||
      cuModuleGetFunction(&k.sweep, module, "scopesanSweep") != CUDA_SUCCESS ||
      cuMemAlloc(&c.dedup, gpu::DedupEntries * 8) != CUDA_SUCCESS ||
      cuMemAlloc(&c.slotTable, gpu::SlotEntries * 8) != CUDA_SUCCESS ||
      cuMemAlloc(&c.slotHeaders, gpu::MaxSlots * sizeof(gpu::SlotHeader)) != CUDA_SUCCESS ||
      cuMemAlloc(&c.slotTaken, (gpu::MaxSlots + 31) / 32 * 4) != CUDA_SUCCESS)
    return false;
  c.kernels = k;
  return true;
}

bool DeviceLog::clearFast(ContextLog &c, gpu::Log &log, const SlotDemand &slots) {
  log.dedup = c.dedup;
  bool good = cuMemsetD32Async(c.dedup, 0, gpu::DedupEntries * 2, c.stream) == CUDA_SUCCESS;
  if (!slots.count)
    return good;
  uint64_t bytes = uint64_t(slots.count) * slots.bytes;
  if (bytes > c.sharedBytes) {
    cuMemFree(c.sharedShadow);
    c.sharedBytes = 0;
    if (cuMemAlloc(&c.sharedShadow, bytes) != CUDA_SUCCESS) {
      c.sharedShadow = 0;
      return good; // the kernel counts what it misses
    }
    c.sharedBytes = bytes;
  }
  uint32_t words = (slots.count + 31) / 32, used = slots.count % 32;
  uint64_t entries = std::min<uint64_t>(slots.blocks, gpu::SlotEntries);
  log.sharedShadow = c.sharedShadow;
  log.slotTable = c.slotTable;
  log.slotHeaders = c.slotHeaders;
  log.slotTaken = c.slotTaken;
  log.slotCount = slots.count;
  log.slotBytes = slots.bytes;
  good = good && cuMemsetD32Async(c.sharedShadow, 0, bytes / 4, c.stream) == CUDA_SUCCESS &&
         cuMemsetD32Async(c.slotTable, 0, entries * 2, c.stream) == CUDA_SUCCESS &&
         cuMemsetD32Async(c.slotHeaders, 0, slots.count * 2, c.stream) == CUDA_SUCCESS &&
         cuMemsetD32Async(c.slotTaken, 0, words, c.stream) == CUDA_SUCCESS;
  if (good && used) // bits past the last slot
    good =
        cuMemsetD32Async(c.slotTaken + (words - 1) * 4, ~0u << used, 1, c.stream) == CUDA_SUCCESS;
  return good;
}

} // namespace scopesan::cupti

// Memory and contexts as the collector knows them.
#include "cupti/collector.h"

#include "cupti/host_code.h"
#include "host/options.h"

namespace scopesan::cupti {

const Collector::Memory *Collector::find(uint64_t address) const {
  auto next = Allocations.upper_bound(address);
  if (next == Allocations.begin())
    return nullptr;
  auto &[begin, m] = *std::prev(next);
  return address - begin < m.bytes ? &m : nullptr;
}

uint64_t Collector::beginOf(uint64_t address) const {
  return find(address) ? std::prev(Allocations.upper_bound(address))->first : 0;
}

std::vector<uint64_t> Collector::allocationsWithin(uint64_t address, uint64_t bytes) const {
  std::vector<uint64_t> result;
  for (auto a = Allocations.lower_bound(address);
       a != Allocations.end() && a->first - address < bytes; ++a)
    result.push_back(a->first);
  return result;
}

void Collector::forgetOverlapping(uint64_t address, uint64_t bytes) {
  auto a = Allocations.upper_bound(address);
  if (a != Allocations.begin() && std::prev(a)->first + std::prev(a)->second.bytes > address)
    --a;
  while (a != Allocations.end() && a->first < address + bytes) {
    inOrder({}, [old = a->first] { host::memoryFreed(old); });
    a = Allocations.erase(a);
  }
}

static bool deviceHas(CUcontext context, CUdevice_attribute attribute) {
  if (!context)
    return true;
  CUdevice device = 0;
  int value = 0;
  ContextScope current(context);
  return cuCtxGetDevice(&device) != CUDA_SUCCESS ||
         cuDeviceGetAttribute(&value, attribute, device) != CUDA_SUCCESS || value;
}

core::MemoryAtomicity Collector::atomicityOf(const Memory &m, bool managed) {
  if (managed)
    return {deviceHas(m.context, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)
                ? core::Atomicity::Always
                : core::Atomicity::Never};
  if (m.onHost())
    return {deviceHas(m.context, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED)
                ? core::Atomicity::Always
                : core::Atomicity::LoadsAndStores};
  return {};
}

void Collector::allocated(uint64_t address, const Memory &memory, const std::string &api,
                          core::NodeId since) {
  if (!address || !memory.bytes)
    return;
  forgetOverlapping(address, memory.bytes);
  Memory &m = Allocations[address] = memory;
  m.hostReaches = m.onHost() || m.kind == host::MemoryKind::Managed;
  m.onHostOnly = m.hostReaches && Order.hasHostCode();
  if (m.hostReaches)
    hostWatches(address, address + m.bytes);
  core::MemoryAtomicity atomicity = atomicityOf(m, m.kind == host::MemoryKind::Managed);
  inOrder(since, [this, address, memory = m, api, since, atomicity] {
    host::memoryAllocated({address, memory.bytes, memory.kind, api, 0});
    Detector.setAtomicity(address, memory.bytes, atomicity);
    memoryStarts(address, memory.bytes, since, memory.onHostOnly);
  });
}

void Collector::freed(uint64_t address, core::NodeId by, bool afterAll) {
  auto a = Allocations.find(address);
  if (a == Allocations.end())
    return;
  uint64_t bytes = a->second.bytes;
  Allocations.erase(a);
  inOrder(by, [this, address, bytes, by, afterAll] {
    memoryEnds(address, bytes, by, afterAll);
    host::memoryFreed(address);
  });
}

void Collector::variable(uint64_t address, uint64_t bytes, const std::string &symbol,
                         CUcontext context, bool constant) {
  if (symbol.rfind("__scopesan", 0) == 0)
    return;
  auto known = Allocations.find(address);
  if (known != Allocations.end() && known->second.isVariable &&
      (known->second.generation == ModuleGeneration ||
       (known->second.symbol == symbol && known->second.bytes == bytes))) {
    known->second.generation = ModuleGeneration;
    return;
  }
  auto kind = constant ? host::MemoryKind::ConstantVariable : host::MemoryKind::DeviceVariable;
  Memory m{bytes, kind, context};
  m.isVariable = true;
  m.symbol = symbol;
  m.generation = ModuleGeneration;
  forgetOverlapping(address, bytes);
  unsigned managed = 0;
  m.hostReaches =
      cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address) == CUDA_SUCCESS &&
      managed;
  m.onHostOnly = m.hostReaches && Order.hasHostCode();
  Allocations[address] = m;
  if (m.hostReaches)
    hostWatches(address, address + bytes);
  std::vector<EarlyAccess> early;
  std::erase_if(Early, [&](const EarlyAccess &e) {
    bool isHere = e.access.box.address - address < bytes;
    if (isHere)
      early.push_back(e);
    return isHere;
  });
  auto initial = early.empty() ? initialContent(m, address) : nullptr;
  inOrder({}, [this, address, bytes, kind, symbol, constant, early, initial,
               onHostOnly = m.onHostOnly, atomicity = atomicityOf(m, m.hostReaches)] {
    host::memoryAllocated({address, bytes, kind, gpu::demangled(symbol), 0});
    Detector.setAtomicity(address, bytes, atomicity);
    Constants.gone(address);
    if (constant)
      Constants.found(address, bytes, gpu::constantBit(symbol.data(), symbol.size()),
                      gpu::demangled(symbol));
    if (!constant || !early.empty()) // what is told again has left its marks already
      memoryStarts(address, bytes, {}, onHostOnly);
    if (initial)
      Replay.locations().holds(address, bytes, *initial);
    for (const EarlyAccess &e : early)
      nodeAccesses(e.node, {e.access});
  });
}

// ---------------------------------------------------------------- copies

host::CopySide Collector::sideOf(uint64_t address) const {
  if (const Memory *m = find(address))
    return host::copySide(&m->kind);
  unsigned type = 0, managed = 0;
  if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) != CUDA_SUCCESS)
    return host::CopySide::Pageable;
  cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address);
  if (managed)
    return host::CopySide::Managed;
  return type == CU_MEMORYTYPE_DEVICE ? host::CopySide::Device : host::CopySide::Pinned;
}

/// Memory that CUDA knows and the collector does not may be a variable of a module that is found
/// when it is first used by name or by a kernel: then the access is told again.
void Collector::copied(core::NodeId node, const Box *from, const Box *to, gpu::Content content) {
  constexpr size_t MostEarly = 1 << 16;
  auto written = std::make_shared<const gpu::Content>(std::move(content));
  std::vector<NodeAccess> accesses;
  auto add = [&](const Box *box, bool write) {
    if (!box || (!find(box->address) && sideOf(box->address) == host::CopySide::Pageable))
      return;
    accesses.push_back({*box, write, written});
    if (find(box->address))
      return;
    if (Early.size() < MostEarly)
      Early.push_back({node, accesses.back()});
    else
      host::incomplete("too many copies of memory whose allocation was not seen");
  };
  add(from, false);
  add(to, true);
  inOrder(node, [this, node, accesses] { nodeAccesses(node, accesses); });
}

// ---------------------------------------------------------------- freed memory

void Collector::quarantine(uint64_t address, uint64_t bytes, CUcontext context) {
  Freed.occupy(address, bytes, context);
}
void Collector::quarantineEnded(CUcontext context) { Freed.occupyEnded(context); }

// ---------------------------------------------------------------- contexts

void Collector::contextEnds(CUcontext context) {
  std::lock_guard guard(NoteLock);
  EndedContexts.push_back(context);
}

void Collector::contextMayEnd(CUcontext context) {
  settle(/*wait=*/true);
  if (context)
    Log.leave(context);
}

void Collector::dropContexts(const std::string &api) {
  std::vector<CUcontext> ended;
  {
    std::lock_guard guard(NoteLock);
    ended.swap(EndedContexts);
  }
  // A context that has ended may still be the current one.
  ContextsEnd = true;
  for (CUcontext context : ended) {
    if (Now.log && Now.log->context == context) {
      if (Now.running() && !Overrun)
        conclude(/*ended=*/false);
      Overrun = false;
      Now = {};
    }
    Log.drop(context);
    Freed.drop(context);
    if (Shadow.isOn() && !Log.hasContexts()) { // nothing of the device is left
      Shadow.drop();
      Tags.clear();
    }
    forgetModules(context);
    Order.contextDestroyed(context);
    std::vector<uint64_t> memory;
    for (auto &[address, m] : Allocations)
      if (m.context == context)
        memory.push_back(address);
    if (memory.empty())
      continue;
    core::NodeId by = Order.hostFree();
    host::nodeNamed(by, api, {.isHost = true, .stack = host::captureStack()});
    for (uint64_t address : memory) {
      const Memory &m = Allocations[address];
      if (m.kind == host::MemoryKind::Device && !m.streamOrdered)
        Freed.ended(address, m.bytes);
      freed(address, by, /*afterAll=*/true);
    }
  }
  ContextsEnd = false;
}

void Collector::forgetModules(CUcontext context) {
  ++ModuleGeneration;
  std::erase_if(Functions, [&](auto &f) { return !context || f.first.first == context; });
  std::erase_if(Modules, [&](auto &m) { return !context || m.first.first == context; });
  if (!context)
    return;
  struct Variable {
    uint64_t address, bytes;
    bool onHostOnly;
  };
  std::vector<Variable> variables;
  for (auto &[address, m] : Allocations)
    if (m.isVariable && m.context == context)
      variables.push_back({address, m.bytes, m.onHostOnly});
  for (const Variable &v : variables) {
    forgetOverlapping(v.address, v.bytes);
    inOrder({}, [this, v] {
      Constants.gone(v.address);
      memoryStarts(v.address, v.bytes, {}, v.onHostOnly);
    });
  }
}

} // namespace scopesan::cupti

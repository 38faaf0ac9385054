// Memory and contexts as the collector knows them.
#include "cupti/collector.h"

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
    inOrder([old = a->first] { host::memoryFreed(old); });
    a = Allocations.erase(a);
  }
}

void Collector::allocated(uint64_t address, const Memory &memory, const std::string &api,
                          core::NodeId since) {
  if (!address || !memory.bytes)
    return;
  forgetOverlapping(address, memory.bytes);
  Allocations[address] = memory;
  inOrder([this, address, memory, api, since] {
    host::memoryAllocated({address, memory.bytes, memory.kind, api, 0});
    memoryStarts(address, memory.bytes, since);
  });
}

void Collector::freed(uint64_t address, core::NodeId by, bool afterAll) {
  auto a = Allocations.find(address);
  if (a == Allocations.end())
    return;
  uint64_t bytes = a->second.bytes;
  Allocations.erase(a);
  inOrder([this, address, bytes, by, afterAll] {
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
  Allocations[address] = m;
  inOrder([this, address, bytes, kind, symbol, constant] {
    host::memoryAllocated({address, bytes, kind, gpu::demangled(symbol), 0});
    if (!constant)
      memoryStarts(address, bytes, {});
  });
}

void Collector::copied(core::NodeId node, const Box *from, const Box &to) {
  std::vector<NodeAccess> accesses;
  if (from && find(from->address))
    accesses.push_back({*from, false});
  if (find(to.address))
    accesses.push_back({to, true});
  inOrder([this, node, accesses] { nodeAccesses(node, accesses); });
}

// ---------------------------------------------------------------- contexts

void Collector::contextEnds(CUcontext context) {
  std::lock_guard guard(NoteLock);
  EndedContexts.push_back(context);
}

void Collector::dropContexts(const std::string &api) {
  std::vector<CUcontext> ended;
  {
    std::lock_guard guard(NoteLock);
    ended.swap(EndedContexts);
  }
  for (CUcontext context : ended) {
    if (Now.log && Now.log->context == context) {
      if (Now.running)
        conclude(/*ended=*/false);
      Overrun = false;
      Now.log = nullptr;
    }
    Log.drop(context);
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
    for (uint64_t address : memory)
      freed(address, by, /*afterAll=*/true);
  }
}

void Collector::forgetModules(CUcontext context) {
  ++ModuleGeneration;
  std::erase_if(Functions, [&](auto &f) { return !context || f.first.first == context; });
  std::erase_if(Modules, [&](auto &m) { return !context || m.first.first == context; });
  if (!context)
    return;
  std::vector<std::pair<uint64_t, uint64_t>> variables;
  for (auto &[address, m] : Allocations)
    if (m.isVariable && m.context == context)
      variables.push_back({address, m.bytes});
  for (auto [address, bytes] : variables) {
    forgetOverlapping(address, bytes);
    inOrder([this, address = address, bytes = bytes] { memoryStarts(address, bytes, {}); });
  }
}

} // namespace scopesan::cupti

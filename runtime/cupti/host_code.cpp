// What libscopesan_hostcode.a calls (abi::HostHooks), on the GPU.
//
// Facts of the host go to the detector at once. A kernel that is running meanwhile has records that
// were not judged; what orders the two:
//
//   kernel -> host   a load reads what the kernel stored. The store's ticket was taken before it:
//                    everything that was recorded up to now is judged (catchUp), and the load is
//                    told before and after each store that this brings.
//   host -> kernel   a store is read by the kernel. Nothing is judged between the store and its
//                    report (the collector's lock), so what has read it comes later.
//
// Tickets do not say which of the kernel's operations came before a store of the host: from then on
// the kernel may read every value that the location has had (Locations::writeBeside). Edges are
// added, none is lost (X1).
//
// Plain accesses ask no questions of the driver: a kernel that the host has not waited for may as
// well be running, and its records are compared with them whenever they come.
#include "cupti/host_code.h"

#include "cupti/calls.h"
#include "scopesan/host_abi.h"

#include <algorithm>
#include <dlfcn.h>
#include <execinfo.h>
#include <stddef.h>
#include <string.h>

namespace scopesan::cupti {

thread_local uint32_t InCuda;

namespace {

using core::SiteId;

constexpr uint32_t RangeCount = 64;
volatile abi::WatchedRange Ranges[RangeCount];
uint32_t UsedRanges;
bool IsHeard;

/// The tool, the driver, and threads that nobody announced are not the program.
bool isOfProgram() { return !Inside && !InCuda && gpu::Order::isKnownThread(); }

/// Runs body(Collector &) under the lock, unless somebody else than the program calls.
template <typename Function> void told(Function body) {
  if (!isOfProgram())
    return;
  InsideScope inside;
  Collector &c = Collector::get();
  std::lock_guard guard(c.Lock);
  c.hostLearns();
  body(c);
}

core::Thread &thread(Collector &c) { return c.Detector.hosts().thread(c.Order.self()); }

void module(const abi::Module *m) {
  InsideScope inside;
  startOnce();
  IsHeard = true;
  Collector &c = Collector::get();
  std::lock_guard guard(c.Lock);
  c.Order.hostCodeIsInstrumented();
  host::registerModule(*m, "host code");
}

void access(const void *p, uint64_t bytes, uint32_t site, bool write) {
  if (!bytes || Inside || InCuda)
    return;
  if (!gpu::Order::isKnownThread()) {
    InsideScope inside;
    return host::incomplete("host code that CUDA calls (host functions in streams) is not checked "
                            "on the GPU",
                            SiteId{site});
  }
  InsideScope inside;
  Collector &c = Collector::get();
  std::lock_guard guard(c.Lock);
  if (!c.find(raw(p)))
    return;
  c.hostAccess(raw(p), bytes, SiteId{site}, write);
  if (host::shouldHalt())
    c.publish();
}
void read(const void *p, uint64_t bytes, uint32_t site) { access(p, bytes, site, false); }
void write(const void *p, uint64_t bytes, uint32_t site) { access(p, bytes, site, true); }

/// Is the thread within a strong operation, with the lock held?
thread_local bool Bracketed;

void atomicBefore(const void *) {
  if (!isOfProgram())
    return;
  InsideScope inside;
  Collector::get().Lock.lock();
  Bracketed = true;
}
void atomicAfter(const void *p, uint32_t bytes, uint32_t rawOp, uint32_t site, uint32_t wrote) {
  if (!Bracketed)
    return;
  Bracketed = false;
  InsideScope inside;
  Collector &c = Collector::get();
  abi::Op op(rawOp);
  if (!c.find(raw(p))) { // orders, but is no concern of CUDA
    c.Detector.synchronize(thread(c), raw(p), bytes, op, SiteId{site}, wrote);
  } else {
    c.hostAtomic(raw(p), bytes, op, SiteId{site}, wrote);
    if (host::shouldHalt())
      c.publish();
  }
  c.hostLearns();
  c.Lock.unlock();
}

void fence(uint32_t op, uint32_t site) {
  told([&](Collector &c) { c.Detector.fence(thread(c), abi::Op(op), SiteId{site}); });
}
void unmodelled(uint32_t site) {
  told([&](Collector &c) {
    c.Detector.unmodelled(thread(c));
    host::incomplete("an operation that ScopeSan does not model was executed", SiteId{site});
  });
}

core::HostAccess accessOf(uint32_t shared) {
  return shared ? core::HostAccess::Shared : core::HostAccess::Exclusive;
}
void acquire(const void *object, uint32_t shared) {
  told([&](Collector &c) {
    c.Detector.hosts().acquire(c.Order.self(), raw(object), accessOf(shared));
  });
}
void release(const void *object, uint32_t shared) {
  told([&](Collector &c) {
    c.Detector.hosts().release(c.Order.self(), raw(object), accessOf(shared));
  });
}
void forget(const void *object) {
  told([&](Collector &c) { c.Detector.hosts().forget(raw(object)); });
}

/// Threads that the driver makes are its own, also before its calls are seen.
bool isMadeByDriver() {
  void *frames[32];
  int count = backtrace(frames, 32);
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    if (!dladdr(frames[i], &info) || !info.dli_fname)
      continue;
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash ? slash + 1 : info.dli_fname;
    for (const char *prefix : {"libcuda.", "libcupti.", "libnvidia-"})
      if (strncmp(name, prefix, strlen(prefix)) == 0)
        return true;
  }
  return false;
}

uint32_t create() {
  uint32_t number = 0;
  told([&](Collector &c) {
    if (!isMadeByDriver())
      number = c.Order.createThread().value;
  });
  return number;
}
void begin(uint32_t number) { gpu::Order::beginThread({number}); }
void end(uint32_t number) {
  told([&](Collector &c) { c.Detector.hosts().end({number}); });
  gpu::Order::beginThread({});
}
void join(uint32_t number) {
  told([&](Collector &c) { c.Detector.hosts().join(c.Order.self(), {number}); });
}

constexpr abi::HostHooks Hooks = {
    abi::HostVersion, RangeCount, Ranges,  module, read,   write, atomicBefore, atomicAfter, fence,
    unmodelled,       acquire,    release, forget, create, begin, end,          join};

} // namespace

bool hostCodeIsHeard() { return IsHeard; }

/// Ranges only grow. Where there is no room for another one, the nearest takes it.
void hostWatches(uint64_t begin, uint64_t end) {
  for (uint32_t i = 0; i < UsedRanges; ++i)
    if (begin >= Ranges[i].begin && end <= Ranges[i].end)
      return;
  if (UsedRanges < RangeCount) {
    Ranges[UsedRanges].begin = begin;
    Ranges[UsedRanges++].end = end;
    return;
  }
  auto united = [&](uint32_t i) {
    uint64_t b = Ranges[i].begin, e = Ranges[i].end;
    return abi::WatchedRange{std::min(b, begin), std::max(e, end)};
  };
  auto growth = [&](uint32_t i) {
    abi::WatchedRange r = united(i);
    return r.end - r.begin - (Ranges[i].end - Ranges[i].begin);
  };
  uint32_t nearest = 0;
  for (uint32_t i = 1; i < RangeCount; ++i)
    if (growth(i) < growth(nearest))
      nearest = i;
  abi::WatchedRange r = united(nearest);
  Ranges[nearest].begin = r.begin;
  Ranges[nearest].end = r.end;
}

/// It runs in a thread of the driver: whom it lets go on is not seen.
void Collector::hostFunctionRuns() {
  if (Order.hasHostCode())
    host::incomplete("what host functions in streams do is not followed on the GPU "
                     "(-fscopesan-host)");
}

// ---------------------------------------------------------------- beside a running kernel

void Collector::hostActs(uint64_t address, uint64_t bytes) {
  if (!Queue.empty())
    applyKnownToHost();
  const Memory *m = find(address);
  if (!Shadow.isOn() || ToldOfFastKernels || (m && m->onHostOnly))
    return;
  for (const gpu::ShadowMap::Piece &p : Shadow.pieces(address, bytes))
    ToldOfFastKernels |= p.shadow != 0;
  if (ToldOfFastKernels)
    host::incomplete("accesses of host code are not compared with what kernels did to memory that "
                     "was allocated before instrumented host code was loaded");
}

void Collector::hostAccess(uint64_t address, uint64_t bytes, core::SiteId site, bool write) {
  hostActs(address, bytes);
  core::Thread &t = Detector.hosts().thread(Order.self());
  if (!write)
    return Detector.readRange(t, address, bytes, site);
  if (isRunning())
    Replay.locations().weakWrite(address, bytes, &t);
  Detector.writeRange(t, address, bytes, site);
}

/// What the host has waited for, or done itself, comes before what it does now. To ask ends the
/// thread's step, so it is done once for all that the thread knows.
void Collector::applyKnownToHost() {
  thread_local uint64_t asked = ~uint64_t(0);
  if (asked == Knowledge)
    return;
  asked = Knowledge;
  core::NodeId now = Order.host();
  applyWhere([&](const Pending &p) {
    return p.byHost || (p.node.value && Detector.precedes(p.node, now));
  });
}

/// Records of the active launch are lost: the host may have seen all that it did.
void Collector::assumeSeen() {
  host::incomplete("host code went on while records of a running kernel were missing: it is taken "
                   "to have waited for the kernel");
  for (const Active &a : Now.launches)
    Order.hostAfter(a.node);
}

/// Judges all that had taken a ticket when this was called. Kernels write their records right after
/// the tickets.
void Collector::catchUp() {
  uint64_t cursor = 0, begun = milliseconds();
  RelaxedCapture relaxed;
  {
    ContextScope current(Now.log->context);
    if (cuMemcpyDtoHAsync(&cursor, Now.log->log + offsetof(gpu::Log, cursor), sizeof cursor,
                          Now.log->stream) != CUDA_SUCCESS ||
        cuStreamSynchronize(Now.log->stream) != CUDA_SUCCESS)
      return assumeSeen();
  }
  if (cursor > Log.capacity())
    assumeSeen();
  cursor = std::min<uint64_t>(cursor, Log.capacity());
  while (isRunning() && Replay.judged() < cursor) {
    Replay.scan(Log.records(), Log.capacity(), /*final=*/false);
    if (Replay.judged() >= cursor)
      return;
    if (milliseconds() - begun >= CatchUpMs)
      return assumeSeen();
    settle(/*wait=*/false);
  }
}

/// The thread is set up anew for each operation: what is judged in between may end its step.
void Collector::hostAtomic(uint64_t address, uint32_t bytes, abi::Op op, core::SiteId site,
                           bool wrote) {
  auto tell = [&](abi::Op as, bool writes) {
    Detector.atomicAfter(Detector.hosts().thread(Order.self()), address, bytes, as, site, writes,
                         0);
  };
  hostActs(address, bytes);
  if (!isRunning())
    return tell(op, wrote);
  if (wrote) { // before anything else is judged
    host::incomplete("host code wrote to an atomic object while a kernel ran: more order was "
                     "assumed than there may be");
    Replay.locations().writeBeside(address, bytes, [&] { tell(op, true); });
    if (op.kind() == abi::AccessKind::Store)
      return;
  } else {
    tell(op, false);
  }
  // What it has read may be any of the stores that are under way.
  abi::Op reads(abi::AccessKind::Load,
                op.acquires() ? abi::MemoryOrder::Acquire : abi::MemoryOrder::Relaxed, op.scope(),
                op.space());
  unsigned moments = 0;
  Replay.locations().watch(address, bytes, [&] {
    tell(reads, false);
    ++moments;
  });
  uint64_t dropped = Dropped;
  {
    RelaxedCapture relaxed;
    settle(/*wait=*/false);
  }
  if (isRunning())
    catchUp();
  if (Dropped != dropped)
    assumeSeen();
  if (isRunning())
    Replay.actStores(address, bytes);
  Replay.locations().unwatch();
  if (moments > 1)
    host::incomplete("an atomic read of host code fits several moments of a running kernel: all "
                     "their edges were kept");
}

} // namespace scopesan::cupti

extern "C" __attribute__((visibility("default"))) void scopesan_host_plain(const char *names,
                                                                           uint64_t bytes) {
  scopesan::host::plainUnits({names, bytes});
}

extern "C" __attribute__((visibility("default"))) const scopesan::abi::HostHooks *
scopesan_host_hooks(void) {
  return &scopesan::cupti::Hooks;
}

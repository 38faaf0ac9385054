// What libscopesan_hostcode.a calls (abi::HostHooks).
//
// The tool's own threads, locks and static variables reach these functions as well, from libraries
// that do not know who calls them: whatever happens inside the tool is dropped (InsideTool).
#include "cpu/shim/host_code.h"

#include "cpu/shim/context.h"

#include "scopesan/host_abi.h"

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

enum Range : uint32_t { Region, Elsewhere, RangeCount };
volatile abi::WatchedRange Ranges[RangeCount] = {{~0ull, 0}, {~0ull, 0}};

uint64_t raw(const void *P) { return reinterpret_cast<uint64_t>(P); }

/// Runs Body(Context &) under the lock, unless the tool itself is what calls.
template <typename Function> void told(Function Body) {
  Context *C = runningContext();
  if (!C || host::InsideTool)
    return;
  std::lock_guard Lock(C->Mutex);
  if (C->Sticky == cudaSuccess)
    Body(*C);
}

// ---------------------------------------------------------------- loops that wait

/// Reads of one location at one place again and again are a loop that waits for somebody. Then the
/// device gets time: on real hardware it runs beside the host.
constexpr uint32_t PatienceReads = 2;
struct Spin {
  uint64_t Address = 0;
  uint32_t Site = 0, Repeats = 0;
};
thread_local Spin TheSpin;

bool isWaiting(uint64_t Address, uint32_t Site) {
  Spin &S = TheSpin;
  if (S.Address == Address && S.Site == Site)
    return ++S.Repeats >= PatienceReads;
  S = {Address, Site, 0};
  return false;
}

// ---------------------------------------------------------------- the hooks

void module(const abi::Module *M) {
  hostCodeIsInstrumented();
  Context &C = context();
  std::lock_guard Lock(C.Mutex);
  host::registerModule(*M, "host code");
}

void read(const void *P, uint64_t Bytes, uint32_t Site) {
  told([&](Context &C) { C.Hosts.read(raw(P), Bytes, Site); });
}
void write(const void *P, uint64_t Bytes, uint32_t Site) {
  told([&](Context &C) { C.Hosts.write(raw(P), Bytes, Site); });
}

/// Is the thread within a strong operation, with the lock held?
thread_local bool Bracketed;

void atomicBefore(const void *) {
  Context *C = runningContext();
  if (!C || host::InsideTool)
    return;
  C->Mutex.lock();
  Bracketed = true;
}
void atomicAfter(const void *P, uint32_t Bytes, uint32_t RawOp, uint32_t Site, uint32_t Wrote) {
  if (!Bracketed)
    return;
  Bracketed = false;
  Context &C = *runningContext();
  if (C.Sticky == cudaSuccess) {
    abi::Op Op(RawOp);
    C.Hosts.atomic(raw(P), Bytes, Op, Site, Wrote);
    if (Wrote)
      TheSpin = {};
    else if (isWaiting(raw(P), Site))
      C.Work.runForAWhile();
  }
  C.Mutex.unlock();
}

void fence(uint32_t Op, uint32_t Site) {
  told([&](Context &C) { C.Hosts.fence(abi::Op(Op), Site); });
}
void unmodelled(uint32_t Site) {
  told([&](Context &C) { C.Hosts.unmodelled(Site); });
}

// Locks order nothing while there is one thread and no host function.
void acquire(const void *Object, uint32_t Shared) {
  told([&](Context &C) {
    if (C.Hosts.locksOrder())
      C.Hosts.acquire(raw(Object), Shared);
  });
}
void release(const void *Object, uint32_t Shared) {
  told([&](Context &C) {
    if (C.Hosts.locksOrder())
      C.Hosts.release(raw(Object), Shared);
  });
}
void forget(const void *Object) {
  told([&](Context &C) { C.Hosts.forget(raw(Object)); });
}

uint32_t create() {
  uint32_t Number = 0;
  told([&](Context &C) { Number = C.Hosts.create(); });
  return Number;
}
void begin(uint32_t Thread) {
  told([&](Context &C) { C.Hosts.begin(Thread); });
}
void end(uint32_t Thread) {
  told([&](Context &C) { C.Hosts.end(Thread); });
}
void join(uint32_t Thread) {
  told([&](Context &C) { C.Hosts.join(Thread); });
}

constexpr abi::HostHooks Hooks = {
    abi::HostVersion, RangeCount, Ranges,  module, read,   write, atomicBefore, atomicAfter, fence,
    unmodelled,       acquire,    release, forget, create, begin, end,          join};

void include(Range R, uint64_t Begin, uint64_t End) {
  if (Begin < Ranges[R].begin)
    Ranges[R].begin = Begin;
  if (End > Ranges[R].end)
    Ranges[R].end = End;
}

} // namespace

void scopesan::cpu::hostWatchesRegion(uint64_t Begin, uint64_t End) { include(Region, Begin, End); }
void scopesan::cpu::hostWatchesElsewhere(uint64_t Begin, uint64_t End) {
  include(Elsewhere, Begin, End);
}

SCOPESAN_EXPORT void scopesan_host_plain(const char *Names, uint64_t Bytes) {
  host::plainUnits({Names, Bytes});
}

extern "C" __attribute__((visibility("default"))) const abi::HostHooks *scopesan_host_hooks(void) {
  return &Hooks;
}

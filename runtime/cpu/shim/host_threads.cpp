#include "cpu/shim/host_threads.h"

#include "cpu/shim/context.h"

#include <string_view>
#include <tuple>

using namespace scopesan;
using namespace scopesan::cpu;
using core::HostCode;
using core::HostId;
using core::SiteId;

namespace {

/// Set by the first module's constructor, which runs before anything else of the program.
bool HasInstrumentedCode;
thread_local HostId Self;
thread_local bool InFunction;

core::HostThreads &threads() { return TheDetector->hosts(); }

} // namespace

bool HostThreadTable::isInstrumented() { return HasInstrumentedCode; }
bool HostThreadTable::inFunction() { return InFunction; }
void scopesan::cpu::hostCodeIsInstrumented() { HasInstrumentedCode = true; }

void HostThreadTable::start(Context &C) {
  Owner = &C;
  Self = threads().create({}, HasInstrumentedCode ? HostCode::Instrumented : HostCode::Opaque);
  Known = 1;
}

/// A thread that nobody announced is opaque.
HostId HostThreadTable::self() {
  if (!Self.value) {
    Self = threads().create({}, HostCode::Opaque);
    ++Known;
  }
  return Self;
}

// ---------------------------------------------------------------- API calls

core::NodeId HostThreadTable::past() { return threads().past(self()); }

void HostThreadTable::follow(const core::NodeId *Nodes, uint32_t Count) {
  threads().step(self(), Nodes, Count);
}

core::NodeId HostThreadTable::freeNode() {
  HostId Me = self();
  while (FreeLines.size() < Me.value)
    FreeLines.push_back(TheDetector->newTimeline());
  core::NodeId Past = threads().past(Me);
  core::NodeId Node = TheDetector->freeNode(FreeLines[Me.value - 1], &Past, 1);
  threads().step(Me, &Node, 1);
  return Node;
}

// ---------------------------------------------------------------- host functions

static bool isSame(const HostThreadTable::FunctionSource &A,
                   const HostThreadTable::FunctionSource &B) {
  auto Key = [](const HostThreadTable::FunctionSource &S) {
    return std::tuple(std::string_view(S.Api), S.From.stream, S.From.stack.value,
                      S.From.graphStack.value, S.From.graph, S.From.graphNode);
  };
  return Key(A) == Key(B);
}

/// Functions of one place in the program that are ordered share a thread, which reports name by
/// that place.
size_t HostThreadTable::functionThread(core::NodeId Node, const FunctionSource &Source) {
  for (size_t I = 0; I < FunctionThreads.size(); ++I)
    if (const FunctionThread &T = FunctionThreads[I];
        !T.IsBusy && isSame(T.Source, Source) && TheDetector->precedes(T.End, Node))
      return I;
  FunctionThreads.push_back({threads().create({}, HostCode::Instrumented), {}, Source});
  host::hostFunction(FunctionThreads.back().Id, Source.Api, Source.From);
  return FunctionThreads.size() - 1;
}

void HostThreadTable::runFunction(core::NodeId Node, const FunctionSource &Source,
                                  const std::function<void()> &Function) {
  struct Saved {
    HostId Me = Self;
    bool Was = InFunction;
    ~Saved() {
      Self = Me;
      InFunction = Was;
    }
  } Restore;
  InFunction = true;
  size_t At = 0;
  if (HasInstrumentedCode) {
    TheDetector->begin(Node);
    At = functionThread(Node, Source);
    FunctionThreads[At].IsBusy = true;
    Self = FunctionThreads[At].Id;
    threads().step(Self, &Node, 1);
  }
  {
    ApiMutex::Released Unlocked(Owner->Mutex);
    Function();
  }
  if (HasInstrumentedCode) {
    FunctionThread &T = FunctionThreads[At];
    T.End = threads().past(T.Id);
    T.IsBusy = false;
    TheDetector->during(Node, T.End);
  }
}

// ---------------------------------------------------------------- threads and locks

uint32_t HostThreadTable::create() {
  ++Known;
  return threads().create(self(), HostCode::Instrumented).value;
}
void HostThreadTable::begin(uint32_t Thread) { Self = {Thread}; }
void HostThreadTable::end(uint32_t Thread) { threads().end({Thread}); }
void HostThreadTable::join(uint32_t Thread) { threads().join(self(), {Thread}); }

static core::HostAccess accessOf(bool Shared) {
  return Shared ? core::HostAccess::Shared : core::HostAccess::Exclusive;
}
void HostThreadTable::acquire(uint64_t Object, bool Shared) {
  threads().acquire(self(), Object, accessOf(Shared));
}
void HostThreadTable::release(uint64_t Object, bool Shared) {
  threads().release(self(), Object, accessOf(Shared));
}
void HostThreadTable::forget(uint64_t Object) { threads().forget(Object); }

// ---------------------------------------------------------------- accesses

/// May a kernel that the calling thread does not know to have ended use the memory? Without
/// concurrentManagedAccess every kernel may, except where the memory is attached to one stream.
static bool isInUse(Context &C, const Allocation &A, core::NodeId Now) {
  if (A.Attached == Attachment::Host)
    return false;
  for (const Stream *S : C.Streams.all()) {
    if (A.Attached == Attachment::Stream && S->Ordinal != A.AttachedTo)
      continue;
    for (const Dependency &D : S->Tail)
      if (S->TailIsKernel && !TheDetector->precedes(D.Node, Now))
        return true;
  }
  return false;
}

bool HostThreadTable::mayTouch(const Allocation &A, uint64_t Address, uint64_t Bytes, abi::Op Op,
                               uint32_t Site) {
  bool IsManaged = A.Kind == host::MemoryKind::Managed;
  bool May = A.onHost() || IsManaged;
  if (IsManaged && !host::options().concurrent_managed_access)
    May = !isInUse(*Owner, A, past());
  if (!May)
    TheDetector->unreachable(threads().thread(self()), Address, uint32_t(Bytes), Op, SiteId{Site});
  return May;
}

void HostThreadTable::access(uint64_t Address, uint64_t Bytes, uint32_t Site, bool Write) {
  const Allocation *A = Owner->Memory.find(Address);
  // Memory that ended is still within the region; the rest is the program's own.
  if (!Bytes || (!A && !Owner->Memory.inRegion(Address)))
    return;
  constexpr abi::Op Load(abi::AccessKind::Load, abi::MemoryOrder::Weak, abi::Scope::Thread);
  constexpr abi::Op Store(abi::AccessKind::Store, abi::MemoryOrder::Weak, abi::Scope::Thread);
  if (A && !mayTouch(*A, Address, Bytes, Write ? Store : Load, Site))
    return;
  core::Thread &T = threads().thread(self());
  if (Write)
    TheDetector->writeRange(T, Address, Bytes, SiteId{Site});
  else
    TheDetector->readRange(T, Address, Bytes, SiteId{Site});
}

void HostThreadTable::atomic(uint64_t Address, uint32_t Bytes, abi::Op Op, uint32_t Site,
                             bool Wrote) {
  const Allocation *A = Owner->Memory.find(Address);
  core::Thread &T = threads().thread(self());
  if (!A && !Owner->Memory.inRegion(Address)) // orders, but is no concern of CUDA
    return TheDetector->synchronize(T, Address, Bytes, Op, SiteId{Site}, Wrote);
  if (A && !mayTouch(*A, Address, Bytes, Op, Site))
    return;
  TheDetector->atomicAfter(threads().thread(self()), Address, Bytes, Op, SiteId{Site}, Wrote, 0);
}

void HostThreadTable::fence(abi::Op Op, uint32_t Site) {
  TheDetector->fence(threads().thread(self()), Op, SiteId{Site});
}

void HostThreadTable::unmodelled(uint32_t Site) {
  TheDetector->unmodelled(threads().thread(self()));
  host::incomplete("an operation that ScopeSan does not model was executed", SiteId{Site});
}

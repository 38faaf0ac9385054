#include "cpu/async_copies.h"

#include "cpu/engine.h"
#include "cpu/faults.h"
#include "cpu/mbarriers.h"
#include "cpu/reduction.h"

#include "host/bulk_size.h"
#include "host/collector.h"

#include <algorithm>
#include <stdio.h>
#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

static bool later(const AsyncCopy *A, const AsyncCopy *B) {
  return A->Due != B->Due ? A->Due > B->Due : A->Sequence > B->Sequence;
}

void AsyncCopies::configure(uint64_t Seed) {
  Chance = Random(Seed ^ 0xA57C);
  abandon();
}

void AsyncCopies::abandon() {
  for (AsyncCopy *C : Pending)
    delete C;
  Pending.clear();
  Announced.clear();
  Issuing = {};
  Executing = nullptr;
}

CopyState &AsyncCopies::stateOf(Thread &T) {
  if (T.Copies)
    return *T.Copies;
  if (FreeStates.empty())
    FreeStates.push_back(std::make_unique<CopyState>());
  T.Copies = FreeStates.back().release();
  FreeStates.pop_back();
  T.Owner->Peers->UsesCopies = true;
  return *T.Copies;
}

// ---------------------------------------------------------------- issue

AsyncCopies::Announcement &AsyncCopies::announce(Thread &T, uint32_t Site) {
  Announcement &A = Announced.emplace_back();
  A.By = &T;
  A.Site = Site;
  return A;
}

/// The thread's oldest; an empty one when the operation is not instrumented.
AsyncCopies::Announcement AsyncCopies::take(Thread &T) {
  auto It = std::find_if(Announced.begin(), Announced.end(),
                         [&](const Announcement &A) { return A.By == &T; });
  if (It == Announced.end())
    return {};
  Announcement A = std::move(*It);
  Announced.erase(It);
  return A;
}

uint32_t AsyncCopies::announcedSite(Thread &T) { return take(T).Site; }

void AsyncCopies::beginIssue(Thread &T) {
  Issuing = take(T);
  Taken = 0;
}

/// The next step is taken at a moment between now and some thousand slices later; short and long
/// delays are equally likely.
void AsyncCopies::draw(AsyncCopy &C, uint64_t Slices) {
  constexpr uint32_t LongestLog2 = 12;
  C.Due = Slices + Chance.below(1u << Chance.below(LongestLog2 + 1));
}

AsyncCopy *AsyncCopies::create(Thread &T, AsyncCopy &&Copy) {
  auto *C = new AsyncCopy(std::move(Copy));
  C->Issuer = &T;
  C->Sequence = NextSequence++;
  if (Taken < Issuing.Count) {
    C->Actor = Issuing.Receivers[Taken].Actor;
    C->Signal = Issuing.Receivers[Taken].Signal;
    C->Site = Issuing.Site;
  }
  ++Taken;
  T.Owner->Peers->UsesCopies = true;
  return C;
}

void AsyncCopies::enqueue(AsyncCopy *C) {
  if (C->Completes != AsyncCopy::Kind::Signalled) {
    CopyState &S = stateOf(*C->Issuer);
    C->Group = S.Commits[uint32_t(C->Completes)];
    S.Unfinished.push_back(C);
  }
  draw(*C, TheEngine.Sched.Slices);
  Pending.push_back(C);
  std::push_heap(Pending.begin(), Pending.end(), later);
}

void AsyncCopies::issue(Thread &T, AsyncCopy &&Copy) { enqueue(create(T, std::move(Copy))); }

void AsyncCopies::issueTold(Thread &T, AsyncCopy &&Copy) {
  auto *C = new AsyncCopy(std::move(Copy));
  C->Issuer = &T;
  C->Sequence = NextSequence++;
  T.Owner->Peers->UsesCopies = true;
  enqueue(C);
}

void AsyncCopies::issueBuffered(Thread &T, AsyncCopy &&Copy, const void *Values) {
  AsyncCopy *C = create(T, std::move(Copy));
  memcpy(C->Small, Values, C->Bytes);
  C->Progress = AsyncCopy::State::Buffered;
  enqueue(C);
}

void AsyncCopies::commit(Thread &T, AsyncCopy::Kind Kind) { ++stateOf(T).Commits[uint32_t(Kind)]; }

// ---------------------------------------------------------------- execution

namespace {
/// While it lives, faults are those of device code.
struct DeviceAccess {
  DeviceAccess() {
    ProbingDeviceAddress = true;
    __asm__ volatile("" ::: "memory");
  }
  ~DeviceAccess() {
    __asm__ volatile("" ::: "memory");
    ProbingDeviceAddress = false;
  }
};
} // namespace

namespace {

void readTile(AsyncCopy &C) {
  const TensorTile &T = *C.Tile;
  if (C.StoresTile)
    return fromShared(T, C.To, C.buffer());
  fillImage(T, C.buffer());
  for (const TensorTile::Run &R : T.runs)
    memcpy(C.buffer() + R.offset, reinterpret_cast<const char *>(R.global), R.bytes);
}

void writeTile(AsyncCopy &C) {
  const TensorTile &T = *C.Tile;
  if (!C.StoresTile)
    return toShared(T, C.To, C.buffer());
  for (const TensorTile::Run &R : T.runs) {
    auto *Global = reinterpret_cast<char *>(R.global);
    if (C.Reducing)
      reduce(C.Reducing, Global, C.buffer() + R.offset, R.bytes);
    else
      memcpy(Global, C.buffer() + R.offset, R.bytes);
  }
}

} // namespace

void AsyncCopies::read(AsyncCopy &C) {
  if (C.Progress != AsyncCopy::State::Issued)
    return;
  if (C.Bytes > AsyncCopy::SmallBytes)
    C.Large = std::make_unique<char[]>(C.Bytes);
  Executing = &C;
  {
    DeviceAccess Access;
    if (C.Tile)
      readTile(C);
    else if (C.SourceBytes)
      memcpy(C.buffer(), C.From, C.SourceBytes);
  }
  Executing = nullptr;
  memset(C.buffer() + C.SourceBytes, 0, C.Bytes - C.SourceBytes);
  C.Progress = AsyncCopy::State::Buffered;
  TheEngine.Sched.noteProgress();
}

void AsyncCopies::write(AsyncCopy &C) {
  Executing = &C;
  {
    DeviceAccess Access;
    if (C.Tile)
      writeTile(C);
    else if (C.Reducing)
      reduce(C.Reducing, C.To, C.buffer(), C.Bytes);
    else if (!C.LeftOut)
      memcpy(C.To, C.buffer(), C.Bytes);
    else
      for (uint64_t I = 0; I < C.Bytes; ++I)
        if (!(C.LeftOut >> I % 16 & 1))
          C.To[I] = C.buffer()[I];
  }
  Executing = nullptr;
  C.Progress = AsyncCopy::State::Done;
  C.Large.reset();
  TheEngine.Sched.noteProgress();
  if (C.Barrier)
    signal(C);
}

void AsyncCopies::signal(AsyncCopy &C) {
  Block *Owner = sharedOwner(*C.Issuer, reinterpret_cast<uint64_t>(C.Barrier));
  if (C.Actor.value && Owner)
    TheDetector->mbarrierCompleteTx(*Owner->Threads[0].Detect,
                                    reinterpret_cast<uint64_t>(C.Barrier), uint32_t(C.Bytes),
                                    C.Actor, core::SiteId{C.Site}, C.Signal);
  mbarrierAt(C.Barrier).complete(uint32_t(C.Bytes));
}

void AsyncCopies::finish(AsyncCopy &C) {
  if (C.Progress == AsyncCopy::State::Done)
    return;
  read(C);
  write(C);
  if (C.Completes == AsyncCopy::Kind::Signalled)
    return;
  CopyState &S = *C.Issuer->Copies;
  S.Unfinished.erase(std::find(S.Unfinished.begin(), S.Unfinished.end(), &C));
  arrivals(*C.Issuer);
}

/// Arrives for copies that are done.
void AsyncCopies::arrivals(Thread &T) {
  CopyState &S = *T.Copies;
  while (!S.Arrivals.empty()) {
    CopyArrival &A = S.Arrivals.front();
    for (const AsyncCopy *C : S.Unfinished)
      if (C->Completes == AsyncCopy::Kind::CpAsync && C->Sequence < A.Sequence)
        return;
    CopyArrival Ready = std::move(A);
    S.Arrivals.erase(S.Arrivals.begin());
    TheDetector->cpAsyncMbarrierDone(*T.Detect, reinterpret_cast<uint64_t>(Ready.Barrier),
                                     Ready.Publishes, core::SiteId{Ready.Site});
    mbarrierAt(Ready.Barrier).arrive(1, false);
    TheEngine.Sched.noteProgress();
  }
}

void AsyncCopies::runDue(uint64_t Slices) {
  while (due(Slices)) {
    std::pop_heap(Pending.begin(), Pending.end(), later);
    AsyncCopy *C = Pending.back();
    if (C->Progress == AsyncCopy::State::Issued && Chance.coin()) {
      read(*C); // the write has a moment of its own
      draw(*C, Slices + 1);
      std::push_heap(Pending.begin(), Pending.end(), later);
      continue;
    }
    Pending.pop_back();
    finish(*C);
    delete C;
  }
}

void AsyncCopies::waitGroups(Thread &T, AsyncCopy::Kind Kind, uint32_t Allowed, bool ReadOnly) {
  if (!T.Copies)
    return;
  uint32_t Commits = T.Copies->Commits[uint32_t(Kind)];
  std::vector<AsyncCopy *> Waited;
  for (AsyncCopy *C : T.Copies->Unfinished)
    if (C->Completes == Kind && uint64_t(C->Group) + Allowed < Commits)
      Waited.push_back(C);
  for (AsyncCopy *C : Waited)
    ReadOnly ? read(*C) : finish(*C);
}

void AsyncCopies::waitAll(Thread &T) {
  if (!T.Copies)
    return;
  std::vector<AsyncCopy *> Waited;
  for (AsyncCopy *C : T.Copies->Unfinished)
    if (C->Completes == AsyncCopy::Kind::CpAsync)
      Waited.push_back(C);
  for (AsyncCopy *C : Waited)
    finish(*C);
}

void AsyncCopies::arriveAfterCopies(Thread &T, void *Barrier, bool NoInc) {
  MbarrierObject &B = mbarrierAt(Barrier);
  if (!NoInc)
    ++B.Pending;
  CopyState &S = stateOf(T);
  S.Arrivals.push_back({Barrier, NextSequence++, std::move(Issuing.Arrival), Issuing.Site});
  arrivals(T);
}

void AsyncCopies::finishCluster(Cluster &C) {
  if (!C.UsesCopies)
    return;
  C.UsesCopies = false;
  auto Own = std::partition(Pending.begin(), Pending.end(),
                            [&](const AsyncCopy *X) { return X->Issuer->Owner->Peers != &C; });
  std::vector<AsyncCopy *> Last(Own, Pending.end());
  Pending.erase(Own, Pending.end());
  std::make_heap(Pending.begin(), Pending.end(), later);
  std::sort(Last.begin(), Last.end(), [](auto *A, auto *B) { return later(B, A); });
  for (AsyncCopy *X : Last) {
    finish(*X);
    delete X;
  }
  for (uint32_t I = 0; I < C.BlockCount; ++I)
    for (Thread &T : C.Blocks[I]->Threads)
      if (T.Copies) {
        *T.Copies = {};
        FreeStates.emplace_back(T.Copies);
        T.Copies = nullptr;
      }
}

// ---------------------------------------------------------------- the engine's entry points

static AsyncCopy copyOf(void *To, const void *From, uint64_t Bytes, AsyncCopy::Kind Kind) {
  AsyncCopy C;
  C.To = static_cast<char *>(To);
  C.From = static_cast<const char *>(From);
  C.Bytes = C.SourceBytes = Bytes;
  C.Completes = Kind;
  return C;
}

/// A fault belongs to the thread that gave the address: touch both ends here.
static void probe(const void *P, uint64_t Bytes) {
  DeviceAccess Access;
  auto *At = static_cast<const volatile char *>(P);
  (void)At[0];
  (void)At[Bytes - 1];
}

void scopesan::cpu::readDeviceMemory(void *To, const void *From, uint64_t Bytes) {
  DeviceAccess Access;
  memcpy(To, From, Bytes);
}
void scopesan::cpu::writeDeviceMemory(void *To, const void *From, uint64_t Bytes) {
  DeviceAccess Access;
  memcpy(To, From, Bytes);
}

void scopesan::cpu::checkAligned(const Thread &T, uint64_t Value, uint64_t Alignment,
                                 const char *What, uint32_t Site) {
  if (Value % Alignment == 0)
    return;
  char Hex[32];
  snprintf(Hex, sizeof Hex, "0x%llx", static_cast<unsigned long long>(Value));
  TheEngine.failFromFiber(FailureCode::MisalignedAddress,
                          "misaligned " + std::string(What) + ": " + Hex +
                              " is not a multiple of " + std::to_string(Alignment) + ",",
                          T, Site);
}

extern "C" {
#pragma GCC visibility push(default)

void __scopesan_cpu_cp_async(void *To, const void *From, uint32_t Bytes, uint32_t Source) {
  Thread &T = *Engine::current();
  AsyncCopies &All = TheEngine.Copies;
  All.beginIssue(T);
  checkAligned(T, To, Bytes, "destination of cp.async", All.siteNow());
  AsyncCopy C = copyOf(To, From, Bytes, AsyncCopy::Kind::CpAsync);
  C.SourceBytes = std::min(Source, Bytes);
  probe(To, Bytes);
  if (C.SourceBytes) {
    checkAligned(T, From, Bytes, "source of cp.async", All.siteNow());
    probe(From, C.SourceBytes);
  }
  All.issue(T, std::move(C));
}

void __scopesan_cpu_cp_async_commit(void) {
  TheEngine.Copies.commit(*Engine::current(), AsyncCopy::Kind::CpAsync);
}

void __scopesan_cpu_cp_async_wait(uint32_t Allowed) {
  Thread &T = *Engine::current();
  if (Allowed == abi::WaitAll)
    TheEngine.Copies.waitAll(T);
  else
    TheEngine.Copies.waitGroups(T, AsyncCopy::Kind::CpAsync, Allowed, false);
}

void __scopesan_cpu_cp_async_mbarrier_arrive(void *Barrier, uint32_t NoInc) {
  Thread &T = *Engine::current();
  checkMbarrier(T, Barrier);
  TheEngine.Copies.beginIssue(T);
  TheEngine.Copies.arriveAfterCopies(T, Barrier, NoInc);
}

void __scopesan_cpu_bulk_copy(void *To, const void *From, uint64_t Bytes, void *Barrier,
                              uint32_t Reducing, uint32_t Masks) {
  Thread &T = *Engine::current();
  AsyncCopies &All = TheEngine.Copies;
  All.beginIssue(T);
  if (!Bytes)
    return;
  checkAligned(T, To, BulkAlignment, "destination of a bulk copy", All.siteNow());
  checkAligned(T, From, BulkAlignment, "source of a bulk copy", All.siteNow());
  if (Bytes % host::BulkSizeUnit)
    host::incomplete(host::OddBulkSize, core::SiteId{All.siteNow()});
  if (Barrier)
    checkMbarrier(T, Barrier);
  probe(From, Bytes);
  probe(To, Bytes);
  AsyncCopy C =
      copyOf(To, From, Bytes, Barrier ? AsyncCopy::Kind::Signalled : AsyncCopy::Kind::BulkGroup);
  C.Barrier = Barrier;
  C.Reducing = Reduction(Reducing);
  C.LeftOut = Masks >> 16;
  uint32_t Receivers = Masks & 0xffff;
  if (!Receivers)
    return All.issue(T, std::move(C));
  for (uint32_t Rank = 0; Receivers >> Rank; ++Rank) {
    if (!(Receivers >> Rank & 1))
      continue;
    AsyncCopy Each = copyOf(inBlock(T, To, Rank), From, Bytes, C.Completes);
    Each.Barrier = Barrier ? inBlock(T, Barrier, Rank) : nullptr;
    All.issue(T, std::move(Each));
  }
}

void __scopesan_cpu_bulk_commit(void) {
  TheEngine.Copies.commit(*Engine::current(), AsyncCopy::Kind::BulkGroup);
}

void __scopesan_cpu_bulk_wait(uint32_t Allowed, uint32_t Read) {
  TheEngine.Copies.waitGroups(*Engine::current(), AsyncCopy::Kind::BulkGroup, Allowed, Read);
}

void __scopesan_cpu_store_async(void *To, const void *Values, uint32_t Bytes, void *Barrier,
                                uint32_t Reducing) {
  Thread &T = *Engine::current();
  TheEngine.Copies.beginIssue(T);
  if (!Barrier) { // a release: who acquires it must find what it published, so it happens now
    DeviceAccess Access;
    if (Reducing)
      reduce(Reduction(Reducing), static_cast<char *>(To), static_cast<const char *>(Values),
             Bytes);
    else
      memcpy(To, Values, Bytes);
    return TheEngine.Sched.noteProgress();
  }
  checkMbarrier(T, Barrier);
  probe(To, Bytes);
  AsyncCopy C = copyOf(To, nullptr, Bytes, AsyncCopy::Kind::Signalled);
  C.Barrier = Barrier;
  C.Reducing = Reduction(Reducing);
  TheEngine.Copies.issueBuffered(T, std::move(C), Values);
}

#pragma GCC visibility pop
}

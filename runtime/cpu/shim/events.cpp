// Events. Times are virtual: they advance with device steps, so they are the same in every run.
#include "cpu/shim/events.h"

#include "cpu/shim/capture.h"
#include "cpu/shim/variants.h"

#include <algorithm>
#include <unordered_set>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

std::unordered_set<Event *> &liveEvents() {
  static auto *Set = new std::unordered_set<Event *>;
  return *Set;
}

Event *lookup(cudaEvent_t Handle) { return lookupEvent(Handle); }

/// Never the same time twice: programs divide by the difference.
uint64_t timestamp() {
  static uint64_t Last = 0;
  return Last = std::max(TheEngine.now(), Last + 1000);
}

cudaError_t recordEvent(cudaEvent_t Handle, cudaStream_t Queue, unsigned Flags = 0) {
  return streamCall(Queue, [&](Context &C, Stream &S) {
    Event *E = lookup(Handle);
    if (!E || E->Device != S.Device)
      return cudaErrorInvalidResourceHandle;
    if (Flags & ~unsigned(cudaEventRecordExternal))
      return cudaErrorInvalidValue;
    if (S.Capturing && Flags & cudaEventRecordExternal)
      return captureNode(S, cudaGraphNodeTypeEventRecord, EventRecordWork{E});
    if (S.Capturing)
      return captureRecord(S, *E), cudaSuccess;
    if (cudaError_t Failed = checkImplicitJoin(C, S); Failed != cudaSuccess)
      return Failed;
    OperationRef Op = C.Work.enqueueMarker(S, startRecord(*E));
    finishRecord(*E, {{Op, Op->Node}});
    return cudaSuccess;
  });
}

} // namespace

Event *scopesan::cpu::lookupEvent(cudaEvent_t Handle) {
  auto *E = reinterpret_cast<Event *>(Handle);
  return liveEvents().count(E) ? E : nullptr;
}

std::function<void()> scopesan::cpu::startRecord(Event &E) {
  E.Time = std::make_shared<uint64_t>(0);
  return [Time = E.Time] { *Time = timestamp(); };
}

void scopesan::cpu::finishRecord(Event &E, Dependencies What) {
  E.LastRecord = std::move(What);
  E.Recorded = true;
  E.Captured.reset();
  E.CapturedNodes.clear();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *Result, unsigned Flags) {
  return deviceCall([&](Context &) {
    if (!Result || Flags & ~7u)
      return cudaErrorInvalidValue;
    auto *E = new Event;
    E->Flags = Flags;
    E->Device = currentDevice();
    liveEvents().insert(E);
    *Result = reinterpret_cast<cudaEvent_t>(E);
    return cudaSuccess;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t *Result) {
  return cudaEventCreateWithFlags(Result, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t Handle) {
  return apiCall([&](Context &) {
    Event *E = lookup(Handle);
    if (!E)
      return cudaErrorInvalidResourceHandle;
    liveEvents().erase(E);
    delete E;
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t E, cudaStream_t S) { return recordEvent(E, S); }
SCOPESAN_EXPORT cudaError_t cudaEventRecord_ptsz(cudaEvent_t E, cudaStream_t S) {
  return recordEvent(E, perThread(S));
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t E, cudaStream_t S, unsigned Flags) {
  return recordEvent(E, S, Flags);
}
SCOPESAN_EXPORT cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t E, cudaStream_t S,
                                                          unsigned Flags) {
  return recordEvent(E, perThread(S), Flags);
}

cudaError_t cudaEventSynchronize(cudaEvent_t Handle) {
  return deviceCall([&](Context &C) {
    Event *E = lookup(Handle);
    if (!E)
      return cudaErrorInvalidResourceHandle;
    if (E->Captured)
      return cudaErrorCapturedEvent;
    return E->Recorded ? C.Work.waitFor(E->LastRecord) : cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t Handle) {
  Context &C = context();
  std::lock_guard Lock(C.Mutex);
  C.noteHostThread();
  if (C.Sticky != cudaSuccess)
    return record(C.Sticky);
  Event *E = lookup(Handle);
  if (!E)
    return record(cudaErrorInvalidResourceHandle);
  if (E->Captured)
    return record(cudaErrorCapturedEvent);
  if (!E->Recorded)
    return cudaSuccess;
  cudaError_t Status = C.Work.query(E->LastRecord);
  return Status == cudaErrorNotReady ? Status : record(Status); // not ready is an answer
}

cudaError_t cudaEventElapsedTime(float *Milliseconds, cudaEvent_t Start, cudaEvent_t End) {
  return deviceCall([&](Context &) {
    Event *A = lookup(Start), *B = lookup(End);
    if (!A || !B || !A->Recorded || !B->Recorded || (A->Flags | B->Flags) & cudaEventDisableTiming)
      return cudaErrorInvalidResourceHandle;
    for (const Event *E : {A, B})
      for (const Dependency &D : E->LastRecord)
        if (!D.Op->Done)
          return cudaErrorNotReady;
    *Milliseconds = float(double(int64_t(*B->Time - *A->Time)) * 1e-6);
    return cudaSuccess;
  });
}

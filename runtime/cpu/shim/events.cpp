// Events. Times are virtual: they advance with device steps, so they are the same in every run.
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

Event *lookup(cudaEvent_t Handle) {
  auto *E = reinterpret_cast<Event *>(Handle);
  return liveEvents().count(E) ? E : nullptr;
}

/// Never the same time twice: programs divide by the difference.
uint64_t timestamp() {
  static uint64_t Last = 0;
  return Last = std::max(TheEngine.now(), Last + 1000);
}

cudaError_t recordEvent(cudaEvent_t Handle, cudaStream_t Queue) {
  return streamCall(Queue, [&](Context &C, Stream &S) {
    Event *E = lookup(Handle);
    if (!E)
      return cudaErrorInvalidResourceHandle;
    E->Time = std::make_shared<uint64_t>(0);
    OperationRef Op = C.Work.enqueueMarker(S, [Time = E->Time] { *Time = timestamp(); });
    E->LastRecord = {Op, Op->Node};
    E->Recorded = true;
    return cudaSuccess;
  });
}

} // namespace

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *Result, unsigned Flags) {
  return deviceCall([&](Context &) {
    if (!Result || Flags & ~7u)
      return cudaErrorInvalidValue;
    auto *E = new Event;
    E->Flags = Flags;
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
cudaError_t cudaEventRecordWithFlags(cudaEvent_t E, cudaStream_t S, unsigned) {
  return recordEvent(E, S);
}
SCOPESAN_EXPORT cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t E, cudaStream_t S, unsigned) {
  return recordEvent(E, perThread(S));
}

cudaError_t cudaEventSynchronize(cudaEvent_t Handle) {
  return deviceCall([&](Context &C) {
    Event *E = lookup(Handle);
    if (!E)
      return cudaErrorInvalidResourceHandle;
    return E->Recorded ? C.Work.waitFor(OperationRef(E->LastRecord.Op)) : cudaSuccess;
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
  if (!E->Recorded)
    return cudaSuccess;
  cudaError_t Status = C.Work.query(Dependency(E->LastRecord));
  return Status == cudaErrorNotReady ? Status : record(Status); // not ready is an answer
}

cudaError_t cudaEventElapsedTime(float *Milliseconds, cudaEvent_t Start, cudaEvent_t End) {
  return deviceCall([&](Context &) {
    Event *A = lookup(Start), *B = lookup(End);
    if (!A || !B || !A->Recorded || !B->Recorded || (A->Flags | B->Flags) & cudaEventDisableTiming)
      return cudaErrorInvalidResourceHandle;
    if (!A->LastRecord.Op->Done || !B->LastRecord.Op->Done)
      return cudaErrorNotReady;
    *Milliseconds = float(double(int64_t(*B->Time - *A->Time)) * 1e-6);
    return cudaSuccess;
  });
}

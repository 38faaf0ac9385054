// Streams: creation, properties, synchronization, host functions.
#include "cpu/shim/capture.h"
#include "cpu/shim/launches.h"
#include "cpu/shim/variants.h"

#include <algorithm>

using namespace scopesan;
using namespace scopesan::cpu;

static constexpr int LeastPriority = 0, GreatestPriority = -5;

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *Result, unsigned Flags, int Priority) {
  return deviceCall([&](Context &C) {
    if (!Result || Flags & ~unsigned(cudaStreamNonBlocking))
      return cudaErrorInvalidValue;
    Priority = std::clamp(Priority, GreatestPriority, LeastPriority);
    *Result = C.Streams.handleOf(C.Streams.create(currentDevice(), Flags, Priority));
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *Result, unsigned Flags) {
  return cudaStreamCreateWithPriority(Result, Flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t *Result) {
  return cudaStreamCreateWithPriority(Result, cudaStreamDefault, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t Handle) {
  return apiCall([&](Context &C) {
    Stream *S = C.Streams.lookup(Handle, currentDevice());
    if (!S || S->IsLegacy || Handle == cudaStreamPerThread)
      return cudaErrorInvalidResourceHandle;
    if (S->Capturing)
      return captureFails(*S, cudaErrorStreamCaptureUnsupported);
    C.Streams.destroy(S);
    return cudaSuccess;
  });
}

// ---------------------------------------------------------------- synchronization

cudaError_t cudaStreamSynchronize(cudaStream_t Handle) {
  return streamCall(Handle, [](Context &C, Stream &S) {
    if (S.Capturing)
      return captureFails(S, cudaErrorStreamCaptureUnsupported);
    if (cudaError_t E = checkImplicitJoin(C, S); E != cudaSuccess)
      return E;
    return C.Work.waitForStream(S);
  });
}
SCOPESAN_EXPORT cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t S) {
  return cudaStreamSynchronize(perThread(S));
}

cudaError_t cudaStreamQuery(cudaStream_t Handle) {
  Context &C = context();
  std::lock_guard Lock(C.Mutex);
  C.noteHostThread();
  if (C.Sticky != cudaSuccess)
    return record(C.Sticky);
  Stream *S = C.Streams.lookup(Handle, currentDevice());
  if (!S)
    return record(cudaErrorInvalidResourceHandle);
  if (S->Capturing)
    return record(captureFails(*S, cudaErrorStreamCaptureUnsupported));
  if (cudaError_t E = checkImplicitJoin(C, *S); E != cudaSuccess)
    return record(E);
  cudaError_t E = C.Work.queryStream(*S);
  return E == cudaErrorNotReady ? E : record(E); // not ready is an answer, not an error
}
SCOPESAN_EXPORT cudaError_t cudaStreamQuery_ptsz(cudaStream_t S) {
  return cudaStreamQuery(perThread(S));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t Handle, cudaEvent_t EventHandle, unsigned Flags) {
  return streamCall(Handle, [&](Context &C, Stream &S) {
    Event *E = lookupEvent(EventHandle);
    if (!E)
      return cudaErrorInvalidResourceHandle;
    if (Flags & ~unsigned(cudaEventWaitExternal))
      return cudaErrorInvalidValue;
    if (S.Capturing && Flags & cudaEventWaitExternal)
      return captureNode(S, cudaGraphNodeTypeWaitEvent, EventWaitWork{E});
    if (S.Capturing || E->Captured)
      return captureWait(S, *E);
    if (cudaError_t Failed = checkImplicitJoin(C, S); Failed != cudaSuccess)
      return Failed;
    // The latest record at this call counts; none makes it a no-op.
    if (E->Recorded)
      C.Work.enqueueMarker(S, nullptr, E->LastRecord);
    return cudaSuccess;
  });
}
SCOPESAN_EXPORT cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t S, cudaEvent_t E,
                                                     unsigned Flags) {
  return cudaStreamWaitEvent(perThread(S), E, Flags);
}

// ---------------------------------------------------------------- host functions

cudaError_t cudaLaunchHostFunc(cudaStream_t Handle, cudaHostFn_t Function, void *Data) {
  return streamCall(Handle, [&](Context &C, Stream &S) {
    return Function ? submit(C, S, HostWork{"cudaLaunchHostFunc", Function, Data})
                    : cudaErrorInvalidValue;
  });
}
SCOPESAN_EXPORT cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t S, cudaHostFn_t Function,
                                                    void *Data) {
  return cudaLaunchHostFunc(perThread(S), Function, Data);
}
cudaError_t cudaStreamAddCallback(cudaStream_t Handle, cudaStreamCallback_t Callback, void *Data,
                                  unsigned) {
  struct Call {
    cudaStreamCallback_t Callback;
    cudaStream_t Handle;
    void *Data;
  };
  return streamCall(Handle, [&](Context &C, Stream &S) {
    if (!Callback)
      return cudaErrorInvalidValue;
    if (S.Capturing) // only cudaLaunchHostFunc can be captured
      return captureFails(S, cudaErrorStreamCaptureUnsupported);
    auto Run = [](void *P) {
      std::unique_ptr<Call> Mine(static_cast<Call *>(P));
      Mine->Callback(Mine->Handle, cudaSuccess, Mine->Data);
    };
    return submit(C, S, HostWork{"cudaStreamAddCallback", Run, new Call{Callback, Handle, Data}});
  });
}
SCOPESAN_EXPORT cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t S,
                                                       cudaStreamCallback_t Callback, void *Data,
                                                       unsigned Flags) {
  return cudaStreamAddCallback(perThread(S), Callback, Data, Flags);
}

// ---------------------------------------------------------------- properties

cudaError_t cudaStreamGetPriority(cudaStream_t Handle, int *Priority) {
  return streamCall(Handle,
                    [&](Context &, Stream &S) { return *Priority = S.Priority, cudaSuccess; });
}
SCOPESAN_EXPORT cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t S, int *Priority) {
  return cudaStreamGetPriority(perThread(S), Priority);
}
cudaError_t cudaStreamGetFlags(cudaStream_t Handle, unsigned *Flags) {
  return streamCall(Handle, [&](Context &, Stream &S) { return *Flags = S.Flags, cudaSuccess; });
}
SCOPESAN_EXPORT cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t S, unsigned *Flags) {
  return cudaStreamGetFlags(perThread(S), Flags);
}
cudaError_t cudaStreamGetId(cudaStream_t Handle, unsigned long long *Id) {
  return streamCall(Handle, [&](Context &, Stream &S) { return *Id = S.Ordinal + 1, cudaSuccess; });
}
SCOPESAN_EXPORT cudaError_t cudaStreamGetId_ptsz(cudaStream_t S, unsigned long long *Id) {
  return cudaStreamGetId(perThread(S), Id);
}
cudaError_t cudaStreamGetDevice(cudaStream_t Handle, int *Device) {
  return streamCall(Handle, [&](Context &, Stream &S) { return *Device = S.Device, cudaSuccess; });
}
SCOPESAN_EXPORT cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t S, int *Device) {
  return cudaStreamGetDevice(perThread(S), Device);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *Least, int *Greatest) {
  return apiCall([&](Context &) {
    if (Least)
      *Least = LeastPriority;
    if (Greatest)
      *Greatest = GreatestPriority;
    return cudaSuccess;
  });
}

// ---------------------------------------------------------------- attributes

cudaError_t cudaStreamSetAttribute(cudaStream_t Handle, cudaStreamAttrID Id,
                                   const cudaStreamAttrValue *Value) {
  return streamCall(Handle, [&](Context &C, Stream &S) {
    if (!Value)
      return cudaErrorInvalidValue;
    KernelWork Checked;
    cudaLaunchAttribute A{};
    A.id = Id;
    A.val = *Value;
    if (cudaError_t E = applyDomainAttribute(C, Checked, A); E != cudaSuccess)
      return E;
    if (Id == cudaLaunchAttributeMemSyncDomain)
      S.Domain = Checked.Domain;
    else if (Id == cudaLaunchAttributeMemSyncDomainMap)
      S.DomainMap = Checked.DomainMap;
    else if (Id == cudaLaunchAttributePriority)
      S.Priority = Value->priority;
    else
      S.Others[Id] = *Value;
    return cudaSuccess;
  });
}
SCOPESAN_EXPORT cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t S, cudaStreamAttrID Id,
                                                        const cudaStreamAttrValue *Value) {
  return cudaStreamSetAttribute(perThread(S), Id, Value);
}
cudaError_t cudaStreamGetAttribute(cudaStream_t Handle, cudaStreamAttrID Id,
                                   cudaStreamAttrValue *Value) {
  return streamCall(Handle, [&](Context &C, Stream &S) {
    if (!Value)
      return cudaErrorInvalidValue;
    *Value = {};
    if (Id == cudaLaunchAttributeMemSyncDomain)
      Value->memSyncDomain = S.Domain.value_or(cudaLaunchMemSyncDomainDefault);
    else if (Id == cudaLaunchAttributeMemSyncDomainMap)
      Value->memSyncDomainMap = S.DomainMap.value_or(defaultDomainMap(C.DomainCount));
    else if (Id == cudaLaunchAttributePriority)
      Value->priority = S.Priority;
    else
      *Value = hintOf(S.Others, Id);
    return cudaSuccess;
  });
}
SCOPESAN_EXPORT cudaError_t cudaStreamGetAttribute_ptsz(cudaStream_t S, cudaStreamAttrID Id,
                                                        cudaStreamAttrValue *Value) {
  return cudaStreamGetAttribute(perThread(S), Id, Value);
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t To, cudaStream_t From) {
  return streamCall(To, [&](Context &C, Stream &T) {
    Stream *F = C.Streams.lookup(From, currentDevice());
    if (!F)
      return cudaErrorInvalidResourceHandle;
    T.Domain = F->Domain;
    T.DomainMap = F->DomainMap;
    T.Priority = F->Priority;
    T.Others = F->Others;
    return cudaSuccess;
  });
}
SCOPESAN_EXPORT cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t To, cudaStream_t From) {
  return cudaStreamCopyAttributes(perThread(To), perThread(From));
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t Handle, void *P, size_t, unsigned Flags) {
  return streamCall(Handle, [&](Context &C, Stream &S) {
    if (S.Capturing)
      return captureFails(S, cudaErrorStreamCaptureUnsupported);
    const Allocation *A = C.Memory.find(P);
    if (!A)
      return cudaErrorInvalidValue;
    if (cudaError_t E = checkImplicitJoin(C, S); E != cudaSuccess)
      return E;
    Attachment To = Flags == cudaMemAttachHost     ? Attachment::Host
                    : Flags == cudaMemAttachSingle ? Attachment::Stream
                                                   : Attachment::Global;
    C.Work.enqueueMarker(S, [&C, Address = A->Address, To, Ordinal = S.Ordinal] {
      C.Memory.attach(Address, To, Ordinal);
    });
    return cudaSuccess;
  });
}
SCOPESAN_EXPORT cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t S, void *P, size_t Bytes,
                                                          unsigned Flags) {
  return cudaStreamAttachMemAsync(perThread(S), P, Bytes, Flags);
}

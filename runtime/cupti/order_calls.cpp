// Streams, events and waits of the host (S14).
#include "cupti/calls.h"

namespace scopesan::cupti {
namespace {

template <typename P> void onStreamCreated(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  unsigned flags;
  if constexpr (std::is_same_v<P, cuStreamCreate_params>)
    flags = p.Flags;
  else
    flags = p.flags;
  if (k.enter || !k.succeeded)
    return;
  const bool isBlocking = !(flags & CU_STREAM_NON_BLOCKING);
  c.Order.created(*p.phStream, isBlocking, k.context);
  host::streamMade({c.Order.stream(*p.phStream, false, k.context).ordinal,
                    isBlocking ? host::StreamKind::Blocking : host::StreamKind::NonBlocking,
                    host::captureStack()});
}
void onStreamDestroyed(Collector &c, const Call &k) {
  if (k.enter)
    c.Order.destroyed(params<cuStreamDestroy_v2_params>(k).hStream);
}
void onStreamSynchronized(Collector &c, const Call &k) {
  c.settle(false);
  if (!k.enter && k.succeeded)
    c.Order.hostAfterStream(k.stream(c, params<cuStreamSynchronize_params>(k).hStream));
}
void onStreamQueried(Collector &c, const Call &k) {
  if (k.enter)
    return;
  c.hostAsks();
  if (k.succeeded)
    onStreamSynchronized(c, k);
}
void onContextSynchronized(Collector &c, const Call &k) {
  if (k.enter)
    return;
  c.settle(false);
  if (k.succeeded)
    c.Order.hostAfterAll(k.context);
}
void onOtherContextSynchronized(Collector &c, const Call &k) {
  if (k.enter)
    return;
  c.settle(false);
  if (k.succeeded)
    c.Order.hostAfterAll(params<cuCtxSynchronize_v2_params>(k).ctx);
}
void onStreamWaits(Collector &c, const Call &k) {
  const auto &p = params<cuStreamWaitEvent_params>(k);
  core::NodeId record = c.Order.recordOf(p.hEvent);
  if (k.enter && record.value && !k.captured(p.hStream))
    c.Order.marker(k.stream(c, p.hStream), record);
}
void onEventRecorded(Collector &c, const Call &k) {
  const auto &p = params<cuEventRecord_params>(k); // ..WithFlags begins alike
  if (k.enter && !k.captured(p.hStream))
    c.Order.recorded(p.hEvent, k.stream(c, p.hStream));
}
void onEventDestroyed(Collector &c, const Call &k) {
  if (!k.enter && k.succeeded)
    c.Order.forgetEvent(params<cuEventDestroy_v2_params>(k).hEvent);
}
void onEventAwaited(Collector &c, const Call &k) {
  if (k.enter)
    return;
  c.hostAsks();
  if (!k.succeeded)
    return;
  c.settle(false);
  c.Order.hostAfter(c.Order.recordOf(params<cuEventSynchronize_params>(k).hEvent));
}
/// Of a function that takes the stream first.
CUstream firstStream(const Call &k) { return params<CUstream>(k); }

/// S14 (?): a wait for a value is taken as a wait for everything before it.
void onValueWaited(Collector &c, const Call &k) {
  CUstream stream = firstStream(k);
  if (!k.enter || k.captured(stream))
    return;
  host::incomplete("waits for a value in memory are taken as waits for all earlier work (" + k.api +
                   ")");
  c.Order.markerAfterAll(k.stream(c, stream));
}
void onValueWritten(Collector &c, const Call &k) {
  CUstream stream = firstStream(k);
  if (!k.enter || k.captured(stream))
    return;
  host::incomplete("a value that a stream writes to memory is not compared with other accesses (" +
                   k.api + ")");
  c.Order.marker(k.stream(c, stream));
}
void onHostFunction(Collector &c, const Call &k) {
  CUstream stream = firstStream(k);
  if (!k.enter || k.captured(stream))
    return;
  c.hostFunctionRuns();
  c.Order.marker(k.stream(c, stream));
}

constexpr CallRow Rows[] = {
    {"cuStreamCreate", onStreamCreated<cuStreamCreate_params>},
    {"cuStreamCreateWithPriority", onStreamCreated<cuStreamCreateWithPriority_params>},
    {"cuStreamDestroy_v2", onStreamDestroyed},
    {"cuStreamSynchronize", onStreamSynchronized},
    {"cuStreamQuery", onStreamQueried},
    {"cuCtxSynchronize", onContextSynchronized},
    {"cuCtxSynchronize_v2", onOtherContextSynchronized},
    {"cuStreamWaitEvent", onStreamWaits},
    {"cuEventRecord", onEventRecorded},
    {"cuEventRecordWithFlags", onEventRecorded},
    {"cuEventDestroy_v2", onEventDestroyed},
    {"cuEventSynchronize", onEventAwaited},
    {"cuEventQuery", onEventAwaited},
    {"cuStreamWaitValue32_v2", onValueWaited},
    {"cuStreamWaitValue64_v2", onValueWaited},
    {"cuStreamBatchMemOp_v2", onValueWaited},
    {"cuStreamWriteValue32_v2", onValueWritten},
    {"cuStreamWriteValue64_v2", onValueWritten},
    {"cuStreamAddCallback", onHostFunction},
    {"cuLaunchHostFunc", onHostFunction},
    {"cuLaunchHostFunc_v2", onHostFunction},
};

} // namespace

std::span<const CallRow> orderCalls() { return Rows; }

} // namespace scopesan::cupti

#include "cpu/shim/stream_table.h"

#include "cpu/engine.h"
#include "host/collector.h"

#include <algorithm>

using namespace scopesan;
using namespace scopesan::cpu;

static constexpr size_t MostKept = 64;

void StreamTable::start(int Devices, std::function<bool(core::NodeId)> Follows) {
  HostFollows = std::move(Follows);
  Orphans.resize(size_t(Devices));
  Forgotten.resize(size_t(Devices));
  Barriers.resize(size_t(Devices));
  OrphanLines.resize(size_t(Devices));
  ForgottenLines.resize(size_t(Devices));
  for (int D = 0; D < Devices; ++D) {
    Stream *S = create(D, cudaStreamDefault, 0);
    S->Ordinal = 0;
    S->IsLegacy = true;
    host::streamMade({0, host::StreamKind::Legacy, {}});
    Legacy.push_back(S);
  }
  Created = 0;
}

Stream *StreamTable::create(int Device, unsigned Flags, int Priority) {
  auto *S = new Stream;
  S->Ordinal = ++Created;
  S->Device = Device;
  S->Flags = Flags;
  S->Priority = Priority;
  S->Blocking = !(Flags & cudaStreamNonBlocking);
  S->Timeline = TheDetector->newTimeline();
  Streams.push_back(S);
  Alive.insert(S);
  host::streamMade({S->Ordinal,
                    S->Blocking ? host::StreamKind::Blocking : host::StreamKind::NonBlocking,
                    host::captureStack()});
  return S;
}

Stream *StreamTable::lookup(cudaStream_t Handle, int CurrentDevice) {
  if (!Handle || Handle == cudaStreamLegacy)
    return Legacy[size_t(CurrentDevice)];
  if (Handle == cudaStreamPerThread) {
    // Blocking, like a stream that the thread created itself. One per device.
    static thread_local std::vector<Stream *> Own;
    if (Own.size() <= size_t(CurrentDevice))
      Own.resize(size_t(CurrentDevice) + 1);
    Stream *&S = Own[size_t(CurrentDevice)];
    if (!S) {
      S = create(CurrentDevice, cudaStreamDefault, 0);
      host::streamMade({S->Ordinal, host::StreamKind::PerThread, {}});
    }
    return S;
  }
  auto *S = reinterpret_cast<Stream *>(Handle);
  return Alive.count(S) && !S->Destroyed ? S : nullptr;
}

void StreamTable::destroy(Stream *S) {
  S->Destroyed = true;
  settled(S);
}

/// The legacy stream and device-wide waits still come after the work of a destroyed stream.
void StreamTable::settled(Stream *S) {
  if (!S->Destroyed || S->Pending)
    return;
  auto &Kept = (S->Blocking ? Orphans : Forgotten)[size_t(S->Device)];
  for (const Dependency &D : S->Tail)
    if (!HostFollows(D.Node)) // else later work follows it through the host
      Kept.push_back(D);
  if (Kept.size() > MostKept)
    merge(Kept, (S->Blocking ? OrphanLines : ForgottenLines)[size_t(S->Device)]);
  Streams.erase(std::find(Streams.begin(), Streams.end(), S));
  Alive.erase(S);
  delete S;
}

void StreamTable::merge(Dependencies &Kept, core::TimelineId &Line) {
  std::vector<core::NodeId> Done;
  std::erase_if(Kept, [&](const Dependency &D) {
    if (D.Op && !D.Op->Done)
      return false;
    Done.push_back(D.Node);
    return true;
  });
  if (!Line.value)
    Line = TheDetector->newTimeline();
  Kept.push_back({nullptr, TheDetector->marker(Line, Done.data(), uint32_t(Done.size()))});
}

void StreamTable::hostWaitedFor(int Device) {
  for (auto *Kept : {&Orphans[size_t(Device)], &Forgotten[size_t(Device)]})
    std::erase_if(*Kept, [&](const Dependency &D) { return HostFollows(D.Node); });
}

Dependencies StreamTable::crossDependencies(Stream &S) {
  auto D = size_t(S.Device);
  Dependencies Result;
  if (&S == Legacy[D]) {
    for (Stream *Other : Streams)
      if (Other != &S && Other->Device == S.Device && Other->Blocking)
        Result.insert(Result.end(), Other->Tail.begin(), Other->Tail.end());
    Result.insert(Result.end(), Orphans[D].begin(), Orphans[D].end());
    Orphans[D].clear();
  } else if (S.Blocking) {
    Result = Legacy[D]->Tail;
  }
  if (Barriers[D].Node.value)
    Result.push_back(Barriers[D]);
  return Result;
}

Dependencies StreamTable::everythingOn(int Device) const {
  Dependencies Result = Orphans[size_t(Device)];
  const Dependencies &More = Forgotten[size_t(Device)];
  Result.insert(Result.end(), More.begin(), More.end());
  for (const Stream *S : Streams)
    if (S->Device == Device)
      Result.insert(Result.end(), S->Tail.begin(), S->Tail.end());
  if (Barriers[size_t(Device)].Node.value)
    Result.push_back(Barriers[size_t(Device)]);
  return Result;
}

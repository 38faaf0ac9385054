// Ranges of managed memory: advice, prefetch, discard, and what was advised.
#include "cpu/shim/range_advice.h"

#include "cpu/shim/capture.h"
#include "cpu/shim/copies.h"
#include "cpu/shim/variants.h"

#include <algorithm>
#include <vector>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

struct Range {
  uint64_t Begin = 0, End = 0; ///< offsets in the allocation
  RangeAdvice *Known = nullptr;
};

/// Managed memory that the range lies in.
cudaError_t findRange(Context &C, const void *P, size_t Bytes, Range &Result) {
  const Allocation *A = C.Memory.find(P);
  if (!A || A->Kind != host::MemoryKind::Managed || !Bytes)
    return cudaErrorInvalidValue;
  uint64_t Begin = reinterpret_cast<uint64_t>(P) - A->Address;
  if (Bytes > A->Bytes - Begin)
    return cudaErrorInvalidValue;
  static auto *Tables = new std::map<uint64_t, RangeAdvice>; // by allocation
  Result = {Begin, Begin + Bytes, &(*Tables)[A->Serial]};
  return cudaSuccess;
}

/// The location as the number that older calls give: a device, or cudaCpuDeviceId.
int deviceNumber(const cudaMemLocation &L) {
  if (L.type == cudaMemLocationTypeDevice)
    return L.id;
  return L.type == cudaMemLocationTypeInvalid ? cudaInvalidDeviceId : cudaCpuDeviceId;
}

bool validLocation(Context &C, const cudaMemLocation &L) {
  switch (L.type) {
  case cudaMemLocationTypeDevice:
    return C.valid(L.id);
  case cudaMemLocationTypeHost:
  case cudaMemLocationTypeHostNumaCurrent:
    return true;
  case cudaMemLocationTypeHostNuma:
    return L.id >= 0;
  default:
    return false;
  }
}

bool same(const cudaMemLocation &A, const cudaMemLocation &B) {
  return A.type == B.type && (A.type == cudaMemLocationTypeInvalid || A.id == B.id);
}

void applyAdvice(Advice &A, cudaMemoryAdvise What, const cudaMemLocation &L) {
  switch (What) {
  case cudaMemAdviseSetReadMostly:
    A.ReadMostly = true;
    break;
  case cudaMemAdviseUnsetReadMostly:
    A.ReadMostly = false;
    break;
  case cudaMemAdviseSetPreferredLocation:
    A.Preferred = L;
    break;
  case cudaMemAdviseUnsetPreferredLocation:
    A.Preferred = Advice{}.Preferred;
    break;
  case cudaMemAdviseSetAccessedBy:
    A.AccessedBy.insert(deviceNumber(L));
    break;
  case cudaMemAdviseUnsetAccessedBy:
    A.AccessedBy.erase(deviceNumber(L));
    break;
  }
}

bool namesLocation(cudaMemoryAdvise What) {
  return What == cudaMemAdviseSetPreferredLocation || What == cudaMemAdviseSetAccessedBy ||
         What == cudaMemAdviseUnsetAccessedBy;
}

cudaError_t readAttribute(const Range &R, cudaMemRangeAttribute What, void *Data, size_t Bytes) {
  const Advice &First = R.Known->of(R.Begin);
  auto Common = [&](cudaMemLocation Advice::*Field) {
    auto IsFirst = [&](const Advice &A) { return same(A.*Field, First.*Field); };
    return R.Known->all(R.Begin, R.End, IsFirst) ? First.*Field : Advice{}.*Field;
  };
  auto *Out = static_cast<int *>(Data);
  if (What == cudaMemRangeAttributeAccessedBy) {
    if (!Bytes || Bytes % sizeof(int))
      return cudaErrorInvalidValue;
    std::fill(Out, Out + Bytes / sizeof(int), int(cudaInvalidDeviceId));
    int *At = Out;
    for (int D : First.AccessedBy)
      if (At != Out + Bytes / sizeof(int) &&
          R.Known->all(R.Begin, R.End, [&](const Advice &A) { return A.AccessedBy.count(D); }))
        *At++ = D;
    return cudaSuccess;
  }
  if (Bytes != sizeof(int))
    return cudaErrorInvalidValue;
  switch (What) {
  case cudaMemRangeAttributeReadMostly:
    *Out = R.Known->all(R.Begin, R.End, [](const Advice &A) { return A.ReadMostly; });
    return cudaSuccess;
  case cudaMemRangeAttributePreferredLocation:
    return *Out = deviceNumber(Common(&Advice::Preferred)), cudaSuccess;
  case cudaMemRangeAttributeLastPrefetchLocation:
    return *Out = deviceNumber(Common(&Advice::LastPrefetch)), cudaSuccess;
  case cudaMemRangeAttributePreferredLocationType:
    return *Out = Common(&Advice::Preferred).type, cudaSuccess;
  case cudaMemRangeAttributePreferredLocationId:
    return *Out = Common(&Advice::Preferred).id, cudaSuccess;
  case cudaMemRangeAttributeLastPrefetchLocationType:
    return *Out = Common(&Advice::LastPrefetch).type, cudaSuccess;
  case cudaMemRangeAttributeLastPrefetchLocationId:
    return *Out = Common(&Advice::LastPrefetch).id, cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t prefetch(Context &C, const Range &R, const cudaMemLocation &L) {
  if (!validLocation(C, L))
    return cudaErrorInvalidDevice;
  R.Known->change(R.Begin, R.End, [&](Advice &A) { A.LastPrefetch = L; });
  return cudaSuccess;
}

/// The arguments of a batch: ranges, and for each where it is prefetched to.
struct RangeBatch {
  void **Starts;
  size_t *Sizes;
  size_t Count;
  cudaMemLocation *Locations = nullptr;
  size_t *FirstOf = nullptr; ///< first range of each location
  size_t LocationCount = 0;

  bool valid(bool Prefetches) const {
    if (!Starts || !Sizes || !Count)
      return false;
    if (!Prefetches)
      return true;
    if (!Locations || !FirstOf || !LocationCount || LocationCount > Count || FirstOf[0])
      return false;
    for (size_t I = 1; I < LocationCount; ++I)
      if (FirstOf[I] <= FirstOf[I - 1] || FirstOf[I] >= Count)
        return false;
    return true;
  }
};

/// Discarded bytes have no value until they are written again: a write, of a value that stands out.
constexpr uint32_t DiscardedByte = 0xcd;

cudaError_t runBatch(const char *Api, const RangeBatch &B, bool Discards, bool Prefetches,
                     unsigned long long Flags, cudaStream_t Queue) {
  if (Flags || !B.valid(Prefetches))
    return record(cudaErrorInvalidValue);
  return streamCall(Queue, [&](Context &C, Stream &S) {
    std::vector<Work> Parts;
    size_t At = 0;
    for (size_t I = 0; I < B.Count; ++I) {
      Range R;
      if (cudaError_t E = findRange(C, B.Starts[I], B.Sizes[I], R); E != cudaSuccess)
        return E;
      if (Discards)
        Parts.emplace_back(
            FillWork{Api, lineAt(B.Starts[I]), {B.Sizes[I], 1, 1}, DiscardedByte, 1});
      if (!Prefetches)
        continue;
      while (At + 1 < B.LocationCount && B.FirstOf[At + 1] <= I)
        ++At;
      if (cudaError_t E = prefetch(C, R, B.Locations[At]); E != cudaSuccess)
        return E;
    }
    return submitParallel(C, S, Parts);
  });
}

} // namespace

cudaError_t cudaMemAdvise(const void *P, size_t Bytes, cudaMemoryAdvise What, cudaMemLocation L) {
  return deviceCall([&](Context &C) {
    Range R;
    if (cudaError_t E = findRange(C, P, Bytes, R); E != cudaSuccess)
      return E;
    if (What < cudaMemAdviseSetReadMostly || What > cudaMemAdviseUnsetAccessedBy)
      return cudaErrorInvalidValue;
    if (namesLocation(What) && !validLocation(C, L))
      return cudaErrorInvalidDevice;
    R.Known->change(R.Begin, R.End, [&](Advice &A) { applyAdvice(A, What, L); });
    return cudaSuccess;
  });
}

cudaError_t cudaMemRangeGetAttribute(void *Data, size_t Bytes, cudaMemRangeAttribute What,
                                     const void *P, size_t Count) {
  return deviceCall([&](Context &C) {
    Range R;
    if (!Data)
      return cudaErrorInvalidValue;
    cudaError_t E = findRange(C, P, Count, R);
    return E == cudaSuccess ? readAttribute(R, What, Data, Bytes) : E;
  });
}
cudaError_t cudaMemRangeGetAttributes(void **Data, size_t *Bytes, cudaMemRangeAttribute *What,
                                      size_t Number, const void *P, size_t Count) {
  if (!Data || !Bytes || !What || !Number)
    return record(cudaErrorInvalidValue);
  for (size_t I = 0; I < Number; ++I)
    if (cudaError_t E = cudaMemRangeGetAttribute(Data[I], Bytes[I], What[I], P, Count);
        E != cudaSuccess)
      return E;
  return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void *P, size_t Bytes, cudaMemLocation L, unsigned Flags,
                                 cudaStream_t Handle) {
  return streamCall(Handle, [&](Context &C, Stream &S) {
    Range R;
    if (cudaError_t E = findRange(C, P, Bytes, R); E != cudaSuccess)
      return E;
    if (Flags)
      return cudaErrorInvalidValue;
    cudaError_t E = prefetch(C, R, L);
    return E == cudaSuccess ? submit(C, S, EmptyWork{}) : E;
  });
}
SCOPESAN_EXPORT cudaError_t cudaMemPrefetchAsync_ptsz(const void *P, size_t Bytes,
                                                      cudaMemLocation L, unsigned Flags,
                                                      cudaStream_t S) {
  return cudaMemPrefetchAsync(P, Bytes, L, Flags, perThread(S));
}

cudaError_t cudaMemPrefetchBatchAsync(void **Starts, size_t *Sizes, size_t Count,
                                      cudaMemLocation *Locations, size_t *FirstOf,
                                      size_t LocationCount, unsigned long long Flags,
                                      cudaStream_t Queue) {
  return runBatch("cudaMemPrefetchBatchAsync",
                  {Starts, Sizes, Count, Locations, FirstOf, LocationCount}, false, true, Flags,
                  Queue);
}
SCOPESAN_EXPORT cudaError_t cudaMemPrefetchBatchAsync_ptsz(void **Starts, size_t *Sizes,
                                                           size_t Count, cudaMemLocation *Locations,
                                                           size_t *FirstOf, size_t LocationCount,
                                                           unsigned long long Flags,
                                                           cudaStream_t Queue) {
  return cudaMemPrefetchBatchAsync(Starts, Sizes, Count, Locations, FirstOf, LocationCount, Flags,
                                   perThread(Queue));
}
cudaError_t cudaMemDiscardBatchAsync(void **Starts, size_t *Sizes, size_t Count,
                                     unsigned long long Flags, cudaStream_t Queue) {
  return runBatch("cudaMemDiscardBatchAsync", {Starts, Sizes, Count}, true, false, Flags, Queue);
}
SCOPESAN_EXPORT cudaError_t cudaMemDiscardBatchAsync_ptsz(void **Starts, size_t *Sizes,
                                                          size_t Count, unsigned long long Flags,
                                                          cudaStream_t Queue) {
  return cudaMemDiscardBatchAsync(Starts, Sizes, Count, Flags, perThread(Queue));
}
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **Starts, size_t *Sizes, size_t Count,
                                                cudaMemLocation *Locations, size_t *FirstOf,
                                                size_t LocationCount, unsigned long long Flags,
                                                cudaStream_t Queue) {
  return runBatch("cudaMemDiscardAndPrefetchBatchAsync",
                  {Starts, Sizes, Count, Locations, FirstOf, LocationCount}, true, true, Flags,
                  Queue);
}
SCOPESAN_EXPORT cudaError_t cudaMemDiscardAndPrefetchBatchAsync_ptsz(
    void **Starts, size_t *Sizes, size_t Count, cudaMemLocation *Locations, size_t *FirstOf,
    size_t LocationCount, unsigned long long Flags, cudaStream_t Queue) {
  return cudaMemDiscardAndPrefetchBatchAsync(Starts, Sizes, Count, Locations, FirstOf,
                                             LocationCount, Flags, perThread(Queue));
}

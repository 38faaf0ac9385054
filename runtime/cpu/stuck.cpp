// Explains and reports a state in which nothing can make progress (D12a, D7).
#include "cpu/engine.h"
#include "cpu/mbarriers.h"

#include <algorithm>
#include <map>
#include <stdio.h>
#include <tuple>

using namespace scopesan;
using namespace scopesan::cpu;

std::string (*scopesan::cpu::SiteDescriber)(uint32_t) = nullptr;

static std::string triple(const uint32_t *V) {
  return "[" + std::to_string(V[0]) + "," + std::to_string(V[1]) + "," + std::to_string(V[2]) + "]";
}

std::string scopesan::cpu::describeThread(const Thread &T) {
  return "block " + triple(T.ctaid) + " thread " + triple(T.tid);
}

std::string scopesan::cpu::describePlace(const Thread &T) {
  const LaunchSpec &L = T.Owner->Grid->Spec;
  return "kernel " + L.Name + " (launch " + std::to_string(L.Index) + "), " + describeThread(T);
}

namespace {

/// Threads of one block that are in the same state at the same place.
using GroupKey = std::tuple<uint32_t /*Wait*/, uint64_t /*detail*/, uint32_t /*site*/>;
struct Group {
  const Thread *First = nullptr;
  uint32_t Count = 0;
};

/// Where in shared memory the mbarrier lies whose phase the thread is waiting for; 0 = it waits for
/// something else.
uint64_t offsetOfMbarrier(const Thread &T) {
  if (!T.Mbarrier || T.Site != T.MbarrierSite)
    return 0;
  return uint64_t(static_cast<char *>(T.Mbarrier) - T.Owner->Shared);
}

std::map<GroupKey, Group> groups(const Block &B) {
  std::map<GroupKey, Group> Result;
  for (uint32_t I = 0; I < B.ThreadCount; ++I) {
    const Thread &T = B.Threads[I];
    if (T.Exited)
      continue;
    uint64_t Detail = T.Waiting == Wait::None ? offsetOfMbarrier(T) : T.WaitDetail;
    Group &G = Result[{uint32_t(T.Waiting), Detail, T.Site}];
    if (!G.Count++)
      G.First = &T;
  }
  return Result;
}

std::string place(uint32_t Site) {
  std::string Text = Site && SiteDescriber ? SiteDescriber(Site) : std::string();
  return Text.empty() ? Text : " at " + Text;
}

std::string describe(const Block &B, const Group &G) {
  const Thread &T = *G.First;
  std::string Who = std::to_string(G.Count) + " of " + std::to_string(B.LiveThreads) +
                    " live threads (first: thread " + triple(T.tid) + ")";
  switch (T.Waiting) {
  case Wait::BlockBarrier: {
    const BlockBarrier &Barrier = B.Barriers[T.WaitDetail];
    return Who + " wait at barrier " + std::to_string(T.WaitDetail) + place(T.Site) + ": " +
           std::to_string(Barrier.Arrived) + " of " +
           std::to_string(Barrier.Count ? Barrier.Count : B.LiveThreads) + " arrived";
  }
  case Wait::Warp: {
    char Mask[16];
    snprintf(Mask, sizeof Mask, "0x%08x", T.WaitDetail);
    return Who + " wait in a warp operation with mask " + Mask + place(T.Site);
  }
  case Wait::Cluster:
    return Who + " wait at the cluster barrier: " + std::to_string(B.Peers->Arrived) + " of " +
           std::to_string(B.Peers->LiveThreads) + " arrived" + place(T.Site);
  case Wait::Grids:
    return Who + " wait for the launches that theirs depends on" + place(T.Site);
  case Wait::None:
    if (offsetOfMbarrier(T)) {
      const MbarrierObject &M = mbarrierAt(T.Mbarrier);
      return Who + " wait on an mbarrier" + place(T.Site) + ": its phase lacks " +
             std::to_string(M.Pending) + " arrivals and " + std::to_string(int64_t(M.Bytes)) +
             " bytes";
    }
    return Who + " repeat a wait" + place(T.Site);
  }
  return Who;
}

constexpr uint32_t NoBarrier = 3;
uint32_t barrierRank(const GroupKey &Key) {
  auto [Waiting, Detail, Site] = Key;
  switch (Wait(Waiting)) {
  case Wait::BlockBarrier:
    return 0;
  case Wait::Cluster:
    return 1;
  case Wait::None:
    return Detail ? 2 : NoBarrier;
  default:
    return NoBarrier;
  }
}

/// Threads that poll memory, with no barrier or mbarrier that could tell more.
bool isPolling(const GroupKey &Key) {
  auto [Waiting, Mbarrier, Site] = Key;
  return Wait(Waiting) == Wait::None && !Mbarrier && Site;
}

bool sameState(const Block &A, const Block &B) {
  auto Left = groups(A), Right = groups(B);
  return std::equal(Left.begin(), Left.end(), Right.begin(), Right.end(), [](auto &L, auto &R) {
    return L.first == R.first && L.second.Count == R.second.Count;
  });
}

/// D7: the barrier at which the threads of the group wait.
core::BarrierFacts factsOf(const Block &B, const Group &G) {
  const Thread &T = *G.First;
  core::BarrierFacts F;
  F.misuse = core::Misuse::Missing;
  F.here = G.Count;
  F.elsewhere = B.LiveThreads - G.Count;
  if (T.Waiting == Wait::BlockBarrier) {
    const BlockBarrier &Barrier = B.Barriers[T.WaitDetail];
    F.id = T.WaitDetail;
    F.arrived = Barrier.Arrived;
    F.expected = Barrier.Count ? Barrier.Count : B.LiveThreads;
  } else if (T.Waiting == Wait::Cluster) {
    F.kind = core::BarrierKind::Cluster;
    F.arrived = B.Peers->Arrived;
    F.expected = B.Peers->LiveThreads;
  } else {
    const MbarrierObject &M = mbarrierAt(T.Mbarrier);
    F.kind = core::BarrierKind::Mbarrier;
    F.expected = M.Expected;
    F.arrived = M.Expected - M.Pending;
    F.lackingBytes = M.Bytes > 0 ? uint64_t(M.Bytes) : 0;
  }
  return F;
}

} // namespace

core::AccessRecord scopesan::cpu::recordOf(const Thread &T) {
  core::AccessRecord R;
  R.site = core::SiteId{T.Site};
  R.node = T.Owner->Grid->Spec.Node;
  R.block = core::BlockId{TheDetector->firstBlock(R.node).value + uint32_t(T.Owner->Linear)};
  R.thread = core::ThreadIndex{T.Index};
  return R;
}

std::string Engine::describeStuck(std::string Text) const {
  for (const Launch *L : Active) {
    Text += "\n  kernel " + L->Spec.Name + " (launch " + std::to_string(L->Spec.Index) +
            "): " + std::to_string(L->EndedBlocks) + " of " + std::to_string(L->BlockCount) +
            " blocks ended, " + std::to_string(L->BlockCount - L->NextBlock) + " not started";
    if (L->Spec.Cooperative)
      Text += "; cooperative: a grid barrier needs every thread of the grid that has not exited";
    const Block *Shown = nullptr;
    uint32_t Same = 0;
    for (const Block *B : L->Resident) {
      if (Shown && sameState(*Shown, *B)) {
        ++Same;
        continue;
      }
      if (Same)
        Text += "\n    and " + std::to_string(Same) + " blocks in the same state";
      Same = 0;
      Shown = B;
      Text += "\n    block " + triple(B->Threads[0].ctaid) + ":";
      for (auto &[Key, G] : groups(*B))
        Text += "\n      " + describe(*B, G);
    }
    if (Same)
      Text += "\n    and " + std::to_string(Same) + " blocks in the same state";
  }
  return Text;
}

void Engine::reportStuck(core::Detector &D) const {
  for (const Launch *L : Active)
    for (const Block *B : L->Resident) {
      auto All = groups(*B);
      if (All.empty())
        continue;
      // A barrier that part of its threads reached is the most telling place: a block barrier
      // first, then the cluster barrier, then an mbarrier.
      auto RankOf = [&](auto It) {
        bool None = It == All.end() || Sched.passes(*It->second.First);
        return None ? NoBarrier : barrierRank(It->first);
      };
      // But a barrier whose other threads poll is reached by all of them once the poll ends.
      auto Polling =
          std::find_if(All.begin(), All.end(), [](auto &G) { return isPolling(G.first); });
      auto First = All.end();
      for (auto It = All.begin(); Polling == All.end() && It != All.end(); ++It)
        if (RankOf(It) < RankOf(First))
          First = It;
      core::Finding F;
      F.rule = First != All.end() ? core::Rule::BarrierMisuse : core::Rule::ForwardProgress;
      if (First == All.end())
        First = Polling == All.end() ? All.begin() : Polling;
      else
        F.barrier = factsOf(*B, First->second);
      auto Other = std::find_if(All.begin(), All.end(), [&](auto &G) {
        return G.first != First->first && (Polling == All.end() || isPolling(G.first));
      });
      F.distance = core::Distance::SameBlock;
      F.first = recordOf(*First->second.First);
      F.second = Other == All.end() ? F.first : recordOf(*Other->second.First);
      D.stuck(F);
      break; // one per launch: the others are consequences
    }
}

#include "cpu/engine.h"

#include <algorithm>
#include <stdlib.h>
#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

Engine scopesan::cpu::TheEngine;
core::Detector *scopesan::cpu::TheDetector;
extern "C" {
__attribute__((visibility("default"))) ThreadContext *__scopesan_cpu_current;
}

static void fiberBody() { TheEngine.fiberLoop(false); }
static void fiberBodyAfterExit() { TheEngine.fiberLoop(true); }

void Engine::configure(const EngineSettings &S, core::Detector &D) {
  Settings = S;
  Settings.ResidentBlocks = std::max(4u, S.ResidentBlocks);
  TheDetector = &D;
  Fibers.configure(Settings.StackBytes, fiberBody);
  Sched.configure(Settings.Seed, Settings.PreemptionInterval);
  Copies.configure(Settings.Seed);
}

// ---------------------------------------------------------------- launches

Launch *Engine::start(LaunchSpec Spec) {
  auto *L = new Launch;
  L->BlockCount = Spec.Grid.count();
  L->BlocksPerCluster = uint32_t(Spec.ClusterDim.count());
  L->ThreadsPerBlock = uint32_t(Spec.BlockDim.count());
  uint32_t Shared = std::max(Spec.Code->staticShared, ReservedShared) + Spec.DynamicShared;
  L->SlotBytes = (Shared + SharedArena::Granule - 1) / SharedArena::Granule * SharedArena::Granule;
  if (Spec.Cooperative) {
    L->GridWorkspace = aligned_alloc(GridWorkspaceBytes, GridWorkspaceBytes);
    memset(L->GridWorkspace, 0, GridWorkspaceBytes);
    *static_cast<uint32_t *>(L->GridWorkspace) = GridWorkspaceBytes;
    TheDetector->forget(reinterpret_cast<uint64_t>(L->GridWorkspace), GridWorkspaceBytes);
  }
  L->Spec = std::move(Spec);
  for (Launch *Primary : L->Spec.Prerequisites)
    Primary->Dependents.push_back(L);
  Active.push_back(L);
  admit(L);
  if (L->Resident.empty() && Active.size() == 1) {
    Active.clear();
    leaveDependents(L);
    release(L);
    delete L;
    return nullptr;
  }
  return L;
}

void Engine::retire(Launch *L) { delete L; }

/// Gives back everything but the record itself.
void Engine::release(Launch *L) {
  for (char *Slot : L->FreeSlots)
    Arena.free(Slot);
  L->FreeSlots.clear();
  free(L->GridWorkspace);
  L->GridWorkspace = nullptr;
}

void Engine::admit(Launch *L) {
  uint64_t Limit = L->Spec.Cooperative
                       ? L->BlockCount
                       : std::max<uint64_t>(Settings.ResidentBlocks, L->BlocksPerCluster);
  while (L->NextBlock < L->BlockCount && L->Resident.size() + L->BlocksPerCluster <= Limit)
    if (!startCluster(L))
      return;
}

bool Engine::startCluster(Launch *L) {
  while (L->FreeSlots.size() < L->BlocksPerCluster) {
    char *Slot = Arena.allocate(L->SlotBytes);
    if (!Slot)
      return false;
    L->FreeSlots.push_back(Slot);
  }
  Cluster *C;
  if (FreeClusters.empty()) {
    C = new Cluster;
  } else {
    C = FreeClusters.back();
    FreeClusters.pop_back();
  }
  C->BlockCount = L->BlocksPerCluster;
  C->LiveThreads = L->ThreadsPerBlock * L->BlocksPerCluster;
  C->Arrived = C->Phase = 0;
  C->UsesCopies = false;
  C->Waiters.clear();

  // Clusters are numbered x fastest, like blocks; a grid dimension is a multiple of the cluster's.
  const core::Dim3 &Grid = L->Spec.Grid, &Dim = L->Spec.ClusterDim;
  uint64_t Number = L->NextBlock / L->BlocksPerCluster;
  uint64_t Across = Grid.x / Dim.x, Down = Grid.y / Dim.y;
  uint64_t X0 = Number % Across * Dim.x, Y0 = Number / Across % Down * Dim.y,
           Z0 = Number / (Across * Down) * Dim.z;
  for (uint32_t Rank = 0; Rank < C->BlockCount; ++Rank) {
    Block *B;
    if (FreeBlocks.empty()) {
      B = new Block;
    } else {
      B = FreeBlocks.back();
      FreeBlocks.pop_back();
    }
    uint64_t X = X0 + Rank % Dim.x, Y = Y0 + Rank / Dim.x % Dim.y, Z = Z0 + Rank / (Dim.x * Dim.y);
    B->Peers = C;
    B->Rank = Rank;
    C->Blocks[Rank] = B;
    beginBlock(L, B, X + Grid.x * (Y + uint64_t(Grid.y) * Z));
  }
  L->NextBlock += C->BlockCount;
  return true;
}

/// Shared memory starts with an arbitrary but reproducible content, so that programs which forget
/// to initialise it behave differently under different seeds.
static void fillShared(char *Shared, uint32_t Bytes, uint64_t Seed) {
  memset(Shared, 0, ReservedShared);
  uint64_t Word = Random(Seed).next();
  for (uint32_t I = ReservedShared; I + 8 <= Bytes; I += 8)
    memcpy(Shared + I, &Word, 8);
}

void Engine::beginBlock(Launch *L, Block *B, uint64_t Linear) {
  const core::Dim3 &Grid = L->Spec.Grid, &Dim = L->Spec.BlockDim;
  B->Grid = L;
  B->Linear = Linear;
  B->ThreadCount = B->LiveThreads = L->ThreadsPerBlock;
  B->Shared = L->FreeSlots.back();
  L->FreeSlots.pop_back();
  fillShared(B->Shared, L->SlotBytes, Settings.Seed ^ uint64_t(L->Spec.Index) << 40 ^ Linear);
  B->Triggered = false;
  auto SharedAddress = reinterpret_cast<uint64_t>(B->Shared);
  TheDetector->forget(SharedAddress, L->SlotBytes);
  TheDetector->sharedWindow(Arena.base(), Arena.size());
  B->Detect = TheDetector->beginBlock(L->Spec.Node, Linear);
  TheDetector->sharedMemory(B->Detect, SharedAddress, L->SlotBytes);
  for (BlockBarrier &Barrier : B->Barriers) {
    Barrier.Arrived = Barrier.Popcount = Barrier.Sources = 0;
    Barrier.Waiters.clear();
  }
  if (B->Threads.size() < B->ThreadCount)
    B->Threads.resize(B->ThreadCount);
  uint32_t WarpCount = (B->ThreadCount + 31) / 32;
  B->Warpgroups.clear();
  if (B->Warps.size() < WarpCount)
    B->Warps.resize(WarpCount);
  for (uint32_t W = 0; W < WarpCount; ++W) {
    uint32_t Lanes = B->ThreadCount - W * 32;
    B->Warps[W].Live = Lanes >= 32 ? ~0u : (1u << Lanes) - 1;
    B->Warps[W].Meeting = B->Warps[W].Gathering = 0;
  }
  Thread Fresh;
  Fresh.ctaid[0] = uint32_t(Linear % Grid.x);
  Fresh.ctaid[1] = uint32_t(Linear / Grid.x % Grid.y);
  Fresh.ctaid[2] = uint32_t(Linear / (uint64_t(Grid.x) * Grid.y));
  memcpy(Fresh.ntid, &Dim, sizeof Fresh.ntid);
  memcpy(Fresh.nctaid, &Grid, sizeof Fresh.nctaid);
  Fresh.tid[0] = Fresh.tid[1] = Fresh.tid[2] = 0;
  Fresh.shared = B->Shared;
  Fresh.Owner = B;
  Fresh.Device = L->Spec.Device;
  for (uint32_t I = 0; I < B->ThreadCount; ++I) {
    Fresh.Index = I;
    Fresh.laneid = I % 32;
    Fresh.warpid = I / 32;
    Fresh.Detect = TheDetector->thread(B->Detect, core::ThreadIndex{I});
    B->Threads[I] = Fresh;
    Sched.push(&B->Threads[I]);
    if (++Fresh.tid[0] == Dim.x) {
      Fresh.tid[0] = 0;
      if (++Fresh.tid[1] == Dim.y) {
        Fresh.tid[1] = 0;
        ++Fresh.tid[2];
      }
    }
  }
  L->Resident.push_back(B);
  Sched.noteLifetime();
}

// ---------------------------------------------------------------- ends

void Engine::finishThread(Thread *T) {
  T->Exited = true;
  T->Stack = nullptr;
  Sched.noteLifetime();
  TheDetector->threadExit(*T->Detect, core::SiteId{T->Site});
  Block *B = T->Owner;
  --B->LiveThreads;
  warpAfterExit(*T);
  if (B->LiveThreads)
    barriersAfterExit(*T);
  Cluster *C = B->Peers;
  if (--C->LiveThreads)
    clusterAfterExit(*T);
  else
    endCluster(B->Grid, C);
}

void Engine::endCluster(Launch *L, Cluster *C) {
  Copies.finishCluster(*C);
  for (uint32_t I = 0; I < C->BlockCount; ++I) {
    Block *B = C->Blocks[I];
    triggerDependents(*B);
    TheDetector->endBlock(B->Detect);
    L->FreeSlots.push_back(B->Shared);
    L->Resident.erase(std::find(L->Resident.begin(), L->Resident.end(), B));
    FreeBlocks.push_back(B);
  }
  FreeClusters.push_back(C);
  L->EndedBlocks += C->BlockCount;
  if (L->EndedBlocks < L->BlockCount) {
    admit(L);
    return;
  }
  TheDetector->endLaunch(L->Spec.Node);
  L->Ended = LaunchEnded = true;
  leaveDependents(L);
  release(L);
  Active.erase(std::find(Active.begin(), Active.end(), L));
  // Slots became free: launches that found no room continue.
  for (Launch *Other : Active)
    admit(Other);
  Sched.requestDriver();
}

void Engine::abandonAll() {
  Copies.abandon();
  for (Launch *L : Active) {
    L->Dependents.clear();
    L->Spec.Prerequisites.clear();
    for (Block *B : L->Resident) {
      for (Thread &T : B->Threads) {
        delete T.Copies;
        T.Copies = nullptr;
      }
      for (uint32_t I = 0; I < B->ThreadCount; ++I)
        if (!B->Threads[I].Exited)
          TheDetector->threadExit(*B->Threads[I].Detect);
      TheDetector->endBlock(B->Detect, /*ran=*/false);
      L->FreeSlots.push_back(B->Shared);
      FreeBlocks.push_back(B);
      if (B->Rank == 0)
        FreeClusters.push_back(B->Peers);
    }
    L->Resident.clear();
    TheDetector->endLaunch(L->Spec.Node);
    L->Ended = true;
    release(L);
  }
  Active.clear();
  Sched.clear();
  Fibers.rewindAll();
  Failed = {};
}

// ---------------------------------------------------------------- running

/// A wait that is not seen as one: for a weak access, or with counters of its own in memory.
bool Engine::tooLong() const {
  uint64_t Limit = Settings.WaitLimit;
  return Limit && (Sched.turnsWithoutChange() > Limit || Sched.turnsWithoutLifetime() / 10 > Limit);
}

RunStatus Engine::run(uint64_t Slices) {
  if (Active.empty())
    return RunStatus::Idle;
  LaunchEnded = false;
  if (!Sched.runnable())
    return RunStatus::Deadlocked;
  Sched.enter(Slices);
  if (Failed.Code != FailureCode::None)
    return RunStatus::Failed;
  if (LaunchEnded)
    return RunStatus::LaunchEnded;
  if (!Sched.runnable())
    return RunStatus::Deadlocked;
  if (Sched.livelocked())
    return RunStatus::Livelocked;
  return tooLong() ? RunStatus::TooLong : RunStatus::BudgetSpent;
}

/// Runs threads on the calling fiber for ever. A thread that has no fiber yet is started in place;
/// one that has is switched to, and this fiber goes back to the pool with its context here.
void Engine::fiberLoop(bool AfterExit) {
  for (;;) {
    if (!AfterExit) {
      Launch *L = current()->Owner->Grid;
      L->Spec.Code->entry(L->Spec.Args);
    }
    AfterExit = false;
    Fiber *Self = current()->Stack;
    Sched.runCopies();
    finishThread(current());
    if (Sched.driverWanted()) {
      Fibers.release(Self);
      Sched.leaveToDriver(Self);
      continue;
    }
    Thread *Next = Sched.pop();
    if (!Next->Stack)
      Next->Stack = Self;
    else
      Fibers.release(Self);
    Sched.switchTo(Next, Self);
  }
}

void Engine::exitThread() { scopesanRestartStack(current()->Stack->top(), fiberBodyAfterExit); }

void Engine::failFromFiber(FailureCode Code, const std::string &What, const Thread &By,
                           uint32_t Site) {
  failFromFiber({Code, What + " in " + describePlace(By), Site});
}

void Engine::failFromFiber(Failure F) {
  Failed = std::move(F);
  Fiber *Self = current()->Stack;
  Sched.leaveToDriver(Self);
  __builtin_unreachable();
}

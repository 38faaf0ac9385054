#include "cpu/shim/work_queue.h"

#include "cpu/faults.h"
#include "cpu/shim/context.h"

#include <algorithm>
#include <time.h>

using namespace scopesan;
using namespace scopesan::cpu;

static constexpr uint64_t SlicesPerTurn = 200'000; ///< between chances for other host threads
static constexpr uint64_t PatienceMs = 5'000;      ///< see stuck()

void WorkQueue::start(Context &C) {
  Owner = &C;
  QueryChance = Random(TheEngine.settings().Seed ^ 0x51);
  HostTimeline = TheDetector->newTimeline();
  HostNode = TheDetector->hostStep(HostTimeline, nullptr, 0);
  Legacy = create(cudaStreamDefault, 0);
}

// ---------------------------------------------------------------- streams

Stream *WorkQueue::create(unsigned Flags, int Priority) {
  auto *S = new Stream;
  S->Ordinal = StreamsCreated++;
  S->Flags = Flags;
  S->Priority = Priority;
  S->Blocking = !(Flags & cudaStreamNonBlocking);
  S->Timeline = TheDetector->newTimeline();
  Streams.push_back(S);
  return S;
}

Stream *WorkQueue::lookup(cudaStream_t Handle) {
  if (!Handle || Handle == cudaStreamLegacy)
    return Legacy;
  if (Handle == cudaStreamPerThread) {
    // Blocking, like a stream that the thread created itself.
    static thread_local Stream *Own = nullptr;
    if (!Own)
      Own = create(cudaStreamDefault, 0);
    return Own;
  }
  auto *S = reinterpret_cast<Stream *>(Handle);
  bool Known = std::find(Streams.begin(), Streams.end(), S) != Streams.end();
  return Known && !S->Destroyed ? S : nullptr;
}

void WorkQueue::destroy(Stream *S) {
  S->Destroyed = true;
  dropDestroyed();
}

/// Destroyed streams go when their work is done. The legacy stream still comes after that work.
void WorkQueue::dropDestroyed() {
  std::erase_if(Streams, [&](Stream *S) {
    while (!S->Queue.empty() && S->Queue.front()->Done)
      S->Queue.pop_front();
    if (!S->Destroyed || !S->Queue.empty())
      return false;
    if (S->Blocking && S->Last.Node.value)
      Orphans.push_back(S->Last);
    delete S;
    return true;
  });
}

// ---------------------------------------------------------------- enqueueing

std::vector<Dependency> WorkQueue::crossDependencies(Stream &S) {
  std::vector<Dependency> Result;
  if (&S == Legacy) {
    for (Stream *Other : Streams)
      if (Other != Legacy && Other->Blocking && Other->Last.Node.value)
        Result.push_back(Other->Last);
    Result.insert(Result.end(), Orphans.begin(), Orphans.end());
    Orphans.clear();
  } else if (S.Blocking && Legacy->Last.Node.value) {
    Result.push_back(Legacy->Last);
  }
  return Result;
}

template <typename MakeNode>
OperationRef WorkQueue::enqueue(Stream &S, const Dependency *Extra, MakeNode Make) {
  std::vector<Dependency> Others = crossDependencies(S);
  if (Extra)
    Others.push_back(*Extra);
  auto Op = std::make_shared<Operation>();
  Op->Sequence = NextSequence++;
  std::vector<core::NodeId> After{HostNode};
  for (Dependency &D : Others) {
    After.push_back(D.Node);
    if (D.Op && !D.Op->Done)
      Op->After.push_back(D.Op);
  }
  Op->Node = Make(S.Timeline, After.data(), uint32_t(After.size()));
  S.BeforeChain = After;
  S.BeforeChain.push_back(S.Last.Node);
  S.Chain.clear();
  S.Last = {Op, Op->Node};
  S.Queue.push_back(Op);
  return Op;
}

OperationRef WorkQueue::enqueueLaunch(Stream &S, const core::LaunchFacts &Facts,
                                      std::unique_ptr<LaunchSpec> Spec) {
  OperationRef Op =
      enqueue(S, nullptr, [&](core::TimelineId T, const core::NodeId *After, uint32_t N) {
        return TheDetector->launch(T, After, N, Facts);
      });
  Spec->Node = Op->Node;
  Op->Kernel = std::move(Spec);
  Op->IsKernel = true;
  S.Chain = {Op};
  return Op;
}

OperationRef WorkQueue::enqueueProgrammatic(Stream &S, const core::LaunchFacts &Facts,
                                            std::unique_ptr<LaunchSpec> Spec) {
  if (S.Chain.empty())
    return enqueueLaunch(S, Facts, std::move(Spec));
  auto Op = std::make_shared<Operation>();
  Op->Sequence = NextSequence++;
  Op->IsKernel = true;
  Op->Prerequisites = S.Chain;
  // The launch follows what the chain's first kernel followed. Whatever comes next in the stream
  // follows both, through a marker.
  std::vector<core::NodeId> After = S.BeforeChain;
  After.push_back(HostNode);
  for (Dependency &D : crossDependencies(S)) {
    After.push_back(D.Node);
    if (D.Op && !D.Op->Done)
      Op->After.push_back(D.Op);
  }
  Op->Node =
      TheDetector->launch(TheDetector->newTimeline(), After.data(), uint32_t(After.size()), Facts);
  for (const OperationRef &Primary : S.Chain)
    TheDetector->programmatic(Op->Node, Primary->Node);
  S.Last = {Op, TheDetector->marker(S.Timeline, &Op->Node, 1)};
  Spec->Node = Op->Node;
  Op->Kernel = std::move(Spec);
  S.Chain.push_back(Op);
  S.Queue.push_back(Op);
  return Op;
}

OperationRef WorkQueue::enqueueCopy(Stream &S, std::function<void(Operation &)> Effect) {
  OperationRef Op =
      enqueue(S, nullptr, [&](core::TimelineId T, const core::NodeId *After, uint32_t N) {
        return TheDetector->copyNode(T, After, N);
      });
  Op->Effect = [Raw = Op.get(), Effect = std::move(Effect)] { Effect(*Raw); };
  return Op;
}

OperationRef WorkQueue::enqueueMarker(Stream &S, std::function<void()> Effect,
                                      const Dependency *After) {
  OperationRef Op =
      enqueue(S, After, [&](core::TimelineId T, const core::NodeId *Nodes, uint32_t N) {
        return TheDetector->marker(T, Nodes, N);
      });
  Op->Effect = std::move(Effect);
  return Op;
}

// ---------------------------------------------------------------- the device

void WorkQueue::finish(const OperationRef &Op) {
  Op->Done = true;
  Op->After.clear();
  Op->Prerequisites.clear();
  Op->Effect = nullptr;
  Op->Kernel.reset();
  Op->Arguments = {};
  Op->ArgumentPointers = {};
}

void WorkQueue::begin(const OperationRef &Op) {
  Op->Started = true;
  if (Op->Kernel) {
    for (const OperationRef &Primary : Op->Prerequisites)
      if (Primary->Running && !Primary->Running->Ended)
        Op->Kernel->Prerequisites.push_back(Primary->Running);
    Op->Running = TheEngine.start(*Op->Kernel);
    if (Op->Running) {
      Running.push_back(Op);
      return;
    }
    TheEngine.fail(FailureCode::LaunchFailure, "the shared memory of kernel " + Op->Kernel->Name +
                                                   " does not fit into the CPU backend's arena");
    deviceFailed();
  } else if (Op->Effect && !(Op->IsCallback && SkipCallbacks)) {
    InCallback = Op->IsCallback;
    Op->Effect();
    InCallback = false;
  }
  finish(Op);
}

/// As far as the operations before it in its stream are concerned.
bool WorkQueue::mayStart(const Stream &S, size_t Index) {
  return Index == 0 || (!S.Queue[Index]->Prerequisites.empty() && S.Queue[Index - 1]->triggered());
}

/// Starts what may start, oldest first, until nothing more can.
void WorkQueue::startEligible() {
  for (;;) {
    OperationRef Oldest;
    for (size_t I = 0; I < Streams.size(); ++I) {
      Stream *S = Streams[I];
      while (!S->Queue.empty() && S->Queue.front()->Done)
        S->Queue.pop_front();
      if (S->Queue.empty())
        continue;
      for (size_t Index = 0; Index < S->Queue.size() && mayStart(*S, Index); ++Index) {
        const OperationRef &Op = S->Queue[Index];
        bool Ready = !Op->Started && std::all_of(Op->After.begin(), Op->After.end(),
                                                 [](const OperationRef &D) { return D->Done; });
        if (Ready && (!Oldest || Op->Sequence < Oldest->Sequence))
          Oldest = Op;
      }
    }
    if (!Oldest)
      break;
    begin(Oldest);
  }
  dropDestroyed();
}

void WorkQueue::collectEnded() {
  std::erase_if(Running, [&](const OperationRef &Op) {
    if (Op->Running && Op->Running->Ended) {
      TheEngine.retire(Op->Running);
      Op->Running = nullptr;
    }
    if (Op->Running || (!Op->Prerequisites.empty() && !Op->Prerequisites.back()->Done))
      return false;
    finish(Op);
    return true;
  });
}

/// Everything that was queued is lost with the device, as in CUDA.
void WorkQueue::deviceFailed() {
  Failure F = TheEngine.failure();
  if (!F.Message.empty())
    complain(F.Message);
  host::incomplete(host::KernelFailed);
  Owner->Sticky = cudaError_t(F.Code);
  TheEngine.abandonAll();
  collectEnded();
  for (Stream *S : Streams) {
    for (const OperationRef &Op : S->Queue)
      finish(Op);
    S->Queue.clear();
  }
}

static uint64_t milliseconds() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return uint64_t(T.tv_sec) * 1000 + uint64_t(T.tv_nsec) / 1'000'000;
}

void WorkQueue::stuck(bool Livelock) {
  if (Livelock && Owner->HostThreads > 1) {
    // Another host thread may be about to change what the kernel waits for: real time matters.
    uint64_t Now = milliseconds();
    if (!WaitingSince)
      WaitingSince = Now;
    if (Now - WaitingSince < PatienceMs) {
      Owner->Mutex.relinquish();
      timespec Millisecond{0, 1'000'000};
      nanosleep(&Millisecond, nullptr);
      TheEngine.forgiveLivelock();
      return;
    }
  }
  WaitingSince = 0;
  TheEngine.reportStuck(host::findingSink());
  TheEngine.fail(FailureCode::LaunchTimeout, TheEngine.describeStuck(Livelock));
  deviceFailed();
}

bool WorkQueue::runOnce(uint64_t Slices) {
  switch (TheEngine.run(Slices)) {
  case RunStatus::LaunchEnded:
    collectEnded();
    WaitingSince = 0;
    break;
  case RunStatus::Deadlocked:
    stuck(false);
    break;
  case RunStatus::Livelocked:
    stuck(true);
    break;
  case RunStatus::Failed:
    deviceFailed();
    break;
  case RunStatus::BudgetSpent:
    break;
  case RunStatus::Idle:
    // Everything queued waits for something that is neither queued nor running.
    host::toolFailure("the CPU backend's work queue is stuck");
    TheEngine.fail(FailureCode::LaunchFailure, "internal error: the work queue is stuck");
    deviceFailed();
    break;
  }
  return Owner->Sticky == cudaSuccess;
}

cudaError_t WorkQueue::runUntil(const std::function<bool()> &Done) {
  prepareFaultHandling();
  for (;;) {
    startEligible();
    if (Owner->Sticky != cudaSuccess || Done())
      break;
    if (!runOnce(SlicesPerTurn))
      break;
    if (host::shouldHalt())
      break;
    Owner->Mutex.relinquish();
  }
  afterWait(*Owner);
  return Owner->Sticky;
}

// ---------------------------------------------------------------- waiting

void WorkQueue::hostAfter(const core::NodeId *Nodes, uint32_t Count) {
  HostNode = TheDetector->hostStep(HostTimeline, Nodes, Count);
}

cudaError_t WorkQueue::waitFor(const OperationRef &Op) {
  cudaError_t E = runUntil([&] { return Op->Done; });
  if (E == cudaSuccess)
    hostAfter(&Op->Node, 1);
  return E;
}

cudaError_t WorkQueue::waitForStream(Stream &S) {
  // The legacy stream's synchronization comes after the blocking streams' work: a marker says so.
  if (&S == Legacy)
    return waitFor(enqueueMarker(S, nullptr));
  OperationRef Last = S.Last.Op;
  cudaError_t E = runUntil([&] { return !Last || Last->Done; });
  if (E == cudaSuccess && S.HostKnows != S.Last.Node) {
    S.HostKnows = S.Last.Node;
    hostAfter(&S.HostKnows, 1);
  }
  return E;
}

bool WorkQueue::anyPending() const {
  return std::any_of(Streams.begin(), Streams.end(), [](const Stream *S) {
    return std::any_of(S->Queue.begin(), S->Queue.end(), [](auto &Op) { return !Op->Done; });
  });
}

cudaError_t WorkQueue::waitForAll() {
  uint64_t Until = NextSequence;
  cudaError_t E = runUntil([&] {
    return std::all_of(Streams.begin(), Streams.end(), [&](const Stream *S) {
      return S->Queue.empty() || S->Queue.front()->Sequence >= Until;
    });
  });
  if (E != cudaSuccess)
    return E;
  std::vector<core::NodeId> Nodes;
  for (Stream *S : Streams)
    if (S->Last.Node.value && S->HostKnows != S->Last.Node) {
      S->HostKnows = S->Last.Node;
      Nodes.push_back(S->Last.Node);
    }
  for (const Dependency &D : Orphans)
    Nodes.push_back(D.Node);
  Orphans.clear();
  if (!Nodes.empty())
    hostAfter(Nodes.data(), uint32_t(Nodes.size()));
  return cudaSuccess;
}

cudaError_t WorkQueue::query(const Dependency &D) {
  prepareFaultHandling();
  // A query may not return not-ready for ever without device steps.
  startEligible();
  if (D.Op && !D.Op->Done && Owner->Sticky == cudaSuccess) {
    runOnce(1 + QueryChance.below(4000));
    startEligible();
  }
  if (Owner->Sticky == cudaSuccess && D.Op && !D.Op->Done) {
    Owner->Mutex.relinquish();
    return cudaErrorNotReady;
  }
  afterWait(*Owner);
  if (Owner->Sticky == cudaSuccess && D.Node.value)
    hostAfter(&D.Node, 1);
  return Owner->Sticky;
}

cudaError_t WorkQueue::queryStream(Stream &S) {
  // The legacy stream is done when the blocking streams are: a marker says so.
  if (&S == Legacy && anyPending())
    enqueueMarker(S, nullptr);
  return query(Dependency(S.Last));
}

void WorkQueue::drain(bool RunCallbacks) {
  if (InCallback) // the program ends from within a host function
    return;
  SkipCallbacks = !RunCallbacks;
  runUntil([&] { return !anyPending(); });
  SkipCallbacks = false;
}

void WorkQueue::forgetFailure() { Owner->Sticky = cudaSuccess; }

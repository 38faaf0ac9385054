#include "cpu/shim/work_queue.h"

#include "cpu/faults.h"
#include "cpu/shim/context.h"
#include "cpu/shim/idle_device.h"
#include "cpu/shim/standstill.h"

#include <algorithm>
#include <thread>
#include <time.h>

using namespace scopesan;
using namespace scopesan::cpu;

static constexpr uint64_t SlicesPerTurn = 200'000; ///< between chances for other host threads
static constexpr uint64_t PatienceMs = 5'000;      ///< see stuck()
/// How long an API call waits for a host function to return before it goes on beside it. Shorter
/// functions end where they begin, which keeps runs repeatable.
static constexpr uint64_t FunctionMs = 1'000;

void WorkQueue::start(Context &C) {
  Owner = &C;
  QueryChance = Random(TheEngine.settings().Seed ^ 0x51);
}

// ---------------------------------------------------------------- enqueueing

OperationRef WorkQueue::prepare(Placement &P) {
  auto Op = std::make_shared<Operation>();
  Op->Sequence = NextSequence++;
  Op->Home = P.Home;
  for (Dependency &D : P.After)
    if (D.Op && !D.Op->Done) {
      D.Op->Unblocks.push_back(Op);
      ++Op->Blockers;
    }
  for (Dependency &D : P.Primaries)
    if (D.Op && !D.Op->Done)
      Op->Primaries.push_back(D.Op);
  return Op;
}

/// The operation has its node and its effect: it may run from now on.
void WorkQueue::commit(const OperationRef &Op, const Placement &P) {
  for (const Dependency &D : P.Primaries)
    TheDetector->programmatic(Op->Node, D.Node);
  ++P.Home->Pending;
  P.Home->LastSequence = Op->Sequence;
  Unfinished[Op->Sequence] = Op;
  if (Op->Kernel)
    launchWaits(Op->Sequence, Op->Kernel->Name, Op->Kernel->Index);
  HasWork = true;
  watchIdleDevice(*Owner);
  if (Op->Blockers)
    return;
  if (Op->Primaries.empty())
    Ready[Op->Sequence] = Op;
  else
    AwaitTrigger.push_back(Op);
}

std::vector<core::NodeId> Placement::nodes() const {
  std::vector<core::NodeId> Nodes;
  for (const Dependency &D : After)
    Nodes.push_back(D.Node);
  return Nodes;
}

OperationRef WorkQueue::enqueue(Placement P, const Work &W) {
  for (const Dependency &D : P.Primaries)
    P.Origin.primaries.push_back(D.Node);
  OperationRef Op = prepare(P);
  describeWork(*Owner, *Op, W, P);
  commit(Op, P);
  return Op;
}

OperationRef WorkQueue::enqueueMarker(Placement P, std::function<void()> Effect) {
  OperationRef Op = prepare(P);
  std::vector<core::NodeId> After = P.nodes();
  Op->Node = TheDetector->marker(P.Line, After.data(), uint32_t(After.size()));
  Op->Effect = std::move(Effect);
  commit(Op, P);
  return Op;
}

static core::TimelineId sideLine(Stream &S, size_t Index) {
  while (S.SideLines.size() <= Index)
    S.SideLines.push_back(TheDetector->newTimeline());
  return S.SideLines[Index];
}

Placement WorkQueue::placeBeside(Stream &S, size_t Line) {
  Placement P;
  P.Home = &S;
  P.Line = sideLine(S, Line);
  P.Origin.stream = S.Ordinal;
  P.Origin.device = uint32_t(S.Device);
  P.Origin.stack = host::captureStack();
  return P;
}

Placement WorkQueue::placeIn(Stream &S, bool Programmatic) {
  Placement P;
  P.Home = &S;
  P.Line = S.Timeline;
  P.After = Owner->Streams.crossDependencies(S);
  if (Programmatic && S.TailIsKernel) {
    // A line of its own: the operation does not follow the kernels that it may overlap.
    P.Primaries = S.Tail;
    P.After.insert(P.After.end(), S.Root.begin(), S.Root.end());
    P.Line = sideLine(S, S.Tail.size() - 1);
  } else {
    P.After.insert(P.After.end(), S.Tail.begin(), S.Tail.end());
  }
  P.After.push_back({nullptr, Owner->Hosts.past()});
  P.Origin.stream = S.Ordinal;
  P.Origin.device = uint32_t(S.Device);
  return P;
}

void WorkQueue::append(Stream &S, const Placement &P, const OperationRef &Op, bool Programmatic) {
  if (!Programmatic || P.Primaries.empty()) {
    S.Root = P.After;
    S.Tail.clear();
  }
  S.Tail.push_back({Op, Op->Node});
  S.TailIsKernel = Op->Kernel != nullptr;
}

OperationRef WorkQueue::enqueue(Stream &S, const Work &W, const Dependencies &Extra) {
  const auto *Kernel = std::get_if<KernelWork>(&W);
  bool Programmatic = Kernel && Kernel->Programmatic;
  Placement P = placeIn(S, Programmatic);
  P.After.insert(P.After.end(), Extra.begin(), Extra.end());
  P.Origin.stack = host::captureStack();
  OperationRef Op = enqueue(P, W);
  append(S, P, Op, Programmatic);
  return Op;
}

OperationRef WorkQueue::enqueueMarker(Stream &S, std::function<void()> Effect,
                                      const Dependencies &Extra) {
  Placement P = placeIn(S);
  P.After.insert(P.After.end(), Extra.begin(), Extra.end());
  OperationRef Op = enqueueMarker(P, std::move(Effect));
  append(S, P, Op);
  return Op;
}

// ---------------------------------------------------------------- the device

void WorkQueue::finish(const OperationRef &Op) {
  if (Op->Done)
    return;
  Op->Done = true;
  for (const OperationRef &Next : Op->Unblocks)
    if (--Next->Blockers == 0 && !Next->Done) {
      if (Next->Primaries.empty())
        Ready[Next->Sequence] = Next;
      else
        AwaitTrigger.push_back(Next);
    }
  Op->Unblocks.clear();
  Op->Primaries.clear();
  Op->Effect = nullptr;
  if (Op->Kernel)
    operationDone(Op->Sequence);
  Op->Kernel.reset();
  Op->Args.reset();
  Unfinished.erase(Op->Sequence);
  HasWork = !Unfinished.empty();
  Ready.erase(Op->Sequence);
  --Op->Home->Pending;
  Owner->Streams.settled(Op->Home);
  Op->Home = nullptr;
}

void WorkQueue::begin(const OperationRef &Op) {
  Op->Started = true;
  if (Op->Kernel) {
    for (const OperationRef &Primary : Op->Primaries)
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
    std::function<void()> Effect = std::move(Op->Effect);
    Effect();
  }
  finish(Op);
}

void WorkQueue::startFunction(const OperationRef &Op) {
  Op->Started = true;
  Op->MayEnd = [This = Op.get()] { return This->HasReturned.load(); };
  Polling.push_back(Op);
  // S15: what the function tells other threads is not known without instrumented code, so whatever
  // the host does from now on counts as ordered after it.
  if (!HostThreadTable::isInstrumented())
    Owner->Hosts.follow(&Op->Node, 1);
  std::thread([this, Op, Effect = std::move(Op->Effect)] {
    std::lock_guard Lock(Owner->Mutex);
    Effect(); // gives the lock up while the function runs
    std::lock_guard Guard(ReturnMutex);
    Op->HasReturned = true;
    Return.notify_all();
  }).detach();
  Op->Effect = nullptr;
  awaitFunction(Op.get(), FunctionMs);
}

void WorkQueue::awaitFunction(const Operation *Op, uint64_t Milliseconds) {
  ApiMutex::Released Unlocked(Owner->Mutex);
  ++host::InsideTool;
  {
    std::unique_lock Guard(ReturnMutex);
    Return.wait_for(Guard, std::chrono::milliseconds(Milliseconds),
                    [&] { return Op && Op->HasReturned.load(); });
  }
  --host::InsideTool;
}

bool WorkQueue::isInFunction() const {
  return std::any_of(Polling.begin(), Polling.end(),
                     [](const OperationRef &Op) { return Op->IsCallback && !Op->Done; });
}

/// A programmatic launch starts when the kernels in front of it have triggered or ended.
void WorkQueue::startTriggered() {
  std::erase_if(AwaitTrigger, [&](const OperationRef &Op) {
    bool Triggered =
        std::all_of(Op->Primaries.begin(), Op->Primaries.end(), [](const OperationRef &P) {
          return P->Done || (P->Running && P->Running->triggered());
        });
    if (Triggered && !Op->Done)
      Ready[Op->Sequence] = Op;
    return Triggered || Op->Done;
  });
}

/// Starts what may start, oldest first, until nothing more can.
void WorkQueue::startEligible() {
  for (;;) {
    startTriggered();
    for (const OperationRef &Op : Polling)
      if (!Op->Done && Op->MayEnd())
        Ready[Op->Sequence] = Op;
    std::erase_if(Polling,
                  [&](const OperationRef &Op) { return Op->Done || Ready.count(Op->Sequence); });
    if (Ready.empty())
      return;
    OperationRef Oldest = Ready.begin()->second;
    Ready.erase(Ready.begin());
    if (Oldest->IsCallback && !Oldest->Started && !SkipCallbacks)
      startFunction(Oldest);
    else if (Oldest->MayEnd && !Oldest->MayEnd())
      Polling.push_back(Oldest);
    else
      begin(Oldest);
  }
}

void WorkQueue::collectEnded() {
  std::vector<OperationRef> Ended;
  std::erase_if(Running, [&](const OperationRef &Op) {
    if (!Op->Running->Ended)
      return false;
    Ended.push_back(Op);
    return true;
  });
  for (const OperationRef &Op : Ended) {
    TheEngine.retire(Op->Running);
    Op->Running = nullptr;
    finish(Op);
  }
}

/// Everything that was queued is lost with the device, as in CUDA.
void WorkQueue::deviceFailed() {
  Failure F = TheEngine.failure();
  if (!F.Told)
    complain(F.Message);
  Owner->Sticky = cudaError_t(F.Code);
  host::kernelFailed(F.Message.substr(0, F.Message.find('\n')), core::SiteId{F.Site});
  TheEngine.abandonAll();
  collectEnded();
  while (!Unfinished.empty())
    finish(OperationRef(Unfinished.begin()->second));
  AwaitTrigger.clear();
  Polling.clear();
}

static constexpr const char EndedAtLimit[] = "a kernel was ended that did not end by itself: for "
                                             "millions of turns of its threads memory did "
                                             "not change or no thread ended (--wait-limit)";

static uint64_t milliseconds() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return uint64_t(T.tv_sec) * 1000 + uint64_t(T.tv_nsec) / 1'000'000;
}

/// Another host thread may be about to change what is waited for: real time matters.
bool WorkQueue::isForgiven() {
  if (Owner->HostThreads < 2 && !isInFunction())
    return false;
  uint64_t Now = milliseconds();
  if (!WaitingSince)
    WaitingSince = Now;
  if (Now - WaitingSince >= PatienceMs)
    return false;
  Owner->Mutex.relinquish();
  timespec Millisecond{0, 1'000'000};
  nanosleep(&Millisecond, nullptr);
  return true;
}

void WorkQueue::stuck(RunStatus How) {
  if (How != RunStatus::Deadlocked && isForgiven())
    return TheEngine.forgiveLivelock();
  WaitingSince = 0;
  const char *Title = "no thread can run any more (deadlock)";
  if (How == RunStatus::Livelocked)
    Title = "every thread that can run only waits (livelock)";
  if (How == RunStatus::TooLong) {
    Title = "the threads go on without end: no change of memory, or no end of a thread, for longer "
            "than --wait-limit allows";
    host::incomplete(EndedAtLimit);
  } else {
    TheEngine.reportStuck(*TheDetector);
  }
  TheEngine.fail(FailureCode::LaunchTimeout, TheEngine.describeStuck(Title));
  deviceFailed();
}

void WorkQueue::stuckPolling() {
  if (isInFunction()) // the program's code, which takes what time it takes
    return awaitFunction(nullptr, 1);
  if (isForgiven())
    return;
  WaitingSince = 0;
  for (const OperationRef &Op : Polling)
    TheDetector->stuckNode(Op->Node);
  TheEngine.fail(FailureCode::LaunchTimeout,
                 "streams wait for values in memory that nothing is left to write");
  deviceFailed();
}

bool WorkQueue::runOnce(uint64_t Slices) {
  hostIsAlive();
  RunStatus How = TheEngine.run(Slices);
  switch (How) {
  case RunStatus::LaunchEnded:
    collectEnded();
    WaitingSince = 0;
    break;
  case RunStatus::Deadlocked:
  case RunStatus::Livelocked:
  case RunStatus::TooLong:
    stuck(How);
    break;
  case RunStatus::Failed:
    deviceFailed();
    break;
  case RunStatus::BudgetSpent:
    break;
  case RunStatus::Idle:
    if (!Polling.empty()) {
      stuckPolling();
      break;
    }
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

core::NodeId WorkQueue::hostFree(const char *Api) {
  core::NodeId Node = Owner->Hosts.freeNode();
  host::Origin From;
  From.device = uint32_t(currentDevice());
  From.isHost = true;
  From.stack = host::captureStack();
  host::nodeNamed(Node, Api, From);
  return Node;
}

static bool allDone(const Dependencies &D) {
  return std::all_of(D.begin(), D.end(), [](const Dependency &X) { return !X.Op || X.Op->Done; });
}

/// What the host does not know yet of `D` becomes known to it.
void WorkQueue::hostLearns(const Dependencies &D) {
  std::vector<core::NodeId> Nodes;
  core::NodeId Past = Owner->Hosts.past();
  for (const Dependency &X : D)
    if (X.Node.value && !TheDetector->precedes(X.Node, Past))
      Nodes.push_back(X.Node);
  if (!Nodes.empty())
    Owner->Hosts.follow(Nodes.data(), uint32_t(Nodes.size()));
}

cudaError_t WorkQueue::waitFor(const Dependencies &Given) {
  Dependencies D = Given; // the caller's may change while the device runs
  cudaError_t E = runUntil([&] { return allDone(D); });
  if (E == cudaSuccess)
    hostLearns(D);
  return E;
}

cudaError_t WorkQueue::runUntilDone(const OperationRef &Op) {
  return runUntil([&] { return Op->Done; });
}

cudaError_t WorkQueue::waitForStream(Stream &S) {
  // The legacy stream's synchronization comes after the blocking streams' work: a marker says so.
  if (S.IsLegacy)
    enqueueMarker(S, nullptr);
  return waitFor(S.Tail);
}

cudaError_t WorkQueue::waitForDevice(int Device) {
  cudaError_t E = waitFor(Owner->Streams.everythingOn(Device));
  if (E == cudaSuccess)
    Owner->Streams.hostWaitedFor(Device);
  return E;
}

cudaError_t WorkQueue::query(const Dependencies &Given) {
  Dependencies D = Given;
  prepareFaultHandling();
  // A query may not return not-ready for ever without device steps.
  startEligible();
  if (!allDone(D) && Owner->Sticky == cudaSuccess && !(Running.empty() && !Polling.empty())) {
    runOnce(1 + QueryChance.below(4000));
    startEligible();
  }
  if (Owner->Sticky == cudaSuccess && !allDone(D)) {
    Owner->Mutex.relinquish();
    return cudaErrorNotReady;
  }
  afterWait(*Owner);
  if (Owner->Sticky == cudaSuccess)
    hostLearns(D);
  return Owner->Sticky;
}

void WorkQueue::runForAWhile() {
  prepareFaultHandling();
  startEligible();
  if (Owner->Sticky == cudaSuccess && !Running.empty()) {
    runOnce(1 + QueryChance.below(4000));
    startEligible();
  }
  Owner->Mutex.relinquish();
}

bool WorkQueue::runBeside() {
  prepareFaultHandling();
  startEligible();
  if (Owner->Sticky != cudaSuccess || Running.empty())
    return false;
  switch (TheEngine.run(SlicesPerTurn)) {
  case RunStatus::LaunchEnded:
    collectEnded();
    hostIsAlive(); // the device needs no call of the host
    break;
  case RunStatus::BudgetSpent:
    hostIsAlive();
    break;
  case RunStatus::Livelocked: // who waits for the host may see its store in time
    TheEngine.forgiveLivelock();
    break;
  case RunStatus::Deadlocked: // no host can change that
    stuck(RunStatus::Deadlocked);
    break;
  case RunStatus::TooLong:
    stuck(RunStatus::TooLong);
    break;
  case RunStatus::Failed:
    deviceFailed();
    break;
  case RunStatus::Idle:
    return false;
  }
  if (Owner->Sticky == cudaSuccess)
    startEligible();
  return Owner->Sticky == cudaSuccess;
}

cudaError_t WorkQueue::queryStream(Stream &S) {
  // The legacy stream is done when the blocking streams are: a marker says so.
  if (S.IsLegacy && !Unfinished.empty())
    enqueueMarker(S, nullptr);
  return query(S.Tail);
}

void WorkQueue::drain(bool RunCallbacks) {
  if (HostThreadTable::inFunction()) // the program ends from within a host function
    return;
  // A function that runs already gets its time, but the end of the process waits for no other.
  for (uint64_t Waited = 0; !RunCallbacks && isInFunction() && Waited < FunctionMs; Waited += 10) {
    awaitFunction(nullptr, 10);
    startEligible();
  }
  if (!RunCallbacks)
    for (const OperationRef &Op : Polling)
      Op->HasReturned = Op->HasReturned || Op->IsCallback;
  SkipCallbacks = !RunCallbacks;
  runUntil([&] { return Unfinished.empty(); });
  SkipCallbacks = false;
}

void WorkQueue::forgetFailure() { Owner->Sticky = cudaSuccess; }

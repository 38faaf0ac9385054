#include "cpu/shim/graph_exec.h"

#include "cpu/shim/context.h"
#include "cpu/shim/events.h"

#include <algorithm>

using namespace scopesan;
using namespace scopesan::cpu;

GraphNode *GraphExec::copyOf(cudaGraphNode_t Original) {
  auto It = Copies.find(reinterpret_cast<GraphNode *>(Original));
  return It == Copies.end() ? nullptr : It->second;
}

// ---------------------------------------------------------------- flattening

void GraphExec::flattenInto(const Graph &G, const std::vector<FlatNode::Before> &Entry,
                            std::vector<FlatNode::Before> &Exit) {
  std::unordered_map<const GraphNode *, uint32_t> IndexOf;
  for (GraphNode *N : G.ordered()) {
    std::vector<FlatNode::Before> After;
    for (const Edge &E : N->Dependencies)
      After.push_back({IndexOf[E.From], E.programmatic()});
    if (After.empty())
      After = Entry;
    FlatNode F;
    F.Node = N;
    if (auto *Child = N->Work.as<ChildWork>()) {
      std::vector<FlatNode::Before> End;
      flattenInto(*Child->Body, After, End);
      F.Node = nullptr;
      After = End.empty() ? After : End;
    }
    F.after = std::move(After);
    IndexOf[N] = uint32_t(Flat.size());
    Flat.push_back(std::move(F));
    bool Followed = std::any_of(N->Dependents.begin(), N->Dependents.end(), [&](GraphNode *To) {
      return std::any_of(To->Dependencies.begin(), To->Dependencies.end(),
                         [&](const Edge &E) { return E.From == N && !E.programmatic(); });
    });
    if (!Followed)
      Exit.push_back({IndexOf[N], false});
  }
}

void GraphExec::flatten() {
  Flat.clear();
  std::vector<FlatNode::Before> Exit;
  flattenInto(*Body, {}, Exit);
  host::assignLines(Flat, *TheDetector);
}

// ---------------------------------------------------------------- launching

static void append(Dependencies &To, const Dependencies &From) {
  To.insert(To.end(), From.begin(), From.end());
}

OperationRef GraphExec::launchNode(Context &C, FlatNode &F, Placement P) {
  if (!F.Node || Disabled.count(F.Node))
    return C.Work.enqueueMarker(std::move(P), nullptr);
  NodeWork &W = F.Node->Work;
  auto Destroyed = [](Event *E) { return !lookupEvent(reinterpret_cast<cudaEvent_t>(E)); };
  if (auto *Record = W.as<EventRecordWork>(); Record && !Destroyed(Record->What)) {
    OperationRef Op = C.Work.enqueueMarker(std::move(P), startRecord(*Record->What));
    finishRecord(*Record->What, {{Op, Op->Node}});
    return Op;
  }
  if (auto *Wait = W.as<EventWaitWork>(); Wait && !Destroyed(Wait->What)) {
    append(P.After, Wait->What->LastRecord);
    return C.Work.enqueueMarker(std::move(P), nullptr);
  }
  const Work *Plain = std::get_if<Work>(&W.What);
  return Plain ? C.Work.enqueue(std::move(P), *Plain) : C.Work.enqueueMarker(std::move(P), nullptr);
}

cudaError_t GraphExec::launch(Context &C, Stream &S) {
  ++Launches;
  host::StackId Stack = host::captureStack();
  OperationRef Begin = C.Work.enqueueMarker(S, nullptr, LastEnd);
  Dependencies Ends{{Begin, Begin->Node}};
  std::vector<Placement> Places; // by flat index
  std::vector<Dependency> Done;
  for (FlatNode &F : Flat) {
    Placement P;
    P.Line = F.line;
    P.Home = &S;
    if (F.after.empty())
      P.After.push_back({Begin, Begin->Node});
    for (const FlatNode::Before &B : F.after) {
      if (!B.programmatic) {
        P.After.push_back(Done[B.index]);
        continue;
      }
      append(P.After, Places[B.index].After); // it has started, so what it follows has ended
      P.Primaries.push_back(Done[B.index]);
      append(P.Primaries, Places[B.index].Primaries);
    }
    P.Origin.stream = S.Ordinal;
    P.Origin.device = uint32_t(F.Node ? F.Node->Device : S.Device);
    P.Origin.graph = Ordinal;
    P.Origin.graphLaunch = Launches;
    P.Origin.graphNode = F.Node ? F.Node->Index : 0;
    P.Origin.stack = F.Node ? F.Node->Stack : host::StackId{};
    P.Origin.graphStack = Stack;
    Places.push_back(P);
    OperationRef Op = launchNode(C, F, std::move(P));
    Done.push_back({Op, Op->Node});
    if (F.isSink)
      Ends.push_back(Done.back());
  }
  OperationRef End = C.Work.enqueueMarker(S, nullptr, Ends);
  LastEnd = {{End, End->Node}};
  return cudaSuccess;
}

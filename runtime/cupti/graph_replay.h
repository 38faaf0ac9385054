// One launch of a graph, node by node (ADR 022).
#pragma once

#include "cupti/calls.h"

namespace scopesan::cupti {

class GraphReplay {
public:
  GraphReplay(Collector &c, GraphExec &x, const Call &k, CUstream given)
      : C(c), X(x), Stream(k.handle(given)), Context(k.context), S(k.stream(c, given)),
        Stack(host::captureStack()) {}

  /// Issues all nodes into the stream, in an order that the graph allows.
  void run();

private:
  LaunchPlace placeOf(size_t i, core::NodeId begin);
  core::NodeId issue(const GraphStep &step, LaunchPlace &place);
  core::NodeId kernel(const GraphStep &step, LaunchPlace &place);
  core::NodeId transferAt(const GraphStep &step, LaunchPlace &place, const char *otherwise);
  core::NodeId copy(const GraphStep &step, LaunchPlace &place);
  core::NodeId fill(const GraphStep &step, LaunchPlace &place);
  core::NodeId hostFunction(const GraphStep &step, LaunchPlace &place);
  core::NodeId eventRecord(const GraphStep &step, LaunchPlace &place);
  core::NodeId eventWait(const GraphStep &step, LaunchPlace &place);
  void expect(CUresult r, const char *what);

  Collector &C;
  GraphExec &X;
  CUstream Stream;
  CUcontext Context;
  gpu::Stream &S;
  host::StackId Stack;
  std::vector<gpu::Place> Places; ///< by step
  gpu::Nodes Done;
};

} // namespace scopesan::cupti

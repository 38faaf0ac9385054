#include "WorkWords.h"

namespace scopesan::report {

std::string streamName(const Operation &op) {
  std::string result = op.stream ? "stream " + std::to_string(op.stream) : "the default stream";
  if (op.streamKind == "per-thread")
    result = "the per-thread default stream (" + result + ")";
  if (op.streamKind == "legacy")
    result = "the legacy default stream";
  return op.device ? result + " of device " + std::to_string(op.device) : result;
}

std::string hostFunctionName(const Operation &op) {
  return "the host function that " + op.api + " put into " +
         (op.graph ? "graph " + std::to_string(op.graph) : streamName(op));
}

std::string streamDetail(const Operation &op) {
  if (op.streamKind == "legacy")
    return " (the legacy default stream)";
  if (op.streamKind == "per-thread")
    return " (the thread's own default stream)";
  return op.streamKind == "non-blocking" ? " (non-blocking)" : "";
}

std::string workName(const Operation &op) {
  if (op.isHostFunction)
    return hostFunctionName(op);
  std::string result = op.kernel.empty() ? op.api : "launch " + std::to_string(op.launch);
  if (op.isHost)
    return result + " by the host";
  if (op.graph)
    return result + " (node " + std::to_string(op.graphNode) + " of graph " +
           std::to_string(op.graph) + ")";
  return result + " on " + streamName(op);
}

namespace {

bool isOneGraph(const Operation &a, const Operation &b) {
  return a.graph && a.graph == b.graph && a.graphLaunch == b.graphLaunch;
}

/// The edge that two pieces of work lack (S14).
MissingEdge missingEdge(const Finding &finding) {
  const Operation &a = finding.accesses[0], &b = finding.accesses[1];
  bool oneStream = !a.graph && !b.graph && a.stream == b.stream && a.device == b.device;
  if (finding.programmatic || (oneStream && !a.kernel.empty() && !b.kernel.empty())) {
    unsigned later = finding.programmatic.value_or(1) ? 1 : 0;
    return {"griddepcontrol.wait", workName(finding.accesses[later]) +
                                       " not waiting (griddepcontrol.wait) for the end of " +
                                       workName(finding.accesses[1 - later])};
  }
  if (isOneGraph(a, b))
    return {"graph-edge", "no path in graph " + std::to_string(a.graph) + " that orders node " +
                              std::to_string(a.graphNode) + " and node " +
                              std::to_string(b.graphNode)};
  return {"stream-order",
          "no event or stream order between " + workName(a) + " and " + workName(b)};
}

} // namespace

MissingEdge missingEdgeOf(const Finding &finding) {
  auto isWork = [](const Operation &op) { return op.launch || !op.api.empty(); };
  const Operation &a = finding.accesses[0], &b = finding.accesses[1];
  bool isOfWork = finding.distance == "between-kernels" || finding.distance == "between-domains" ||
                  a.isHostFunction || b.isHostFunction;
  if (!isOfWork || finding.isStuck() || !isWork(a) || !isWork(b))
    return {};
  return missingEdge(finding);
}

std::string edgeHint(const Finding &finding) {
  const Operation &a = finding.accesses[0], &b = finding.accesses[1];
  MissingEdge edge = missingEdgeOf(finding);
  if (edge.kind == "griddepcontrol.wait")
    return "call cudaGridDependencySynchronize() before the access in the kernel that was launched "
           "programmatically; threads of its block that do not call it need a barrier after it";
  if (edge.kind == "graph-edge")
    return "add an edge (or a path) between node " + std::to_string(a.graphNode) + " and node " +
           std::to_string(b.graphNode) + " to the graph";
  if (a.isHostFunction || b.isHostFunction)
    return "synchronize with the host function's stream, or order the other work after it by an "
           "event";
  return "";
}

} // namespace scopesan::report

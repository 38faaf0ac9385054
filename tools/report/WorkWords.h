// Words about pieces of work: launches, copies, host functions, their streams and graphs, and the
// order between them that lacks (S14).
#pragma once

#include "Words.h"

namespace scopesan::report {

/// "stream 2 of device 1".
std::string streamName(const Operation &op);
/// " (non-blocking)"; nothing for an ordinary stream.
std::string streamDetail(const Operation &op);
/// "the host function that cudaLaunchHostFunc put into stream 1".
std::string hostFunctionName(const Operation &op);
/// "launch 12 on stream 1", "cudaMemcpyAsync on stream 2", "launch 3 (node 3 of graph 1)".
std::string workName(const Operation &op);
/// How to make the edge that lacks; empty where it is none of one graph, one programmatic launch
/// or one host function.
std::string edgeHint(const Finding &finding);

} // namespace scopesan::report

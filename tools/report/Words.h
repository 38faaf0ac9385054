// Sentences about findings: titles, hints, names of threads and places. Wording only; the tables
// are titles.def and distances.def.
#pragma once

#include "Model.h"

namespace scopesan::report {

/// One sentence that names the cause.
std::string titleOf(const Finding &finding);
/// What to change; may be empty.
std::string hintOf(const Finding &finding);
/// What the reader must know of a copy from pageable memory (O7); mostly empty.
std::string copyNoteOf(const Finding &finding);
/// The rule's one-sentence summary (rules.def); may be empty.
std::string summaryOf(const Finding &finding);

/// What would have ordered two pieces of work (S14); `kind` is empty where that is not what lacks.
struct MissingEdge {
  std::string kind; ///< "stream-order", "graph-edge", "griddepcontrol.wait"
  std::string text;
};
MissingEdge missingEdgeOf(const Finding &finding);

/// 0 for "thread" to 4 for "system"; 0 for what is no scope.
unsigned scopeRank(const std::string &scope);
/// "64 executions by 4 blocks in 2 launches; 12 synchronizes-with edges".
std::string describeCoverage(const Coverage &coverage);

/// "block-scope release store", "write", "volatile load".
std::string describeShort(const Operation &op);
/// "4-byte release store of int at block scope", "8-byte weak write".
std::string describeLong(const Operation &op);
/// "kernel f, launch 2, block (0,0,0), thread (3,0,0), warp 0, lane 3" or "cudaMemcpy on stream 0".
std::string describeActor(const Operation &op);
/// "x (4 bytes, device variable)", "bytes 128-131 of 4096-byte cudaMalloc #2".
std::string describeMemory(const Memory &memory);
/// "file:line:column"; without what is unknown.
std::string describePosition(const Frame &frame);

} // namespace scopesan::report

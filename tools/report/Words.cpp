#include "Words.h"

#include "BarrierWords.h"
#include "CopyWords.h"
#include "Names.h"
#include "WorkWords.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace scopesan::report {
namespace {

using llvm::StringRef;

struct TitleRow {
  StringRef name, title, hint;
};
constexpr TitleRow Titles[] = {
#define SCOPESAN_TITLE(name, title, hint) {name, title, hint},
#include "titles.def"
};

struct DistanceRow {
  StringRef name, gap, must, scope;
};
constexpr DistanceRow Distances[] = {
#define SCOPESAN_DISTANCE(name, gap, must, scope) {name, gap, must, scope},
#include "distances.def"
};

struct SummaryRow {
  StringRef name, summary;
};
constexpr SummaryRow Summaries[] = {
#define SCOPESAN_RULE(id, enumerator, name, isAdvisory, summary) {name, summary},
#include "scopesan/core/rules.def"
};

const TitleRow &titleRow(StringRef name) {
  for (const TitleRow &row : Titles)
    if (row.name == name || row.name.empty())
      return row;
  return Titles[0];
}

const DistanceRow &distanceRow(StringRef name) {
  for (const DistanceRow &row : Distances)
    if (row.name == name)
      return row;
  return distanceRow("same-grid");
}

bool isFlat(const Coordinates &c) { return c[1] == 0 && c[2] == 0; }

std::string numbered(StringRef what, const Coordinates &c) {
  std::string result;
  llvm::raw_string_ostream out(result);
  out << what << ' ';
  if (isFlat(c))
    out << c[0];
  else
    out << '(' << c[0] << ',' << c[1] << ',' << c[2] << ')';
  return result;
}

std::string hostThread(const Operation &op) {
  return op.hostThread ? "host thread " + std::to_string(op.hostThread) : "the host";
}

/// Who made an access, with just enough to tell it from the other one.
std::string actorIn(const Finding &finding, const Operation &op, const Operation &other,
                    bool isSecond) {
  if (!op.isKnown())
    return "an unknown thread";
  if (op.isHostFunction)
    return hostFunctionName(op);
  if (op.kernel.empty())
    return op.api.empty() ? hostThread(op) : op.api + (op.staged ? " from pageable memory" : "");
  StringRef distance = finding.distance;
  if (other.kernel.empty() && other.isKnown())
    return "kernel " + shortFunctionName(op.kernel);
  if (distance == "same-thread")
    return isSecond ? "the same thread" : numbered("thread", op.thread);
  if (distance == "same-warp")
    return "lane " + std::to_string(op.lane) + (isSecond ? " of the same warp" : "");
  if (distance == "same-block")
    return numbered("thread", op.thread) + (isSecond ? " of the same block" : "");
  if (distance == "between-kernels" || distance == "between-domains") {
    std::string result = "kernel " + shortFunctionName(op.kernel);
    if (op.kernel == other.kernel)
      result = "launch " + std::to_string(op.launch) + " of " + result;
    if (distance == "between-domains" && op.domain)
      result += " (domain " + std::to_string(*op.domain) + ")";
    return op.device == other.device ? result : result + " on device " + std::to_string(op.device);
  }
  return numbered("block", op.block) +
         (isSecond && distance == "same-cluster" ? " of the same cluster" : "");
}

/// "block-scope fences by block 0 and block 1" and the like, with the verb.
std::string blamedPhrase(const Finding &finding) {
  if (finding.blamed.empty())
    return "scopes are";
  std::string result;
  size_t n = finding.blamed.size();
  const Operation &second = finding.accesses[1];
  for (size_t i = 0; i < n && i < 3; ++i) {
    const Operation &op = finding.blamed[i];
    bool isSecond =
        op.launch == second.launch && op.block == second.block && op.thread == second.thread;
    if (i)
      result += i + 1 == n ? " and " : ", ";
    result += describeShort(op) + " by " +
              actorIn(finding, op, isSecond ? finding.accesses[0] : second, false);
  }
  if (n > 3)
    result += " and " + std::to_string(n - 3) + " more";
  return result + (n == 1 ? " is" : " are");
}

/// The widest scope that a blamed operation needs; without blame, what the distance asks for.
std::string neededScope(const Finding &finding) {
  std::string needs;
  if (finding.blamed.empty())
    needs = distanceRow(finding.distance).scope.str();
  for (const Operation &op : finding.blamed)
    if (scopeRank(op.needs) > scopeRank(needs))
      needs = op.needs;
  return needs;
}

/// Index of the access whose scope is too narrow: the smaller scope, the first one if equal.
unsigned narrowIndex(const Finding &finding) {
  return scopeRank(finding.accesses[1].scope) < scopeRank(finding.accesses[0].scope) ? 1 : 0;
}

std::string otherVerb(const Finding &finding) {
  const Operation &narrow = finding.accesses[narrowIndex(finding)];
  const Operation &other = finding.accesses[1 - narrowIndex(finding)];
  if (!narrow.writes())
    return "of what is written from";
  if (other.kind == "load")
    return "read from";
  return other.kind == "store" ? "overwritten from" : "updated from";
}

std::string gapOf(const Finding &finding) {
  MissingEdge edge = missingEdgeOf(finding);
  return edge.kind.empty() ? distanceRow(finding.distance).gap.str() : edge.text;
}

/// What would order the two accesses.
std::string mustOf(const Finding &finding) {
  std::string hint = edgeHint(finding);
  return hint.empty() ? distanceRow(finding.distance).must.str() : hint;
}

/// D8: an access outside of its memory's life, or a free that does not follow an access.
std::string lifetimeOf(const Finding &finding) {
  const Operation &first = finding.accesses[0], &second = finding.accesses[1];
  std::string access = describeShort(second) + " by " + actorIn(finding, second, first, true);
  if (second.kind == "free")
    return describeShort(first) + " by " + actorIn(finding, first, second, false) +
           " of memory that " + second.api + " frees, with " + gapOf(finding);
  if (first.kind == "free")
    return access + " of memory that " + first.api + " has freed";
  if (isOwnSource(finding))
    return "block " + std::to_string(first.block[0]) + " may end before a copy that thread " +
           std::to_string(second.thread[0]) + " issued has read its shared memory";
  if (finding.isBlockEnd())
    return access + " of shared memory of block " + std::to_string(first.block[0]) +
           (first.kind == "exit" ? ", which may have ended" : ", which may not have started");
  if (first.kind == "alloc")
    return access + " of memory that " + first.api + " allocates, with " + gapOf(finding);
  if (!first.isKnown() && finding.memory.kind == "unknown")
    return access + " of host memory that is not mapped for the device";
  if (!first.isKnown() && finding.memory.device != second.device)
    return access + " on device " + std::to_string(second.device) + " of memory of device " +
           std::to_string(finding.memory.device) + " without access to it";
  return access + " of memory that was not alive";
}

std::string aliveHint(const Finding &finding) {
  StringRef first = finding.accesses[0].kind;
  if (first == "alloc")
    return "use the memory in the stream that allocated it, or order its users after the "
           "allocation by an event";
  if (first == "enter")
    return "put a cluster barrier (cluster.sync()) before the first access to a peer's shared "
           "memory";
  if (isOwnSource(finding))
    return ownSourceHint();
  if (first == "exit")
    return "put a cluster barrier (cluster.sync()) after the last access to a peer's shared "
           "memory: "
           "no thread of the owner's may return before it";
  if (!finding.accesses[0].isKnown() && finding.memory.kind == "unknown")
    return "allocate the memory with CUDA, or register it with cudaHostRegister";
  if (!finding.accesses[0].isKnown() && finding.memory.device != finding.accesses[1].device)
    return "call cudaDeviceEnablePeerAccess first (cudaMemPoolSetAccess for stream-ordered memory)";
  return "keep the memory alive until every access to it is ordered before its end";
}

/// D9: asynchronous copies and matrix operations have a proxy of their own, tensor maps another.
std::string proxyHint(const Finding &finding) {
  for (const Operation &op : finding.accesses) {
    StringRef type = op.type;
    if (!type.starts_with("cp.async.bulk") && !type.starts_with("cp.reduce.async.bulk") &&
        !type.starts_with("wgmma"))
      continue;
    std::string hint = "put fence.proxy.async (cuda::ptx::fence_proxy_async) between the accesses, "
                       "by each thread that wrote, before the barrier that hands the bytes over";
    return type.contains(".tensor")
               ? hint + "; if they are a tensor map's, fence.proxy.tensormap release and acquire"
               : hint;
  }
  return "put the matching fence.proxy between the accesses";
}

/// D11: between kernels a plain load would race as well.
std::string coherentHint(const Finding &finding) {
  if (finding.distance == "between-kernels")
    return "order the kernels: one stream, an event, or cudaGridDependencySynchronize() before the "
           "read of a programmatic dependent launch";
  return "use a plain load, or do not write the memory during the kernel";
}

/// D12: nothing moves any more, a host loop only reads memory, or a wait is for who starts later.
std::string stuckOf(const Finding &finding) {
  const Operation &first = finding.accesses[0], &second = finding.accesses[1];
  if (!second.isKnown() && first.isKnown()) // a stream's wait for a value
    return "nothing can make progress any more: " + workName(first) +
           " waits for a value in memory that nothing is left to write";
  std::string waiter = actorIn(finding, second, first, true);
  if (finding.isHostLoop())
    return waiter + " waits in a loop for " + actorIn(finding, first, second, false) +
           " without a call of the CUDA API, so nothing promises that the kernel makes progress";
  if (finding.isUnpromisedWait())
    return waiter + " waits for " + actorIn(finding, first, second, false) +
           ", which starts later: nothing promises that it runs before the wait ends";
  return "nothing can make progress any more: " + waiter + " waits here";
}

std::string unstuckHint(const Finding &finding) {
  if (finding.isHostLoop())
    return "call cudaStreamQuery in every iteration, or wait with cudaStreamSynchronize";
  if (!finding.accesses[1].isKnown())
    return "write the value before the wait, or from a stream or a host thread that does not come "
           "after it";
  if (finding.isUnpromisedWait())
    return finding.distance == "same-grid"
               ? "launch cooperatively, wait for lower block numbers only, or number the blocks by "
                 "a "
                 "counter as they start"
               : "launch the kernel that is waited for first, or order the two by stream or event";
  return "make sure that a thread that runs ends every wait; blocks that wait for each other need "
         "a "
         "cooperative launch, or no more blocks than fit on the device";
}

std::string memoryKind(StringRef kind) {
  static const std::map<StringRef, StringRef> Words = {{"shared", "shared variable"},
                                                       {"dynamic-shared", "shared"},
                                                       {"variable", "device variable"},
                                                       {"constant", "constant variable"},
                                                       {"heap", "device heap"},
                                                       {"array", "CUDA array"},
                                                       {"managed", "managed memory"},
                                                       {"device", "device memory"},
                                                       {"host-mapped", "mapped host memory"},
                                                       {"host-pinned", "pinned host memory"}};
  auto it = Words.find(kind);
  return it == Words.end() ? kind.str() : it->second.str();
}

/// D6 and its advisory, which knows one access only.
std::string nonAtomicOf(const Finding &finding) {
  const Operation &first = finding.accesses[0], &second = finding.accesses[1];
  std::string access = describeShort(second) + " by " + actorIn(finding, second, first, true);
  std::string where = " on " + memoryKind(finding.memory.kind);
  if (!first.isKnown())
    return access + where + ", where it is not atomic";
  return describeShort(first) + " by " + actorIn(finding, first, second, false) + " and " + access +
         where + ", where they are not atomic towards each other";
}

std::string expand(StringRef pattern, const Finding &finding) {
  const Operation &first = finding.accesses[0], &second = finding.accesses[1];
  unsigned narrow = narrowIndex(finding);
  std::string by[2] = {actorIn(finding, first, second, false),
                       actorIn(finding, second, first, true)};
  const std::map<StringRef, std::string> values = {
      {"1", describeShort(first)},
      {"2", describeShort(second)},
      {"1by", by[0]},
      {"2by", by[1]},
      {"narrow", describeShort(finding.accesses[narrow])},
      {"narrowby", by[narrow]},
      {"otherby", by[1 - narrow]},
      {"otherverb", otherVerb(finding)},
      {"gap", gapOf(finding)},
      {"must", mustOf(finding)},
      {"blamed", blamedPhrase(finding)},
      {"needs", neededScope(finding)},
      {"lifetime", lifetimeOf(finding)},
      {"alive", aliveHint(finding)},
      {"nonatomic", nonAtomicOf(finding)},
      {"barrier", barrierTitle(finding)},
      {"unbarrier", barrierHint(finding)},
      {"inflight", inFlightTitle(finding, by)},
      {"uninflight", inFlightHint(finding, mustOf(finding))},
      {"proxyfence", proxyHint(finding)},
      {"coherent", coherentHint(finding)},
      {"stuck", stuckOf(finding)},
      {"unstuck", unstuckHint(finding)},
  };
  std::string result;
  while (!pattern.empty()) {
    auto [text, rest] = pattern.split('{');
    result += text;
    if (rest.empty())
      break;
    auto [name, after] = rest.split('}');
    auto value = values.find(name);
    result += value == values.end() ? "{" + name.str() + "}" : value->second;
    pattern = after;
  }
  return result;
}

std::string verbNoun(const Operation &op) {
  static const std::map<StringRef, StringRef> Weak = {{"load", "read"}, {"store", "write"}};
  static const std::map<StringRef, StringRef> Strong = {
      {"load", "load"},         {"store", "store"},
      {"rmw", "atomic update"}, {"cas", "compare-exchange"},
      {"red", "reduction"},     {"fence", "fence"},
      {"copy", "copy"}};
  if (op.isLife())
    return op.kind == "free"    ? "free"
           : op.kind == "alloc" ? "allocation"
           : op.kind == "enter" ? "start of the block"
                                : "end of the block's last thread";
  if (op.isWeak())
    if (auto it = Weak.find(op.kind); it != Weak.end())
      return it->second.str();
  auto it = Strong.find(op.kind);
  return it == Strong.end() ? "access" : it->second.str();
}

} // namespace

unsigned scopeRank(const std::string &scope) {
  static constexpr StringRef Order[] = {"thread", "block", "cluster", "device", "system"};
  for (unsigned i = 0; i < 5; ++i)
    if (Order[i] == scope)
      return i;
  return 0;
}

std::string describeCoverage(const Coverage &coverage) {
  auto counted = [](uint64_t n, const char *what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  return counted(coverage.executions, "execution") + " by " + counted(coverage.blocks, "block") +
         " in " + std::to_string(coverage.launches) +
         (coverage.launches == 1 ? " launch; " : " launches; ") +
         counted(coverage.edges, "synchronizes-with edge");
}

std::string describeShort(const Operation &op) {
  if (!op.isKnown())
    return "access";
  if (op.isWeak())
    return verbNoun(op);
  std::string result = op.scope + "-scope ";
  if (op.isVolatile)
    result = "volatile ";
  if (op.order == "acquire" || op.order == "release" || op.order == "acq_rel")
    result += op.order == "acq_rel" ? "acquire-release " : op.order + " ";
  return result + verbNoun(op);
}

std::string describeLong(const Operation &op) {
  if (!op.isKnown())
    return "an access that is not known";
  std::string result;
  if (op.isLife())
    return verbNoun(op);
  if (op.bytes)
    result = std::to_string(op.bytes) + "-byte ";
  if (op.isVolatile)
    result += "volatile ";
  result += op.order == "sc" ? "seq_cst" : op.order;
  result += " " + verbNoun(op);
  if (!op.type.empty() && op.kind != "fence")
    result += " of " + op.type;
  if (!op.isWeak())
    result += " at " + op.scope + " scope";
  return result;
}

std::string describeActor(const Operation &op) {
  std::string result;
  llvm::raw_string_ostream out(result);
  if (op.isHostFunction)
    return hostFunctionName(op) + streamDetail(op);
  if (op.kernel.empty()) {
    if (op.hostThread)
      out << hostThread(op) << (op.api.empty() ? "" : " in " + op.api);
    else
      out << (op.api.empty() ? "the host" : op.api);
    if (!op.isHost)
      out << " on stream " << op.stream << streamDetail(op);
    return result;
  }
  auto dim = [&](const char *what, const Coordinates &c) {
    out << ", " << what << " (" << c[0] << ',' << c[1] << ',' << c[2] << ')';
  };
  out << "kernel " << shortFunctionName(op.kernel);
  if (op.launch)
    out << ", launch " << op.launch;
  if (op.stream)
    out << " on stream " << op.stream << streamDetail(op);
  if (op.device)
    out << " of device " << op.device;
  if (op.domain.value_or(0))
    out << ", memory-synchronization domain " << *op.domain;
  dim("block", op.block);
  dim("thread", op.thread);
  out << ", warp " << op.warp << " lane " << op.lane;
  return result;
}

std::string describeMemory(const Memory &memory) {
  std::string result;
  llvm::raw_string_ostream out(result);
  if (memory.kind == "none")
    return "";
  if (memory.kind == "unknown")
    return "memory that no known allocation covers";
  uint64_t last = memory.offset + (memory.bytes ? memory.bytes - 1 : 0);
  bool isWhole = memory.size && memory.offset == 0 && memory.bytes == *memory.size;
  if (!isWhole) {
    out << (last == memory.offset ? "byte " : "bytes ") << memory.offset;
    if (last != memory.offset)
      out << '-' << last;
    out << " of ";
  }
  if (memory.index) {
    if (memory.size)
      out << *memory.size << "-byte ";
    out << memory.name << " #" << *memory.index << " (" << memoryKind(memory.kind) << ')';
  } else if (memory.kind == "dynamic-shared") {
    out << "dynamic shared memory";
  } else {
    out << '`' << memory.name << "` (";
    if (memory.size)
      out << *memory.size << (*memory.size == 1 ? " byte, " : " bytes, ");
    out << memoryKind(memory.kind) << ')';
  }
  if (memory.freed)
    out << ", already freed";
  return result;
}

std::string describePosition(const Frame &frame) {
  std::string result = frame.file.empty() ? "<unknown file>" : frame.file;
  if (frame.line)
    result += ":" + std::to_string(frame.line);
  if (frame.line && frame.column)
    result += ":" + std::to_string(frame.column);
  return result;
}

/// A fence that nothing needs has words of its own, and so has one that a seq_cst operation
/// brought.
static const TitleRow &rowOf(const Finding &finding) {
  if (finding.name != "over-synchronized" || !finding.blamed.empty())
    return titleRow(finding.name);
  return titleRow(finding.accesses[0].placeIndex() && finding.accesses[0].isFromAtomic()
                      ? "over-synchronized/seq_cst"
                      : "over-synchronized/unused");
}
std::string titleOf(const Finding &finding) { return expand(rowOf(finding).title, finding); }
std::string hintOf(const Finding &finding) {
  if (!copyNoteOf(finding).empty())
    return "synchronize with the copy's stream (cudaStreamSynchronize) before the other work "
           "starts, "
           "or copy from pinned memory in that work's stream; --pageable-copy=complete takes such "
           "copies as complete when they return";
  return expand(rowOf(finding).hint, finding);
}

std::string copyNoteOf(const Finding &finding) {
  for (const Operation &op : finding.accesses)
    if (op.staged && finding.name == "data-race")
      return "from pageable memory: " + op.api +
             " returns when the source is staged, perhaps before the data is on the device, and "
             "nothing orders other streams (non-blocking ones) after it";
  return "";
}

std::string summaryOf(const Finding &finding) {
  for (const SummaryRow &row : Summaries)
    if (row.name == finding.name)
      return row.summary.str();
  return "";
}

} // namespace scopesan::report

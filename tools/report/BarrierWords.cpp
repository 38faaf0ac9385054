#include "BarrierWords.h"

#include "llvm/ADT/StringRef.h"

namespace scopesan::report {
namespace {

using llvm::StringRef;

std::string counted(uint64_t n, const char *what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// "thread 3 (warp 0)", with its block where that matters.
std::string threadOf(const Finding &finding, unsigned i) {
  const Operation &op = finding.accesses[i];
  const Coordinates &t = op.thread;
  std::string result = "thread ";
  if (t[1] || t[2])
    result +=
        "(" + std::to_string(t[0]) + "," + std::to_string(t[1]) + "," + std::to_string(t[2]) + ")";
  else
    result += std::to_string(t[0]);
  result += " (warp " + std::to_string(op.warp);
  if (finding.distance == "same-cluster")
    result += " of block " + std::to_string(op.block[0]);
  return result + ")";
}

bool hasOther(const Finding &finding) {
  const Operation &a = finding.accesses[0], &b = finding.accesses[1];
  return a.thread != b.thread || a.block != b.block;
}

std::string nameOf(const Finding &finding) {
  const BarrierUse &b = *finding.barrier;
  if (b.kind == "cluster")
    return "the cluster barrier";
  if (b.kind == "block")
    return "block barrier " + std::to_string(b.number);
  bool isNamed = !finding.memory.name.empty() && !finding.memory.index &&
                 finding.memory.kind != "dynamic-shared";
  return isNamed ? "mbarrier `" + finding.memory.name + "`" : "an mbarrier";
}

std::string missing(const Finding &finding) {
  const BarrierUse &b = *finding.barrier;
  std::string result = nameOf(finding) + " never completes: " + std::to_string(b.arrived) + " of " +
                       counted(b.expected, b.kind == "mbarrier" ? "arrival" : "thread");
  result += b.kind == "mbarrier" ? "" : " arrived";
  if (b.lackingBytes)
    result += ", " + counted(b.lackingBytes, "byte") + " of copies are missing";
  result += "; " + threadOf(finding, 0) + " and " + std::to_string(b.here ? b.here - 1 : 0) +
            " more of its block wait there";
  if (hasOther(finding))
    result += ", " + threadOf(finding, 1) + " is elsewhere";
  else if (!b.elsewhere && b.kind == "block")
    result += ", and there are no others";
  return result;
}

std::string twoCounts(const Finding &finding) {
  const BarrierUse &b = *finding.barrier;
  std::string result = threadOf(finding, 1) + " arrives at " + nameOf(finding) +
                       " with a count of " + std::to_string(b.arrived) + ", ";
  result += hasOther(finding) ? threadOf(finding, 0) : "another thread";
  return result + " with " + std::to_string(b.expected);
}

/// What to do where threads are missing.
std::string missingHint(const Finding &finding) {
  const BarrierUse &b = *finding.barrier;
  if (b.kind == "mbarrier")
    return "initialise it with the number of arrivals that each phase really gets, before any "
           "thread uses it (an arrival before the initialisation is lost), or add what is missing "
           "(arrive, expect_tx with the bytes of the copies)";
  if (b.kind == "cluster")
    return "let every thread of every block of the cluster reach it";
  return "let all " + std::to_string(b.expected) +
         " threads reach it (move it out of the branch), or give a named barrier the count of "
         "those "
         "that come";
}

} // namespace

std::string barrierTitle(const Finding &finding) {
  if (!finding.barrier)
    return "a barrier is reached by the wrong threads or with the wrong count";
  const BarrierUse &b = *finding.barrier;
  std::string who = threadOf(finding, 1), what = nameOf(finding);
  if (b.misuse == "missing")
    return missing(finding);
  if (b.misuse == "part-of-warp")
    return who + " arrives at " + what + " with a count of " + std::to_string(b.expected) +
           ", which is no multiple of the warp size";
  if (b.misuse == "two-counts")
    return twoCounts(finding);
  if (b.misuse == "divergent")
    return who + " reaches " + what + " in another place than " +
           (hasOther(finding) ? threadOf(finding, 0) : "other lanes") +
           " of the same warp, though the barrier is an aligned one";
  if (b.misuse == "uninitialised")
    return who + " uses " + what + " before it is initialised";
  if (b.misuse == "in-use")
    return who + " initialises " + what +
           " again while it is in use: " + std::to_string(b.arrived) + " of " +
           counted(b.expected, "arrival") + " of the phase were there";
  if (b.misuse == "too-many")
    return who + " arrives at " + what + " as number " + std::to_string(b.arrived) +
           " of a phase that expects " + counted(b.expected, "arrival");
  if (b.misuse == "count-range")
    return who + " initialises " + what + " with a count of " + std::to_string(b.expected) +
           ", which is not in 1-1048575";
  if (b.misuse == "completes")
    return who + " completes a phase of " + what + " with an arrival that must not (.noComplete)";
  if (b.misuse == "outside-mask")
    return who + " waits for lanes of its warp with a mask that it is not in itself";
  return who + " arrives at " + what + " twice, or waits for it without having arrived";
}

std::string barrierHint(const Finding &finding) {
  StringRef misuse = finding.barrier ? StringRef(finding.barrier->misuse) : StringRef();
  if (misuse == "missing")
    return missingHint(finding);
  if (misuse == "part-of-warp")
    return "use a multiple of 32";
  if (misuse == "two-counts")
    return "name the same count in every arrival of a barrier's generation";
  if (misuse == "divergent")
    return "let all lanes of a warp execute the same barrier: move it out of the branch";
  if (misuse == "uninitialised")
    return "initialise it in one thread, then let all others wait (__syncthreads(), cluster.sync() "
           "for "
           "blocks of a cluster) before they use it: it is initialised too late";
  if (misuse == "in-use")
    return "wait for the phase to complete, and for every thread that waits on it, before it is "
           "initialised again";
  if (misuse == "too-many")
    return "initialise it with the number of arrivals of a phase, or wait for the phase before "
           "arriving again";
  if (misuse == "count-range")
    return "initialise it with the number of arrivals of a phase";
  if (misuse == "completes")
    return "let an arrival without .noComplete be the last one of a phase";
  if (misuse == "outside-mask")
    return "name all lanes that execute the __syncwarp() in its mask, the calling one included";
  if (misuse == "unpaired")
    return "let one barrier.cluster.wait follow each barrier.cluster.arrive of a thread";
  return "make every thread that the barrier counts reach it";
}

std::string barrierRole(const Finding &finding, unsigned i) {
  StringRef misuse = finding.barrier ? StringRef(finding.barrier->misuse) : StringRef("missing");
  if (misuse == "missing")
    return i == 0 || finding.accesses[0].frames == finding.accesses[1].frames ? "waits here"
                                                                              : "is here";
  if (misuse == "in-use" || misuse == "count-range")
    return "initialises it here";
  if (misuse == "outside-mask")
    return "waits here";
  if (misuse == "uninitialised")
    return "uses it here";
  return i == 0 ? "arrived here" : "arrives here";
}

} // namespace scopesan::report

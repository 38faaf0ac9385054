#include "CopyWords.h"

#include "Words.h"

namespace scopesan::report {
namespace {

bool inOneBlock(const Finding &finding) {
  return finding.distance == "same-thread" || finding.distance == "same-warp" ||
         finding.distance == "same-block";
}

/// Atomics and reducing copies: strong, yet not towards each other.
bool areAtomicApart(const Operation &a, const Operation &b) {
  return !a.isWeak() && !b.isWeak() && a.proxy != b.proxy;
}

/// The access comes after the copy's issue.
std::string waitHint(const Finding &finding) {
  if (finding.distance == "same-thread")
    return "wait for the copy (its wait_group or its mbarrier) before touching its source or "
           "destination";
  if (inOneBlock(finding))
    return "let the thread that issued the copy wait for it (wait_group) and put a barrier after "
           "that, or wait for the copy's mbarrier in every thread that touches it";
  return "only the thread that issued the copy can wait for its group: wait there (wait_group; "
         ".read is not enough for what the copy writes), then release to the other thread";
}

} // namespace

bool isOwnSource(const Finding &finding) {
  return finding.name == "lifetime" && finding.accesses[0].kind == "exit" &&
         finding.accesses[1].isAsynchronous && finding.distance == "same-block";
}

std::string ownSourceHint() {
  return "let the thread that issued the copy wait until its source is read "
         "(cp.async.bulk.wait_group.read 0) before it returns";
}

std::string inFlightTitle(const Finding &finding, const std::string (&by)[2]) {
  const Operation &first = finding.accesses[0], &second = finding.accesses[1];
  std::string what = describeShort(second) + (second.isAsynchronous ? " of a copy by " : " by ");
  if (second.isAsynchronous && !first.isAsynchronous)
    return what + by[1] + " is not ordered after the " + describeShort(first) + " by " + by[0];
  return what + by[1] + " touches a copy in flight from " + by[0];
}

std::string inFlightHint(const Finding &finding, const std::string &must) {
  const Operation &first = finding.accesses[0], &second = finding.accesses[1];
  if (areAtomicApart(first, second))
    return "an atomic and a reducing copy go through different proxies and are not atomic towards "
           "each other: order them, with fence.proxy.async between, or reduce in one way only";
  if (!second.isAsynchronous)
    return waitHint(finding);
  if (first.isAsynchronous)
    return "wait for the first copy before the second is issued" +
           (finding.distance == "same-thread" ? std::string() : ": " + must);
  return must + ", before the copy is issued: waiting for the copy comes too late for this";
}

} // namespace scopesan::report

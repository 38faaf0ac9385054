#include "names.h"

namespace scopesan::host {
namespace {

template <class Enum, unsigned N> const char *pick(const char *const (&names)[N], Enum value) {
  unsigned i = static_cast<unsigned>(value);
  return i < N ? names[i] : "unknown";
}

} // namespace

const char *nameOf(abi::AccessKind kind) {
  static const char *const Names[] = {"load", "store", "rmw",  "cas",   "red", "fence",
                                      "copy", "alloc", "free", "enter", "exit"};
  return pick(Names, kind);
}
const char *nameOf(abi::MemoryOrder order) {
  static const char *const Names[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"};
  return pick(Names, order);
}
const char *nameOf(abi::Scope scope) {
  static const char *const Names[] = {"thread", "block", "cluster", "device", "system"};
  return pick(Names, scope);
}
const char *nameOf(abi::Proxy proxy) {
  static const char *const Names[] = {"generic", "async",   "tensormap", "non-coherent",
                                      "surface", "texture", "constant",  "constant-bank"};
  return pick(Names, proxy);
}
const char *nameOf(core::Hazard hazard) {
  static const char *const Names[] = {"none", "WAW", "RAW", "WAR"};
  return pick(Names, hazard);
}
const char *nameOf(core::Distance distance) {
  static const char *const Names[] = {"same-thread",     "same-warp",   "same-block",
                                      "same-cluster",    "same-grid",   "between-kernels",
                                      "between-domains", "host-device", "host-threads"};
  return pick(Names, distance);
}
const char *nameOf(core::Misuse misuse) {
  static const char *const Names[] = {"none",      "missing",       "part-of-warp", "two-counts",
                                      "divergent", "uninitialised", "in-use",       "too-many",
                                      "unpaired",  "count-range",   "completes",    "outside-mask"};
  return pick(Names, misuse);
}
const char *nameOf(core::BarrierKind kind) {
  static const char *const Names[] = {"block", "cluster", "mbarrier", "warp"};
  return pick(Names, kind);
}
const char *nameOf(MemoryKind kind) {
  static const char *const Names[] = {"device",   "managed",  "host-mapped", "host-pinned",
                                      "variable", "constant", "heap",        "array"};
  return pick(Names, kind);
}

const char *nameOf(StreamKind kind) {
  static const char *const Names[] = {"unknown", "legacy", "per-thread", "blocking",
                                      "non-blocking"};
  return pick(Names, kind);
}

const RuleText &textOf(core::Rule rule) {
  static const RuleText Texts[] = {
#define SCOPESAN_RULE(id, enumerator, name, isAdvisory, summary) {id, name, isAdvisory},
#include "scopesan/core/rules.def"
  };
  return Texts[static_cast<unsigned>(rule)];
}

} // namespace scopesan::host

#include "Places.h"

#include "Needs.h"

namespace scopesan::litmus {

namespace {

class Placer {
public:
  Placer(const Program &program, Places &out) : P(program), Out(out) {}

  void run() {
    Out.of.resize(P.locations.size());
    for (uint32_t l = 0; l < P.locations.size(); ++l) {
      if (P.locations[l].isLocal)
        Out.of[l].space = Space::Local;
      if (P.locations[l].sharedOf != None)
        share(l, P.locations[l].sharedOf);
    }
    mbarriers();
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      for (const Instr &i : P.threads[t].code)
        if (i.verb == Verb::AsyncCopy)
          copy(t, i);
    byName();
    offsets();
    for (const ThreadCode &t : P.threads)
      Out.managed |= t.at.host || t.at.device != P.threads[0].at.device;
  }

private:
  void share(uint32_t location, uint32_t owner) {
    Place &at = Out.of[P.root(location)];
    if (at.space == Space::Shared)
      return;
    at.space = Space::Shared;
    at.owner = owner;
  }

  /// An mbarrier lies in the block of whoever waits for it, else of who sets it up or arrives.
  void mbarriers() {
    for (Verb verb : {Verb::MbarWait, Verb::MbarInit, Verb::MbarArrive})
      for (uint32_t t = 0; t < P.threads.size(); ++t)
        for (const Instr &i : P.threads[t].code)
          if (i.verb == verb)
            share(i.location, t);
  }

  /// Copies with an mbarrier write the shared memory of its block, groups of bulk copies read that
  /// of their issuer, cp.async writes that of its issuer.
  void copy(uint32_t thread, const Instr &i) {
    const AsyncPart &a = i.async;
    bool intoShared = a.kind == AsyncKind::CpAsync || writesShared(i);
    if (intoShared && a.destination != None)
      share(a.destination, a.mbarrier != None ? ownerOf(a.mbarrier, thread) : readerOf(a, thread));
    if (!intoShared && a.source != None)
      share(a.source, thread);
    if (a.mbarrier != None)
      share(a.mbarrier, thread);
    if (i.text.starts_with("wgmma"))
      return;
    uint32_t end = intoShared ? a.source : a.destination;
    if (end == None && !a.generic)
      Out.scratchGlobal = 0;
    if (!intoShared && a.source == None)
      Out.scratchShared = 0;
    if (intoShared && a.kind == AsyncKind::Bulk && a.mbarrier == None)
      Out.scratchMbarrier = 0;
  }
  uint32_t ownerOf(uint32_t mbarrier, uint32_t otherwise) const {
    const Place &at = Out.of[P.root(mbarrier)];
    return at.space == Space::Shared ? at.owner : otherwise;
  }
  /// A remote destination without an mbarrier belongs to the thread that also accesses it.
  uint32_t readerOf(const AsyncPart &a, uint32_t issuer) const {
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      for (const Instr &i : P.threads[t].code)
        if (t != issuer && i.isMemory() && P.root(i.location) == P.root(a.destination) &&
            !P.sameBlock(t, issuer))
          return t;
    return issuer;
  }
  bool writesShared(const Instr &i) const {
    if (i.async.mbarrier != None || i.async.generic)
      return true;
    // "g->s" without an mbarrier: the names tell.
    return i.async.destination != None && !i.async.reduces &&
           P.locations[i.async.destination].name.starts_with("s");
  }

  /// "s", "smemA": shared memory of the one block that accesses it.
  void byName() {
    for (uint32_t l = 0; l < P.locations.size(); ++l) {
      const std::string &name = P.locations[l].name;
      if ((name != "s" && !name.starts_with("smem")) || Out.of[l].space != Space::Global ||
          P.root(l) != l)
        continue;
      uint32_t first = None;
      bool oneBlock = true;
      for (uint32_t t = 0; t < P.threads.size(); ++t)
        for (const Instr &i : P.threads[t].code)
          if (i.location != None && P.root(i.location) == l) {
            first = first == None ? t : first;
            oneBlock &= P.sameBlock(first, t) || first == t;
          }
      if (first != None && oneBlock && !P.threads[first].at.host && !hasViews(l))
        share(l, first);
    }
  }
  bool hasViews(uint32_t root) const {
    for (uint32_t l = 0; l < P.locations.size(); ++l)
      if (l != root && P.root(l) == root)
        return true;
    return false;
  }

  bool isAccessed(uint32_t location) const {
    for (const ThreadCode &t : P.threads)
      for (const Instr &i : t.code)
        if (i.isMemory() && i.location == location && !uses(P, "multimem"))
          return true;
    return false;
  }
  /// A factor of a wgmma.
  bool isMatrix(uint32_t location) const {
    for (const ThreadCode &t : P.threads)
      for (const Instr &i : t.code)
        if (i.text.starts_with("wgmma.mma_async") && i.async.source == location)
          return true;
    return false;
  }

  void offsets() {
    auto take = [](uint32_t &total, uint32_t bytes = LocationBytes) {
      total += bytes;
      return total - bytes;
    };
    bool anyMap = false;
    for (uint32_t l = 0; l < P.locations.size(); ++l) {
      bool map = isTensorMap(P, l);
      anyMap |= map;
      if (P.root(l) == l && Out.of[l].space != Space::Local)
        Out.of[l].offset =
            take(Out.of[l].space == Space::Shared ? Out.sharedBytes : Out.globalBytes,
                 map || isMatrix(l) ? LargeBytes : LocationBytes);
    }
    if (anyMap)
      Out.scratchGlobal = Out.scratchShared = Out.scratchMbarrier = 0;
    for (uint32_t l = 0; l < P.locations.size(); ++l) {
      if (P.root(l) == l)
        continue;
      Out.of[l] = Out.of[P.root(l)];
      if (P.locations[l].distinctAddress && isAccessed(l))
        Out.of[l].mapping = Out.mappings++;
    }
    if (Out.scratchGlobal != None)
      Out.scratchGlobal = take(Out.globalBytes);
    if (Out.scratchShared != None && anyMap)
      Out.sharedBytes = (Out.sharedBytes + LargeBytes - 1) / LargeBytes * LargeBytes;
    if (Out.scratchShared != None)
      Out.scratchShared = take(Out.sharedBytes);
    if (Out.scratchMbarrier != None)
      Out.scratchMbarrier = take(Out.sharedBytes);
  }

  const Program &P;
  Places &Out;
};

} // namespace

Places::Places(const Program &p) { Placer(p, *this).run(); }

} // namespace scopesan::litmus

#include "AdviceCheck.h"

#include "Print.h"
#include "axiomatic/FromExecution.h"

#include <algorithm>
#include <set>

namespace scopesan::litmus {

namespace {

using Pairs = std::set<RacePair>;

RacePair pairOf(SiteOf a, SiteOf b) {
  bool swapped = std::pair(b.thread, b.instr) < std::pair(a.thread, a.instr);
  return swapped ? RacePair{b, a} : RacePair{a, b};
}

/// The relations of one execution, as pairs of instructions.
class Axioms {
public:
  Axioms(const Program &p, const State &end) : C(candidateOf(p, end, false)) {
    if (C)
      S.emplace(*C);
  }
  bool valid() const { return C.has_value(); }
  Pairs races(RaceReading r, Observation o = {}, bool volatiles = true) const {
    return pairs(litmus::races(*C, *S, derive(*C, *S, o, volatiles), r));
  }
  /// Morally strong conflicting pairs of different threads that nothing orders.
  Pairs unorderedStrong() const {
    Derived d = derive(*C, *S);
    Relation out(C->size());
    for (uint32_t i = 0; i < C->size(); ++i)
      for (uint32_t j = i + 1; j < C->size(); ++j)
        if (C->events[j].kind == EventKind::Write && S->sameLocation.has(i, j) &&
            S->morallyStrong.has(i, j) && C->events[i].thread != C->events[j].thread &&
            !d.baseCausality.has(i, j))
          out.add(i, j);
    return pairs(out);
  }

private:
  Pairs pairs(const Relation &r) const {
    Pairs out;
    for (uint32_t a = 0; a < C->size(); ++a)
      for (EventSet set = r.row(a); set; set &= set - 1) {
        const Event &x = C->events[a], &y = C->events[__builtin_ctzll(set)];
        out.insert(pairOf({x.thread, x.instr}, {y.thread, y.instr}));
      }
    return out;
  }
  std::optional<Candidate> C;
  std::optional<StaticRelations> S;
};

class Check {
public:
  Check(const Program &p, const DifferentialOptions &options)
      : P(p), Options(options), M(p), Sites(p) {}

  AdviceResult run() {
    explore(M, Options.limits,
            [&](const State &end, bool finished) { return !finished || compare(end); });
    return R;
  }

private:
  Pairs pairsOf(const Judgement &j, core::Rule rule) const {
    Pairs out;
    for (const core::Finding &f : j.findings)
      if (f.rule == rule)
        out.insert(pairOf(Sites.of(f.first.site), Sites.of(f.second.site)));
    return out;
  }
  /// What the verdict says: rules, pairs and blame.
  std::multiset<std::string> verdictOf(const Judgement &j) const {
    std::multiset<std::string> out;
    for (const core::Finding &f : j.findings) {
      if (!isRace(f.rule) && f.rule != core::Rule::ProgressNotPromised)
        continue;
      std::string text = std::to_string(unsigned(f.rule)) + " " +
                         std::to_string(f.first.site.value) + " " +
                         std::to_string(f.second.site.value);
      for (uint32_t b = 0; b < f.blamedCount; ++b)
        text += " " + std::to_string(f.blamed[b].site.value) + ":" +
                std::to_string(unsigned(f.blamed[b].needs));
      out.insert(text);
    }
    for (const std::string &g : j.givenUp)
      out.insert(g);
    return out;
  }
  /// Where volatile accesses order pairs, the shadow keeps more with advice, and so more pairs of
  /// the same race may be named.
  bool sameVerdict(const std::multiset<std::string> &plain,
                   const std::multiset<std::string> &advised) const {
    bool volatiles = false;
    for (const ThreadCode &t : P.threads)
      for (const Instr &i : t.code)
        volatiles |= i.isVolatile;
    if (!volatiles)
      return plain == advised;
    return plain.empty() == advised.empty() &&
           std::includes(advised.begin(), advised.end(), plain.begin(), plain.end());
  }
  std::set<uint32_t> locations(const Pairs &pairs) const {
    std::set<uint32_t> out;
    for (const RacePair &r : pairs)
      out.insert(P.root(P.threads[r.first.thread].code[r.first.instr].location));
    return out;
  }

  bool compare(const State &end) {
    Axioms a(P, end);
    if (!a.valid())
      return true;
    ++R.executions;
    core::DetectorOptions options;
    options.cxxMode = Options.cxxMode;
    Judgement plain = judge(M, Sites, end, options);
    options.advise = true;
    Judgement j = judge(M, Sites, end, options);
    if (!sameVerdict(verdictOf(plain), verdictOf(j)))
      return fail(end, "the verdict differs with advice", {});
    Pairs soft = pairsOf(j, core::Rule::VolatileSync),
          observed = pairsOf(j, core::Rule::ObservationOnly),
          unordered = pairsOf(j, core::Rule::UnorderedStrong), found;
    R.volatileSync += soft.size();
    R.observationOnly += observed.size();
    R.unorderedStrong += unordered.size();
    for (const core::Finding &f : j.findings)
      if (isRace(f.rule))
        found.insert(pairOf(Sites.of(f.first.site), Sites.of(f.second.site)));
    return comparePairs(end, a, soft, observed, unordered, found) && compareNarrowed(end, a, j);
  }

  bool comparePairs(const State &end, const Axioms &a, const Pairs &soft, const Pairs &observed,
                    const Pairs &unordered, const Pairs &found) {
    Pairs cxx = a.races(RaceReading::Cxx);
    if (!contains(cxx, observed))
      return fail(end, "observation-only, but ordered", observed);
    if (!contains(a.unorderedStrong(), unordered))
      return fail(end, "unordered-strong, but ordered", unordered);
    Pairs withoutVolatile =
        Options.cxxMode ? Pairs() : a.races(RaceReading::Ptx, {.strongWritesOnly = true}, false);
    if (!contains(withoutVolatile, soft))
      return fail(end, "volatile-sync, but ordered otherwise", soft);
    for (const RacePair &r : soft)
      if (cxx.count(r))
        return fail(end, "volatile-sync, but unordered", soft);
    std::set<uint32_t> told;
    for (const Pairs *p : {&found, &soft, &observed})
      told.merge(locations(*p));
    if (!Options.cxxMode && !contains(told, locations(cxx)))
      return fail(end, "no observation-only and no finding", cxx);
    Pairs least = Options.cxxMode
                      ? Pairs()
                      : a.races(RaceReading::Ptx, {.wholeRmw = true, .coversEarlier = true}, false);
    if (!contains(told, locations(least)))
      return fail(end, "no volatile-sync and no finding", least);
    return true;
  }
  template <class T> static bool contains(const std::set<T> &all, const std::set<T> &some) {
    for (const T &x : some)
      if (!all.count(x))
        return false;
    return true;
  }

  // ------------------------------------------------------------------ over-synchronized

  /// The program that follows all advice about this execution has no new races in it.
  bool compareNarrowed(const State &end, const Axioms &before, const Judgement &j) {
    Program narrow = P;
    std::string followed;
    for (const core::ScopeUse &use : j.scopeUses) {
      SiteOf s = Sites.of(use.example.site);
      Instr &i = narrow.threads[s.thread].code[s.instr];
      bool isUnused = i.verb == Verb::Fence && !use.isNeeded;
      if (!isUnused && use.needed >= i.scope)
        continue;
      followed +=
          "  " + siteName(P, s) + " needs " + (isUnused ? "nothing" : scopeName(use.needed)) + "\n";
      ++(isUnused ? R.removed : R.narrowed);
      if (isUnused)
        i.verb = Verb::Nop;
      else
        i.scope = use.needed;
    }
    RaceReading reading = Options.cxxMode ? RaceReading::Cxx : RaceReading::Ptx;
    if (followed.empty() || contains(before.races(reading), Axioms(narrow, end).races(reading)))
      return true;
    fail(end, "races after following the advice", Axioms(narrow, end).races(reading));
    R.problem += followed;
    return false;
  }

  bool fail(const State &end, const std::string &what, const Pairs &pairs) {
    R.problem = what + "\n" + printExecution(P, end);
    for (const RacePair &r : pairs)
      R.problem += "  " + siteName(P, r.first) + " ~ " + siteName(P, r.second) + "\n";
    return false;
  }

  const Program &P;
  const DifferentialOptions &Options;
  Machine M;
  SiteTable Sites;
  AdviceResult R;
};

} // namespace

AdviceResult checkAdvice(const Program &p, const DifferentialOptions &options) {
  return Check(p, options).run();
}

} // namespace scopesan::litmus

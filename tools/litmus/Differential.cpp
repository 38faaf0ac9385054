#include "Differential.h"

#include "Print.h"
#include "RowParser.h"
#include "axiomatic/FromExecution.h"

#include <set>

namespace scopesan::litmus {

namespace {

std::string pairsText(const Program &p, const std::set<RacePair> &pairs) {
  std::string out;
  for (const RacePair &r : pairs)
    out += "  " + siteName(p, r.first) + " ~ " + siteName(p, r.second) + "\n";
  return out;
}

class Comparison {
public:
  Comparison(const Program &p, const DifferentialOptions &options)
      : P(p), Options(options), M(p), Sites(p) {
    Detector.cxxMode = options.cxxMode;
  }

  DifferentialResult run() {
    ExploreResult e = explore(M, Options.limits, [&](const State &end, bool finished) {
      return !finished || check(end);
    });
    R.exhaustive = e.exhaustive;
    return R;
  }

private:
  std::set<RacePair> byAxioms(const State &end, bool scFences, Observation o = {}) {
    std::set<RacePair> out;
    std::optional<Candidate> c = candidateOf(P, end, scFences);
    if (!c)
      return out;
    StaticRelations s(*c);
    Relation r =
        races(*c, s, derive(*c, s, o), Options.cxxMode ? RaceReading::Cxx : RaceReading::Ptx);
    for (uint32_t a = 0; a < c->size(); ++a)
      for (EventSet set = r.row(a); set; set &= set - 1) {
        const Event &x = c->events[a], &y = c->events[__builtin_ctzll(set)];
        RacePair p{{x.thread, x.instr}, {y.thread, y.instr}};
        if (Sites.site(y.thread, y.instr) < Sites.site(x.thread, x.instr))
          std::swap(p.first, p.second);
        out.insert(p);
      }
    return out;
  }
  std::set<RacePair> byDetector(const State &end) {
    std::set<RacePair> out;
    for (const core::Finding &f : judge(M, Sites, end, Detector).findings)
      if (isRace(f.rule)) {
        RacePair p{Sites.of(f.first.site), Sites.of(f.second.site)};
        if (f.second.site < f.first.site)
          std::swap(p.first, p.second);
        out.insert(p);
      }
    return out;
  }
  uint32_t locationOf(const RacePair &r) const {
    return P.root(P.threads[r.first.thread].code[r.first.instr].location);
  }

  bool check(const State &end) {
    ++R.executions;
    std::set<RacePair> expected = byAxioms(end, false), found = byDetector(end);
    R.racyExecutions += !expected.empty();
    if (!expected.empty() && byAxioms(end, true).empty())
      ++R.orderedByScFences;
    for (const RacePair &r : found)
      if (!expected.count(r)) {
        if (!byAxioms(end, false, {.strongWritesOnly = true}).count(r))
          return differ(Difference::Invented, end, expected, found);
        ++R.ownWeakObserved;
        break;
      }
    if (missing(expected, found)) {
      if (!missing(byAxioms(end, false, {.wholeRmw = true}), found))
        ++R.wholeRmwObserved;
      else if (!missing(byAxioms(end, false, {.wholeRmw = true, .coversEarlier = true}), found))
        ++R.earlierObserved;
      else
        return differ(Difference::Missed, end, expected, found);
    }
    return true;
  }
  /// Some location has an expected pair and no found one.
  bool missing(const std::set<RacePair> &expected, const std::set<RacePair> &found) const {
    std::set<uint32_t> at;
    for (const RacePair &r : found)
      at.insert(locationOf(r));
    for (const RacePair &r : expected)
      if (!at.count(locationOf(r)))
        return true;
    return false;
  }
  bool differ(Difference d, const State &end, const std::set<RacePair> &expected,
              const std::set<RacePair> &found) {
    R.difference = d;
    R.details = "execution:\n" + printExecution(P, end) + "axioms:\n" + pairsText(P, expected) +
                "detector:\n" + pairsText(P, found);
    return false;
  }

  const Program &P;
  const DifferentialOptions &Options;
  Machine M;
  SiteTable Sites;
  core::DetectorOptions Detector;
  DifferentialResult R;
};

} // namespace

DifferentialResult compareWithAxioms(const Program &p, const DifferentialOptions &options) {
  return Comparison(p, options).run();
}

ProgramText shrink(ProgramText text, const DifferentialOptions &options, Difference kind) {
  auto stillDiffers = [&](const ProgramText &t) {
    Program p = parseRow(t.row("shrink"));
    return p.notRunnable.empty() && compareWithAxioms(p, options).difference == kind;
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (size_t t = 0; t < text.ops.size() && !smaller; ++t) {
      ProgramText without = text;
      without.ops.erase(without.ops.begin() + t);
      without.positions.erase(without.positions.begin() + t);
      if (!without.names.empty())
        without.names.erase(without.names.begin() + t);
      if (!without.ops.empty() && stillDiffers(without)) {
        text = without;
        smaller = true;
      }
      for (size_t o = 0; !smaller && o < text.ops[t].size(); ++o) {
        without = text;
        without.ops[t].erase(without.ops[t].begin() + o);
        if (stillDiffers(without)) {
          text = without;
          smaller = true;
        }
      }
    }
  }
  return text;
}

} // namespace scopesan::litmus

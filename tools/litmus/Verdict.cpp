#include "Verdict.h"

#include <algorithm>
#include <set>

namespace scopesan::litmus {

namespace {

class Collector {
public:
  Collector(const Machine &m, const VerdictOptions &options)
      : M(m), Options(options), Sites(m.program()) {}

  Verdict run() {
    V.explored = explore(M, Options.limits, [&](const State &end, bool finished) {
      if (!finished || !M.satisfies(end, M.program().guard))
        return true;
      consider(end);
      return !(Options.stopAtFirstRace && V.racy);
    });
    if (V.considered == 0) // only loops that never end: judge what happened up to there
      explore(M, Options.limits, [&](const State &end, bool finished) {
        if (!finished && M.onlyLoops(end) && M.satisfies(end, M.program().guard))
          consider(end);
        return true;
      });
    return std::move(V);
  }

private:
  void consider(const State &end) {
    ++V.considered;
    V.stuck += !M.allDone(end);
    Judgement j = judge(M, Sites, end, Options.detector);
    for (unsigned c = 0; c < core::RuleCounters::Count; ++c)
      V.counters.values[c] += j.counters.values[c];
    std::set<RacePair> pairs;
    std::set<core::Rule> rules;
    for (const core::Finding &f : j.findings) {
      rules.insert(f.rule);
      if (!isRace(f.rule))
        continue;
      RacePair p{Sites.of(f.first.site), Sites.of(f.second.site)};
      if (f.second.site < f.first.site)
        std::swap(p.first, p.second);
      pairs.insert(p);
    }
    for (const RacePair &p : pairs)
      ++V.pairs[p];
    for (core::Rule r : rules)
      ++V.rules[r];
    for (const std::string &g : j.givenUp)
      if (std::find(V.givenUp.begin(), V.givenUp.end(), g) == V.givenUp.end())
        V.givenUp.push_back(g);
    if (pairs.empty())
      return;
    if (V.racy++ == 0) {
      V.witness = end;
      V.witnessFindings = j.findings;
    }
  }

  const Machine &M;
  const VerdictOptions &Options;
  SiteTable Sites;
  Verdict V;
};

} // namespace

Verdict decide(const Machine &m, const VerdictOptions &options) {
  return Collector(m, options).run();
}

} // namespace scopesan::litmus

#include "Compare.h"

namespace scopesan::litmus {

const char *outcomeName(Outcome o) {
  constexpr const char *names[] = {"agree", "explained", "differ", "not run", "no verdict"};
  return names[unsigned(o)];
}

RowResult compareRow(const Row &row, const CompareOptions &options) {
  RowResult r;
  r.row = &row;
  const std::string &wanted = options.cxxMode ? row.hbRace : row.ptxRace;
  if (wanted != "race" && wanted != "norace") {
    r.outcome = Outcome::NoVerdict;
    return r;
  }
  r.program = parseRow(row);
  if (!r.program.notRunnable.empty()) {
    r.reason = r.program.notRunnable;
    return r;
  }
  if (std::string rule = missingInCore(r.program); !rule.empty()) {
    r.reason = "the detector lacks " + rule;
    return r;
  }
  Machine m(r.program);
  VerdictOptions v;
  v.detector.cxxMode = options.cxxMode;
  v.limits = options.limits;
  r.verdict = decide(m, v);
  if (r.verdict.considered == 0) {
    r.reason = "no sequentially consistent execution satisfies the guard";
    return r;
  }
  r.outcome = r.verdict.anyRace() == (wanted == "race") ? Outcome::Agree : Outcome::Differ;
  return r;
}

} // namespace scopesan::litmus

#include "Compare.h"

#include "Differential.h"
#include "Print.h"
#include "Text.h"
#include "axiomatic/Enumerate.h"

namespace scopesan::litmus {

const char *outcomeName(Outcome o) {
  constexpr const char *names[] = {"agree",   "explained",  "differ",
                                   "not run", "no verdict", "incomplete"};
  return names[unsigned(o)];
}

namespace {

/// Example pairs of the table that no finding names. Pairs that are not written as the operations
/// are cannot be looked up and count as found.
std::vector<std::string> missingPairs(const Row &row, const Program &p, const Verdict &v) {
  std::vector<std::string> out;
  for (std::string_view pair : split(row.racePairs, "||")) {
    std::vector<std::string_view> sides = split(pair, " ~ ");
    bool known[2] = {}, found = false;
    if (sides.size() != 2)
      continue;
    SiteTable sites(p);
    for (uint32_t t = 0; t < p.threads.size(); ++t)
      for (uint32_t i = 0; i < p.threads[t].code.size(); ++i)
        for (int side : {0, 1})
          known[side] |= siteName(p, {t, i}) == sides[side];
    for (auto &[r, count] : v.pairs) {
      std::string a = siteName(p, r.first), b = siteName(p, r.second);
      found |= (a == sides[0] && b == sides[1]) || (a == sides[1] && b == sides[0]);
    }
    if (known[0] && known[1] && !found)
      out.emplace_back(pair);
  }
  return out;
}

/// A race that the table says occurs always, or never; "some" asks for nothing.
bool sameFrequency(const Row &row, const Verdict &v) {
  return (row.frequency != "always" && row.frequency != "never") || row.frequency == v.frequency();
}

/// Why a verdict differs from the table's, where a rule tells; empty = unexplained.
std::string explain(const Row &row, const Program &p, bool race, const CompareOptions &options) {
  struct Known {
    std::string_view id, verdict, rule, reason;
  };
  static constexpr Known Table[] = {
#define SCOPESAN_EXPLAINED(id, verdict, rule, reason) {id, verdict, rule, reason},
#include "explained.def"
  };
  for (const Known &k : Table)
    if (k.id == row.id && (k.verdict == "race") == race)
      return std::string(k.rule) + ": " + std::string(k.reason);
  // The axioms must agree with the table on the whole and with the detector on every sequentially
  // consistent execution; then only S5 or executions that are not of this kind can differ.
  AxiomaticVerdict v = axiomaticVerdict(p);
  const std::string &wanted = options.cxxMode ? row.hbRace : row.ptxRace;
  if (!v.complete() || ((options.cxxMode ? v.racyCxx : v.racyPtx) != 0) != (wanted == "race"))
    return {};
  DifferentialResult d = compareWithAxioms(p, {options.cxxMode, options.limits});
  if (d.difference != Difference::None || !d.exhaustive)
    return {};
  if (race)
    return "S5: only the order of fence.sc pairs orders the accesses";
  return d.racyExecutions
             ? "S16: whoever observed what an RMW wrote is ordered after it as one operation"
             : "the race needs an execution that is not sequentially consistent";
}

Verdict verdictOn(const Program &p, const CompareOptions &options) {
  Machine m(p);
  VerdictOptions v;
  v.detector.cxxMode = options.cxxMode;
  v.limits = options.limits;
  return decide(m, v);
}

} // namespace

Program withDistinctBarriers(Program p) {
  int64_t next = 1;
  for (ThreadCode &t : p.threads)
    for (uint32_t r = 0; r < t.registers.size(); ++r)
      if (t.unknownInitial[r])
        t.initialRegisters[r] = next++;
  return p;
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
    r.unreadable = !r.reason.starts_with("Vulkan only") && !r.reason.starts_with("OpenCL only");
    return r;
  }
  bool race = wanted == "race";
  r.verdict = verdictOn(r.program, options);
  if (r.verdict.considered == 0) {
    r.reason = "no sequentially consistent execution ends and satisfies the guard";
    return r;
  }
  if (r.verdict.incomplete()) {
    r.incomplete = true;
    r.reason = "incomplete (X1): " + r.verdict.givenUp[0];
    return r;
  }
  r.outcome = r.verdict.anyRace() == race ? Outcome::Agree : Outcome::Differ;
  if (r.program.barriersUnknown) {
    Verdict other = verdictOn(withDistinctBarriers(r.program), options);
    r.reason = "the text leaves out the initial values of the registers that name barriers: " +
               std::string(r.verdict.anyRace() ? "race" : "norace") + " when they are equal, " +
               (other.anyRace() ? "race" : "norace") + " when they differ";
    if (r.verdict.anyRace() == race || other.anyRace() == race)
      r.outcome = Outcome::Explained;
    return r;
  }
  if (r.outcome == Outcome::Differ) {
    r.reason = explain(row, r.program, r.verdict.anyRace(), options);
    if (!r.reason.empty())
      r.outcome = Outcome::Explained;
  }
  if (r.outcome == Outcome::Agree && !options.cxxMode) {
    r.missingPairs = missingPairs(row, r.program, r.verdict);
    if (!sameFrequency(row, r.verdict)) {
      r.outcome = Outcome::Differ;
      r.reason = std::string("it races ") + r.verdict.frequency();
    }
  }
  return r;
}

} // namespace scopesan::litmus

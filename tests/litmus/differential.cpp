// Differential test: random programs through the detector and through the axiomatic model.
//
//   litmus_differential [--programs=N] [--first=SEED] [--memory-model=c++] [--show=N] [--whole]
//                       [--proxies] [--launches] [--hosts] [--volatiles] [--advice]
//
// --proxies: one location has surface, texture and alias views, and there are proxy fences (S13).
// --launches: every thread is a kernel; streams and events order some of them (S14).
// --hosts: some threads are host threads, which call the API in between (S15).
// --volatiles: some accesses are volatile (O2).
// --advice: the advice (A1) is compared as well, and the programs that follow it (AdviceCheck.h).
// Every sequentially consistent execution of every program is compared, pair by pair. With --whole
// the program's verdict is also compared with all executions that the axioms allow. Exits 0 when
// every difference is explained by a rule.
#include "Differential.h"
#include "AdviceCheck.h"
#include "RowParser.h"
#include "axiomatic/Enumerate.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace scopesan::litmus;

namespace {

using Count = unsigned long long;

struct Arguments {
  uint64_t programs = 300, first = 1, show = 5;
  bool cxxMode = false, whole = false, advice = false;
  RandomLimits limits;
};

Arguments parse(int argc, char **argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    auto number = [&](const char *name, uint64_t &out) {
      std::string prefix = std::string("--") + name + "=";
      if (word.rfind(prefix, 0) == 0)
        out = strtoull(word.c_str() + prefix.size(), nullptr, 10);
    };
    number("programs", a.programs);
    number("first", a.first);
    number("show", a.show);
    a.cxxMode |= word == "--memory-model=c++";
    a.whole |= word == "--whole";
    a.limits.proxies |= word == "--proxies";
    a.limits.launches |= word == "--launches";
    a.limits.hosts |= word == "--hosts";
    a.limits.volatiles |= word == "--volatiles";
    a.advice |= word == "--advice";
  }
  return a;
}

struct Totals {
  Count programs = 0, sampled = 0, executions = 0, racy = 0;
  Count scFences = 0, ownWeak = 0, wholeRmw = 0, earlier = 0; ///< explained, in executions
  Count invented = 0, missed = 0;                             ///< unexplained, in programs
  Count compared = 0, sameVerdict = 0, nonSc = 0, s5 = 0;     ///< --whole, in programs
  Count cut = 0; ///< --whole: not compared, too many executions or an operation without axioms
  AdviceResult advice;
  Count wrongAdvice = 0; ///< in programs
  Count unexplained() const {
    return invented + missed + compared - sameVerdict - nonSc - s5 + wrongAdvice;
  }
};

void show(const std::string &id, const ProgramText &text, const DifferentialOptions &options,
          Difference kind) {
  Row row = shrink(text, options, kind).row(id);
  DifferentialResult r = compareWithAxioms(parseRow(row), options);
  printf("%s: %s\n  %s\n  %s\n%s\n", row.id.c_str(),
         kind == Difference::Invented ? "invented" : "missed", row.placement.c_str(),
         row.ops.c_str(), r.details.c_str());
}

/// Some programs have too many executions to enumerate: 2000 programs must end in some minutes.
constexpr uint64_t MostCandidates = 100000, MostOrders = 10000;

/// The verdicts on the whole program: they may differ where the race needs an execution that is not
/// sequentially consistent, or (S5) where only the order of fence.sc pairs prevents it.
void compareWhole(const Program &p, const DifferentialResult &r, bool cxxMode, Totals &t) {
  EnumerateLimits limits;
  limits.candidates = MostCandidates;
  limits.orders = MostOrders;
  AxiomaticVerdict v = axiomaticVerdict(p, limits);
  if (!v.complete()) {
    ++t.cut;
    return;
  }
  bool byAxioms = (cxxMode ? v.racyCxx : v.racyPtx) != 0, bySc = r.racyExecutions != 0;
  bool explained = byAxioms == bySc || !bySc || (cxxMode ? v.racyCxxS5 : v.racyPtxS5) != 0;
  if (!explained)
    printf("%s: race in a sequentially consistent execution, none by the axioms\n", p.name.c_str());
  ++t.compared;
  t.sameVerdict += byAxioms == bySc;
  t.nonSc += byAxioms && !bySc;
  t.s5 += bySc && !byAxioms && (cxxMode ? v.racyCxxS5 : v.racyPtxS5) != 0;
}

void compareAdvice(const Program &p, const ProgramText &text, const DifferentialOptions &options,
                   uint64_t show, Totals &t) {
  AdviceResult r = checkAdvice(p, options);
  t.advice.executions += r.executions;
  t.advice.volatileSync += r.volatileSync;
  t.advice.observationOnly += r.observationOnly;
  t.advice.unorderedStrong += r.unorderedStrong;
  t.advice.narrowed += r.narrowed;
  t.advice.removed += r.removed;
  if (r.problem.empty() || t.wrongAdvice++ >= show)
    return;
  Row row = text.row(p.name);
  printf("%s: %s  %s\n  %s\n", p.name.c_str(), r.problem.c_str(), row.placement.c_str(),
         row.ops.c_str());
}

void compare(uint64_t seed, const Arguments &a, Totals &t) {
  DifferentialOptions options;
  options.cxxMode = a.cxxMode;
  std::string id = "seed " + std::to_string(seed);
  ProgramText text = randomProgram(seed, a.limits);
  Program p = parseRow(text.row(id));
  if (!p.notRunnable.empty()) {
    fprintf(stderr, "%s: %s\n", id.c_str(), p.notRunnable.c_str());
    exit(67);
  }
  DifferentialResult r = compareWithAxioms(p, options);
  ++t.programs;
  t.sampled += !r.exhaustive;
  t.executions += r.executions;
  t.racy += r.racyExecutions;
  t.scFences += r.orderedByScFences;
  t.ownWeak += r.ownWeakObserved;
  t.wholeRmw += r.wholeRmwObserved;
  t.earlier += r.earlierObserved;
  if (a.whole)
    compareWhole(p, r, a.cxxMode, t);
  if (a.advice)
    compareAdvice(p, text, options, a.show, t);
  if (r.difference == Difference::None)
    return;
  (r.difference == Difference::Invented ? t.invented : t.missed)++;
  if (t.invented + t.missed <= a.show)
    show(id, text, options, r.difference);
}

} // namespace

int main(int argc, char **argv) {
  Arguments a = parse(argc, argv);
  Totals t;
  for (uint64_t seed = a.first; seed < a.first + a.programs; ++seed)
    compare(seed, a, t);
  printf("programs %llu (%llu sampled), executions %llu, racy %llu\n", t.programs, t.sampled,
         t.executions, t.racy);
  printf("explained, in executions: S5 fence.sc order %llu, S16 own weak write %llu, "
         "S16 whole RMW %llu, S16 earlier access %llu\n",
         t.scFences, t.ownWeak, t.wholeRmw, t.earlier);
  if (a.whole)
    printf("whole programs %llu: same verdict %llu, race only without sequential consistency %llu, "
           "S5 %llu; not compared %llu\n",
           t.compared, t.sameVerdict, t.nonSc, t.s5, t.cut);
  if (a.advice)
    printf("advice in %llu executions: volatile-sync %llu, observation-only %llu, unordered-strong "
           "%llu; narrowed %llu operations, removed %llu fences; wrong in %llu programs\n",
           Count(t.advice.executions), Count(t.advice.volatileSync),
           Count(t.advice.observationOnly), Count(t.advice.unorderedStrong),
           Count(t.advice.narrowed), Count(t.advice.removed), t.wrongAdvice);
  printf("unexplained: %llu invented, %llu missed, %llu verdicts\n", t.invented, t.missed,
         t.unexplained() - t.invented - t.missed - t.wrongAdvice);
  return t.unexplained() ? 66 : 0;
}

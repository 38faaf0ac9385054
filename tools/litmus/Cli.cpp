#include "Cli.h"

#include "Compare.h"
#include "Print.h"
#include "ProgramFile.h"
#include "Text.h"
#include "axiomatic/Enumerate.h"
#include "emit/EmitTable.h"
#include "kernels/KernelTable.h"

#include <cstdio>

namespace scopesan::litmus {

namespace {

// As `scopesan run`.
constexpr int FoundExitCode = 66, FailureExitCode = 67, IncompleteExitCode = 69;

constexpr const char Usage[] =
    "usage: scopesan litmus [options] FILE...           verdict on small programs\n"
    "       scopesan litmus [options] --table FILE.tsv  compare with a table of verdicts\n"
    "\n"
    "  --memory-model=ptx|c++  ptx is the default; c++ drops what only PTX promises\n"
    "  --executions=N          search bound; beyond it schedules are sampled (20000)\n"
    "  --samples=N --seed=N    random schedules beyond the bound (2000, 1)\n"
    "  --max-not-run=PERCENT   fail when more rows of a collection than this are not run\n"
    "  --max-incomplete=PERCENT   with --observed: the same for rows that run, but incomplete "
    "(X1)\n"
    "  --emit=FOLDER           write the table's rows as CUDA kernels (docs/litmus.md)\n"
    "  --rows-per-unit=N --every=N --collection=NAME   of them (40; every row; all)\n"
    "  --observed=FILE         judge the runs of such kernels that tests/litmus/run_kernels wrote\n"
    "  --wanting               with --observed: only the numbers of rows that need more runs\n"
    "  --counters              how often each rule of docs/model.md acted, all executions "
    "together\n"
    "  --axioms                judge by the axiomatic model, without the detector\n"
    "  --budget=N              with --axioms and a table: combinations of values, and orders of\n"
    "                          fences and writes, that are tried for one row (5000000)\n"
    "  -v                      print every row or program, not only what matters\n"
    "\n"
    "Exit code: 0 no finding, or the table agrees; 66 a finding, or an unexplained difference;\n"
    "67 an input or row that cannot be read; 69 incomplete (X1). With 'expect:' in a file: 0 when\n"
    "the verdict is the expected one.\n"
    "docs/litmus.md describes the formats.\n";

struct Arguments {
  CompareOptions compare;
  bool verbose = false, wanting = false, axioms = false, counters = false, help = false;
  uint64_t maxNotRun = 100, maxIncomplete = 100; ///< percent of a collection
  uint64_t budget = 5000000;
  std::string table, observed, error;
  EmitOptions emit;
  std::vector<std::string> files;
};

bool parseNumber(const std::string &word, const char *name, uint64_t &out, std::string &error) {
  std::string prefix = std::string(name) + "=";
  if (word.rfind(prefix, 0) != 0)
    return false;
  std::optional<int64_t> v = parseInteger(word.substr(prefix.size()));
  if (!v || *v < 0)
    error = word + ": expected a number";
  else
    out = uint64_t(*v);
  return true;
}

Arguments parseArguments(const std::vector<std::string> &words) {
  Arguments a;
  ExploreLimits &limits = a.compare.limits;
  uint64_t rowsPerUnit = a.emit.rowsPerUnit, every = a.emit.every;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string &w = words[i];
    if (w == "--table" && i + 1 < words.size())
      a.table = words[++i];
    else if (w == "--table" || w == "--table=")
      a.error = "--table: no file given";
    else if (w.rfind("--table=", 0) == 0)
      a.table = w.substr(8);
    else if (w == "--memory-model=c++" || w == "--memory-model=ptx")
      a.compare.cxxMode = w.ends_with("c++");
    else if (w == "--wanting")
      a.wanting = true;
    else if (w == "--axioms")
      a.axioms = true;
    else if (w == "--counters")
      a.counters = true;
    else if (w.rfind("--emit=", 0) == 0)
      a.emit.folder = w.substr(7);
    else if (w.rfind("--observed=", 0) == 0)
      a.observed = w.substr(11);
    else if (w.rfind("--collection=", 0) == 0)
      a.emit.collections.push_back(w.substr(13));
    else if (w == "-v" || w == "--verbose")
      a.verbose = true;
    else if (w == "--help" || w == "-h")
      a.help = true;
    else if (parseNumber(w, "--executions", limits.executions, a.error) ||
             parseNumber(w, "--samples", limits.samples, a.error) ||
             parseNumber(w, "--seed", limits.seed, a.error) ||
             parseNumber(w, "--budget", a.budget, a.error) ||
             parseNumber(w, "--max-not-run", a.maxNotRun, a.error) ||
             parseNumber(w, "--max-incomplete", a.maxIncomplete, a.error) ||
             parseNumber(w, "--rows-per-unit", rowsPerUnit, a.error) ||
             parseNumber(w, "--every", every, a.error))
      continue;
    else if (w[0] == '-')
      a.error = "unknown option '" + w + "'";
    else
      a.files.push_back(w);
  }
  a.emit.rowsPerUnit = uint32_t(std::max<uint64_t>(1, rowsPerUnit));
  a.emit.every = uint32_t(std::max<uint64_t>(1, every));
  if (a.error.empty() && a.table.empty() && a.files.empty() && !a.help)
    a.error = "no file given";
  return a;
}

void addTo(core::RuleCounters &sum, const core::RuleCounters &more) {
  for (unsigned c = 0; c < core::RuleCounters::Count; ++c)
    sum.values[c] += more.values[c];
}
/// Those that are not 0.
void printCounters(const core::RuleCounters &c) {
#define SCOPESAN_COUNTER(rule, enumerator, what)                                                   \
  if (uint64_t n = c.values[core::RuleCounters::enumerator])                                       \
    printf("%-4s %10llu %s\n", rule, (unsigned long long)n, what);
#include "scopesan/core/counters.def"
}

// ---------------------------------------------------------------------------- tables

struct Totals {
  uint64_t rows = 0, counts[6] = {};
  uint64_t of(Outcome o) const { return counts[unsigned(o)]; }
  void add(Outcome o) {
    ++rows;
    ++counts[unsigned(o)];
  }
  void print(const char *name) const {
    auto n = [&](Outcome o) { return (unsigned long long)of(o); };
    printf("%-12s %4llu rows  %4llu agree  %3llu differ  %3llu explained  %3llu not run\n", name,
           (unsigned long long)rows, n(Outcome::Agree), n(Outcome::Differ), n(Outcome::Explained),
           n(Outcome::NotRun));
  }
};

void printRow(const Row &row, const RowResult &r, const Arguments &a) {
  if (a.verbose) {
    printf("%s", printProgram(r.program).c_str());
    for (const std::string &m : r.missingPairs)
      printf("no finding names %s\n", m.c_str());
  }
  if (r.outcome == Outcome::Agree && !a.verbose)
    return;
  printf("%-9s %s", outcomeName(r.outcome), row.id.c_str());
  if (r.outcome != Outcome::NotRun)
    printf(": detector %s in %llu of %llu executions%s, table %s%s%s",
           r.verdict.anyRace() ? "race" : "norace", (unsigned long long)r.verdict.racy,
           (unsigned long long)r.verdict.considered,
           r.verdict.explored.exhaustive ? "" : " (sampled)",
           (a.compare.cxxMode ? row.hbRace : row.ptxRace).c_str(),
           row.frequency.empty() ? "" : ", ", row.frequency.c_str());
  printf("%s%s", r.reason.empty() ? "" : ": ", r.reason.c_str());
  if (r.outcome != Outcome::Agree)
    printf(" (%s:%u)", a.table.c_str(), row.line);
  printf("\n");
}

int runTable(const Table &table, const Arguments &a) {
  std::vector<std::pair<std::string, Totals>> collections;
  Totals all;
  core::RuleCounters counters;
  uint64_t unreadable = 0, noVerdict = 0, incomplete = 0;
  for (const Row &row : table.rows) {
    RowResult r = compareRow(row, a.compare);
    noVerdict += r.outcome == Outcome::NoVerdict;
    unreadable += r.unreadable;
    incomplete += r.incomplete;
    addTo(counters, r.verdict.counters);
    if (r.outcome == Outcome::NoVerdict)
      continue;
    size_t c = 0;
    while (c < collections.size() && collections[c].first != row.collection())
      ++c;
    if (c == collections.size())
      collections.push_back({row.collection(), {}});
    collections[c].second.add(r.outcome);
    all.add(r.outcome);
    printRow(row, r, a);
  }
  bool tooFewRun = false;
  for (auto &[name, totals] : collections) {
    totals.print(name.c_str());
    bool tooFew = totals.of(Outcome::NotRun) * 100 > totals.rows * a.maxNotRun;
    if (tooFew)
      printf("%s: more than %llu%% not run\n", name.c_str(), (unsigned long long)a.maxNotRun);
    tooFewRun |= tooFew;
  }
  if (a.counters)
    printCounters(counters);
  if (noVerdict)
    printf("%llu rows have no verdict for this memory model\n", (unsigned long long)noVerdict);
  if (unreadable)
    printf("%llu rows cannot be read; docs/litmus.md lists what is understood\n",
           (unsigned long long)unreadable);
  if (incomplete)
    printf("%llu rows are incomplete (X1)\n", (unsigned long long)incomplete);
  if (!all.rows)
    printf("nothing to compare\n");
  all.print("total");
  if (unreadable || !all.rows)
    return FailureExitCode;
  if (all.of(Outcome::Differ) || tooFewRun)
    return FoundExitCode;
  return incomplete ? IncompleteExitCode : 0;
}

/// How the axioms stand to one row.
enum class AxiomsOnRow : uint8_t { Agree, Explained, Differ, Cut, Skipped };

/// Verdicts of both readings and, where the table gives them, the counts of executions. Of a row
/// that is too large the executions seen so far may still show a race that the table denies.
AxiomsOnRow compareAxioms(const Row &row, const AxiomaticVerdict &v) {
  bool ptx = row.ptxRace == "race", cxx = row.hbRace == "race";
  if (v.extent == Enumerated::Unknown)
    return AxiomsOnRow::Skipped;
  if (v.extent == Enumerated::TooMany)
    return (v.racyPtx && !ptx) || (v.racyCxx && !cxx) ? AxiomsOnRow::Differ : AxiomsOnRow::Cut;
  std::string counts =
      "some(" + std::to_string(v.racyPtx) + "/" + std::to_string(v.considered) + ")";
  bool same = ptx == (v.racyPtx != 0) && cxx == (v.racyCxx != 0) &&
              (row.frequency.rfind("some", 0) != 0 || row.frequency == counts);
  return same ? AxiomsOnRow::Agree : AxiomsOnRow::Differ;
}

/// Our own axiomatic model against the table.
int axiomsOnTable(const Table &table, const Arguments &a) {
  static constexpr const char *Words[] = {"agree", "explained", "differ", "cut", "skipped"};
  EnumerateLimits limits;
  limits.candidates = limits.orders = a.budget;
  uint64_t counts[std::size(Words)] = {};
  for (const Row &row : table.rows) {
    if (row.ptxRace.empty())
      continue;
    Program p = parseRow(row);
    AxiomaticVerdict v;
    if (p.notRunnable.empty())
      v = axiomaticVerdict(p, limits);
    AxiomsOnRow outcome = compareAxioms(row, v);
    if (outcome == AxiomsOnRow::Differ && p.barriersUnknown) { // the text has two readings
      AxiomaticVerdict other = axiomaticVerdict(withDistinctBarriers(p), limits);
      if (compareAxioms(row, other) == AxiomsOnRow::Agree)
        outcome = AxiomsOnRow::Explained;
    }
    ++counts[unsigned(outcome)];
    bool asUsual = outcome == AxiomsOnRow::Agree || outcome == AxiomsOnRow::Skipped;
    if (!asUsual || a.verbose)
      printf("%s %s: axioms ptx %llu, c++ %llu of %llu executions; table %s, %s, %s\n",
             Words[unsigned(outcome)], row.id.c_str(), (unsigned long long)v.racyPtx,
             (unsigned long long)v.racyCxx, (unsigned long long)v.considered, row.ptxRace.c_str(),
             row.hbRace.c_str(), row.frequency.c_str());
  }
  auto n = [&](AxiomsOnRow o) { return (unsigned long long)counts[unsigned(o)]; };
  printf(
      "axioms: %llu agree, %llu explained (two readings of the text), %llu differ, %llu cut after "
      "%llu combinations or orders, %llu skipped (operations without axioms)\n",
      n(AxiomsOnRow::Agree), n(AxiomsOnRow::Explained), n(AxiomsOnRow::Differ), n(AxiomsOnRow::Cut),
      (unsigned long long)a.budget, n(AxiomsOnRow::Skipped));
  return n(AxiomsOnRow::Differ) ? FoundExitCode : 0;
}

// ---------------------------------------------------------------------------- programs

int axiomsOnProgram(const std::string &path, const Program &p, bool cxxMode) {
  AxiomaticVerdict v = axiomaticVerdict(p);
  if (!v.complete()) {
    fprintf(stderr, "scopesan litmus: %s: %s\n", path.c_str(),
            v.extent == Enumerated::TooMany
                ? "too large for the axiomatic model"
                : "has operations that the axiomatic model does not know");
    return FailureExitCode;
  }
  uint64_t racy = cxxMode ? v.racyCxx : v.racyPtx;
  printf("%s: %s: %llu of %llu executions race by the axioms\n", path.c_str(),
         racy ? "race" : "no race", (unsigned long long)racy, (unsigned long long)v.considered);
  return racy ? FoundExitCode : 0;
}

void printVerdict(const std::string &path, const Program &p, const Verdict &v) {
  printf("%s: %s: %llu of %llu executions%s race%s\n", path.c_str(),
         v.anyRace()      ? "race"
         : v.incomplete() ? "incomplete"
         : v.misused()    ? "no race, but misuse"
                          : "no race",
         (unsigned long long)v.racy, (unsigned long long)v.considered,
         p.guard.condition.parts.empty() ? "" : " of the guard",
         v.explored.exhaustive ? "" : " (sampled)");
  for (const std::string &g : v.givenUp)
    printf("incomplete (X1): %s\n", g.c_str());
  if (v.stuck)
    printf("stuck: in %llu of %llu executions a thread waits for ever (D7 at a barrier, D12 "
           "elsewhere)\n",
           (unsigned long long)v.stuck, (unsigned long long)v.considered);
  if (!v.anyRace()) {
    for (auto &[rule, count] : v.rules)
      printf("%s %s in %llu executions\n", ruleId(rule), ruleName(rule), (unsigned long long)count);
    return;
  }
  printf("a racing execution:\n%s", printExecution(p, v.witness).c_str());
  for (const core::Finding &f : v.witnessFindings)
    printf("%s\n", printFinding(p, f).c_str());
}

int runFile(const std::string &path, const Arguments &a) {
  ProgramFile file = readProgramFile(path);
  if (!file.error.empty()) {
    fprintf(stderr, "scopesan litmus: %s\n", file.error.c_str());
    return FailureExitCode;
  }
  if (a.verbose)
    printf("%s", printProgram(file.program).c_str());
  if (a.axioms)
    return axiomsOnProgram(path, file.program, a.compare.cxxMode);
  Machine m(file.program);
  VerdictOptions options;
  options.detector.cxxMode = a.compare.cxxMode;
  options.limits = a.compare.limits;
  Verdict v = decide(m, options);
  if (v.considered == 0) {
    fprintf(stderr,
            "scopesan litmus: %s: no sequentially consistent execution ends and satisfies "
            "the guard\n",
            path.c_str());
    return FailureExitCode;
  }
  printVerdict(path, file.program, v);
  if (a.counters)
    printCounters(v.counters);
  if (v.incomplete())
    return IncompleteExitCode;
  if (!file.expectedRace)
    return v.anyRace() || v.misused() ? FoundExitCode : 0;
  bool expected = *file.expectedRace == v.anyRace();
  if (!expected)
    printf("%s: expected %s\n", path.c_str(), *file.expectedRace ? "race" : "norace");
  return expected ? 0 : FoundExitCode;
}

/// Of several inputs: one that cannot be read, a finding, what is incomplete.
int worse(int a, int b) {
  for (int code : {FailureExitCode, FoundExitCode, IncompleteExitCode})
    if (a == code || b == code)
      return code;
  return 0;
}

} // namespace

int litmusMain(const std::vector<std::string> &words) {
  Arguments a = parseArguments(words);
  if (!a.error.empty()) {
    fprintf(stderr, "scopesan litmus: %s\n\n%s", a.error.c_str(), Usage);
    return FailureExitCode;
  }
  if (a.help) {
    printf("%s", Usage);
    return 0;
  }
  int worst = 0;
  if (!a.table.empty()) {
    Table table = readTable(a.table);
    if (!table.error.empty()) {
      fprintf(stderr, "scopesan litmus: %s\n", table.error.c_str());
      return FailureExitCode;
    }
    if (!a.emit.folder.empty()) {
      std::string error = emitTable(table, a.emit);
      if (!error.empty())
        fprintf(stderr, "scopesan litmus: %s\n", error.c_str());
      return error.empty() ? 0 : FailureExitCode;
    }
    if (!a.observed.empty())
      return printKernelTable(
          table, {a.compare, a.observed, a.verbose, a.wanting, a.maxNotRun, a.maxIncomplete});
    worst = a.axioms ? axiomsOnTable(table, a) : runTable(table, a);
  }
  for (const std::string &path : a.files)
    worst = worse(worst, runFile(path, a));
  return worst;
}

} // namespace scopesan::litmus

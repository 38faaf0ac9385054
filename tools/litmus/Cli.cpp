#include "Cli.h"

#include "Compare.h"
#include "Print.h"
#include "axiomatic/Enumerate.h"

#include <cstdio>

namespace scopesan::litmus {

namespace {

struct Totals {
  uint64_t rows = 0, agree = 0, explained = 0, differ = 0, notRun = 0;
  void add(Outcome o) {
    ++rows;
    (o == Outcome::Agree ? agree : o == Outcome::Explained ? explained
                               : o == Outcome::Differ      ? differ
                                                           : notRun)++;
  }
};

/// Checks our own axiomatic model against the table: verdicts and, where given, counts.
int runAxioms(const std::string &path) {
  Table table = readTable(path);
  uint64_t agree = 0, differ = 0, skipped = 0, countsDiffer = 0;
  for (const Row &row : table.rows) {
    if (row.ptxRace.empty())
      continue;
    Program p = parseRow(row);
    AxiomaticVerdict v;
    if (p.notRunnable.empty())
      v = axiomaticVerdict(p);
    if (!v.complete) {
      ++skipped;
      continue;
    }
    bool same = (row.ptxRace == "race") == (v.racyPtx != 0) &&
                (row.hbRace == "race") == (v.racyCxx != 0);
    (same ? agree : differ)++;
    std::string counts = "some(" + std::to_string(v.racyPtx) + "/" + std::to_string(v.considered) + ")";
    bool sameCount = row.frequency.rfind("some", 0) != 0 || row.frequency == counts;
    countsDiffer += !sameCount;
    if (!same || !sameCount)
      printf("%s: axioms ptx %llu hb %llu of %llu, table %s %s %s\n", row.id.c_str(),
             (unsigned long long)v.racyPtx, (unsigned long long)v.racyCxx,
             (unsigned long long)v.considered, row.ptxRace.c_str(), row.hbRace.c_str(),
             row.frequency.c_str());
  }
  printf("axioms: agree %llu differ %llu counts differ %llu skipped %llu\n",
         (unsigned long long)agree, (unsigned long long)differ, (unsigned long long)countsDiffer,
         (unsigned long long)skipped);
  return differ ? 66 : 0;
}

int runTable(const std::string &path, const CompareOptions &options, bool verbose) {
  Table table = readTable(path);
  if (!table.error.empty()) {
    fprintf(stderr, "scopesan litmus: %s\n", table.error.c_str());
    return 67;
  }
  std::vector<std::pair<std::string, Totals>> collections;
  Totals all;
  for (const Row &row : table.rows) {
    RowResult r = compareRow(row, options);
    if (r.outcome == Outcome::NoVerdict)
      continue;
    if (collections.empty() || collections.back().first != row.collection())
      collections.push_back({row.collection(), {}});
    collections.back().second.add(r.outcome);
    all.add(r.outcome);
    if (!r.sameFrequency)
      printf("frequency %s: detector %s, table %s\n", row.id.c_str(), r.verdict.frequency(),
             row.frequency.c_str());
    for (const std::string &m : r.missingPairs)
      printf("no finding %s: %s\n", row.id.c_str(), m.c_str());
    if (verbose)
      printf("%s", printProgram(r.program).c_str());
    if (r.outcome == Outcome::Differ || r.outcome == Outcome::NotRun || verbose)
      printf("%-9s %s: detector %s (%s, %llu/%llu%s), table %s (%s)%s%s\n", outcomeName(r.outcome),
             row.id.c_str(), r.verdict.anyRace() ? "race" : "norace", r.verdict.frequency(),
             (unsigned long long)r.verdict.racy, (unsigned long long)r.verdict.considered,
             r.verdict.explored.exhaustive ? "" : ", sampled",
             (options.cxxMode ? row.hbRace : row.ptxRace).c_str(), row.frequency.c_str(),
             r.reason.empty() ? "" : ": ", r.reason.c_str());
  }
  for (auto &[name, t] : collections)
    printf("%-12s %4llu rows  %4llu agree  %3llu explained  %3llu differ  %3llu not run\n",
           name.c_str(), (unsigned long long)t.rows, (unsigned long long)t.agree,
           (unsigned long long)t.explained, (unsigned long long)t.differ,
           (unsigned long long)t.notRun);
  printf("total        %4llu rows  %4llu agree  %3llu explained  %3llu differ  %3llu not run\n",
         (unsigned long long)all.rows, (unsigned long long)all.agree,
         (unsigned long long)all.explained, (unsigned long long)all.differ,
         (unsigned long long)all.notRun);
  return all.differ ? 66 : 0;
}

} // namespace

int litmusMain(const std::vector<std::string> &words) {
  CompareOptions options;
  bool verbose = false;
  std::string table;
  bool axioms = false;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--table" && i + 1 < words.size())
      table = words[++i];
    else if (words[i] == "--memory-model=c++")
      options.cxxMode = true;
    else if (words[i] == "--axioms")
      axioms = true;
    else if (words[i] == "-v")
      verbose = true;
  }
  if (axioms)
    return runAxioms(table);
  return runTable(table, options, verbose);
}

} // namespace scopesan::litmus

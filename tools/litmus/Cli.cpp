#include "Cli.h"

#include "Compare.h"

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
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--table" && i + 1 < words.size())
      table = words[++i];
    else if (words[i] == "--memory-model=c++")
      options.cxxMode = true;
    else if (words[i] == "-v")
      verbose = true;
  }
  return runTable(table, options, verbose);
}

} // namespace scopesan::litmus

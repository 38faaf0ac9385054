#include "KernelTable.h"

#include "KernelVerdict.h"
#include "emit/ThreadCode.h"

#include <cstdio>

namespace scopesan::litmus {

namespace {

constexpr int FoundExitCode = 66, FailureExitCode = 67; // as `scopesan run`

struct Count {
  std::string name;
  unsigned rows = 0, noForm = 0, agree = 0, differ = 0, explained = 0, notRun = 0, incomplete = 0;
  unsigned racing = 0; ///< rows of which some run raced
  unsigned long long runs = 0;

  void add(const KernelResult &k) {
    ++rows;
    runs += k.runs;
    racing += k.racy != 0;
    unsigned &column = k.outcome == Outcome::Agree        ? agree
                       : k.outcome == Outcome::Differ     ? differ
                       : k.outcome == Outcome::Explained  ? explained
                       : k.outcome == Outcome::Incomplete ? incomplete
                       : hasNoCudaForm(k.reason)          ? noForm
                                                          : notRun;
    ++column;
  }
  /// Says so when more than `percent` of the rows that have a CUDA form are of this kind.
  bool more(unsigned number, uint64_t percent, const char *kind) const {
    bool tooMany = uint64_t(number) * 100 > (rows - noForm) * percent;
    if (tooMany)
      printf("%s: more than %llu%% %s\n", name.c_str(), (unsigned long long)percent, kind);
    return tooMany;
  }
  void print() const {
    printf("%-11s %4u rows  %3u without a CUDA form  %4u agree  %3u differ  %3u explained  %3u "
           "incomplete as documented  %3u not run  (%llu runs, %u rows race)\n",
           name.c_str(), rows, noForm, agree, differ, explained, incomplete, notRun, runs, racing);
  }
};

void printRow(const Row &row, const KernelResult &k, const KernelTableOptions &options) {
  if (k.outcome == Outcome::Agree && !options.verbose)
    return;
  printf("%-9s %s", outcomeName(k.outcome), row.id.c_str());
  if (k.runs)
    printf(": race in %llu of %llu runs that count (of %llu), table %s%s%s",
           (unsigned long long)k.racy, (unsigned long long)k.considered, (unsigned long long)k.runs,
           (options.compare.cxxMode ? row.hbRace : row.ptxRace).c_str(),
           row.frequency.empty() ? "" : ", ", row.frequency.c_str());
  printf("%s%s\n", k.reason.empty() ? "" : ": ", k.reason.c_str());
}

} // namespace

int printKernelTable(const Table &table, const KernelTableOptions &options) {
  Observations seen = readObservations(options.observations);
  if (!seen.error.empty()) {
    fprintf(stderr, "scopesan litmus: %s\n", seen.error.c_str());
    return FailureExitCode;
  }
  std::vector<Count> collections;
  Count all;
  all.name = "total";
  for (uint32_t r = 0; r < table.rows.size(); ++r) {
    auto runs = seen.runs.find(r);
    auto skipped = seen.skipped.find(r);
    if (runs == seen.runs.end() && skipped == seen.skipped.end())
      continue; // not asked for
    KernelResult k =
        judgeKernels(table.rows[r], runs == seen.runs.end() ? nullptr : &runs->second,
                     skipped == seen.skipped.end() ? "" : skipped->second, options.compare);
    if (options.listWanting && k.needsMoreRuns)
      printf("%u\n", r);
    if (k.outcome == Outcome::NoVerdict || options.listWanting)
      continue;
    size_t c = 0;
    while (c < collections.size() && collections[c].name != table.rows[r].collection())
      ++c;
    if (c == collections.size())
      collections.emplace_back().name = table.rows[r].collection();
    collections[c].add(k);
    all.add(k);
    printRow(table.rows[r], k, options);
  }
  if (options.listWanting)
    return 0;
  bool tooFewRun = false;
  for (const Count &c : collections) {
    c.print();
    tooFewRun |= c.more(c.notRun, options.maxNotRun, "not run") ||
                 c.more(c.incomplete, options.maxIncomplete, "incomplete");
  }
  all.print();
  return all.differ || tooFewRun || !all.rows ? FoundExitCode : 0;
}

} // namespace scopesan::litmus

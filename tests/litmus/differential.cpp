// Differential test: random programs through the detector and through the axiomatic model.
//   litmus_differential [--programs=N] [--first=SEED] [--memory-model=c++] [--show=N]
// Exits 0 when no execution of any program differs.
#include "Differential.h"
#include "RowParser.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace scopesan::litmus;

namespace {

struct Arguments {
  uint64_t programs = 300, first = 1, show = 5;
  bool cxxMode = false;
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
  }
  return a;
}

void show(uint64_t seed, const ProgramText &text, const DifferentialOptions &options,
          Difference kind) {
  Row row = shrink(text, options, kind).row("seed " + std::to_string(seed));
  DifferentialResult r = compareWithAxioms(parseRow(row), options);
  printf("%s: %s\n  %s\n  %s\n%s\n", row.id.c_str(),
         kind == Difference::Invented ? "invented" : "missed", row.placement.c_str(),
         row.ops.c_str(), r.details.c_str());
}

} // namespace

int main(int argc, char **argv) {
  Arguments a = parse(argc, argv);
  DifferentialOptions options;
  options.cxxMode = a.cxxMode;
  uint64_t executions = 0, racy = 0, byScFences = 0, ownWeak = 0, earlier = 0;
  uint64_t invented = 0, missed = 0, sampled = 0;
  for (uint64_t seed = a.first; seed < a.first + a.programs; ++seed) {
    ProgramText text = randomProgram(seed);
    Program p = parseRow(text.row("seed " + std::to_string(seed)));
    if (!p.notRunnable.empty()) {
      fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, p.notRunnable.c_str());
      return 67;
    }
    DifferentialResult r = compareWithAxioms(p, options);
    executions += r.executions;
    racy += r.racyExecutions;
    byScFences += r.orderedByScFences;
    ownWeak += r.ownWeakObserved;
    earlier += r.earlierObserved;
    sampled += !r.exhaustive;
    if (r.difference == Difference::None)
      continue;
    (r.difference == Difference::Invented ? invented : missed)++;
    if (invented + missed <= a.show)
      show(seed, text, options, r.difference);
  }
  printf("programs %llu (%llu sampled), executions %llu, racy %llu\n"
         "explained, in executions: S5 fence.sc order %llu, S16 own weak write %llu, "
         "S16 earlier access %llu\n"
         "programs that differ: %llu invented, %llu missed\n",
         (unsigned long long)a.programs, (unsigned long long)sampled,
         (unsigned long long)executions, (unsigned long long)racy, (unsigned long long)byScFences,
         (unsigned long long)ownWeak, (unsigned long long)earlier, (unsigned long long)invented,
         (unsigned long long)missed);
  return invented + missed ? 66 : 0;
}

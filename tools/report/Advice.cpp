// Advisories (A1) that need the whole report: over-synchronized, and what the user can change.
#include "Model.h"
#include "Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace scopesan::report {
namespace {

/// Parts of the toolkit that synchronize on their own account: what they do inside is not the
/// user's to change.
bool isLibraryCode(const Operation &op) {
  static constexpr const char *Marks[] = {"cooperative_groups", "/cub/", "/thrust/"};
  for (size_t i = 0; i < op.placeIndex(); ++i)
    if (llvm::any_of(Marks, [&](const char *mark) {
          return llvm::StringRef(op.frames[i].file).contains(mark);
        }))
      return true;
  return false;
}
/// Types of libcu++ whose scope the user chooses, but not the operations within.
bool isWithinObject(const Operation &op) {
  static constexpr const char *Marks[] = {"barrier", "latch", "semaphore", "pipeline"};
  for (size_t i = 0; i < op.placeIndex(); ++i)
    if (llvm::any_of(Marks, [&](const char *mark) {
          return llvm::StringRef(op.frames[i].file).rsplit("/cuda/").second.contains(mark);
        }))
      return true;
  return false;
}

/// One place in the source, whatever it was instantiated or inlined for.
using Place = std::tuple<std::string, std::string, std::string, unsigned, unsigned, std::string>;
Place placeOf(const Operation &op) {
  const Frame *f = op.place();
  if (!f)
    return {op.kind, op.scope, "", 0, 0, op.kernel};
  return {op.kind, op.scope, f->file, f->line, f->column, ""};
}

void merge(ScopeUse &into, const ScopeUse &use) {
  if (scopeRank(use.operation.needs) > scopeRank(into.operation.needs)) {
    into.operation.needs = use.operation.needs;
    into.observer = use.observer;
  }
  Coverage &a = into.coverage;
  const Coverage &b = use.coverage;
  a.executions += b.executions;
  a.edges += b.edges;
  a.blocks = std::max(a.blocks, b.blocks);
  a.launches = std::max(a.launches, b.launches);
}

/// The distance of threads for which this scope is just enough.
std::string distanceOf(const std::string &scope) {
  return scope == "block" ? "same-block" : scope == "cluster" ? "same-cluster" : "same-grid";
}

Finding advisoryOf(const ScopeUse &use) {
  Finding f;
  f.rule = "A1";
  f.name = "over-synchronized";
  f.isAdvisory = true;
  f.hazard = "";
  f.distance = distanceOf(use.operation.needs);
  f.accesses = {use.operation, use.observer};
  f.accesses[0].needs.clear();
  f.memory.kind = "none";
  if (!use.operation.needs.empty())
    f.blamed = {use.operation};
  f.count = use.coverage.executions;
  f.coverage = use.coverage;
  return f;
}

} // namespace

void finishAdvice(Report &report) {
  std::vector<ScopeUse> places;
  std::map<Place, size_t> index;
  for (const ScopeUse &use : report.scopeUses) {
    auto [it, isNew] = index.try_emplace(placeOf(use.operation), places.size());
    if (isNew)
      places.push_back(use);
    else
      merge(places[it->second], use);
  }
  report.scopeUses.clear();
  for (const ScopeUse &use : places) {
    bool isNeeded = !use.operation.needs.empty();
    if (isNeeded ? scopeRank(use.operation.needs) < scopeRank(use.operation.scope)
                 : use.operation.kind == "fence")
      report.advisories.push_back(advisoryOf(use));
  }
  llvm::erase_if(report.advisories, [](const Finding &f) {
    if (f.name == "progress-not-promised")
      return false;
    if (f.name == "over-synchronized")
      return isLibraryCode(f.accesses[0]);
    return llvm::all_of(
        f.accesses, [](const Operation &op) { return isLibraryCode(op) || isWithinObject(op); });
  });
}

} // namespace scopesan::report

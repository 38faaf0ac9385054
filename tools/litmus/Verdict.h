// The verdict of the detector on a program: race or not, in how many executions, which pairs.
#pragma once

#include "Drive.h"
#include "Explorer.h"

#include <map>

namespace scopesan::litmus {

/// Two instructions, in the order of their sites, that a finding names.
struct RacePair {
  SiteOf first, second;
  auto operator<=>(const RacePair &o) const {
    auto key = [](const RacePair &p) {
      return std::tuple(p.first.thread, p.first.instr, p.second.thread, p.second.instr);
    };
    return key(*this) <=> key(o);
  }
  bool operator==(const RacePair &) const = default;
};

struct Verdict {
  ExploreResult explored;
  uint64_t considered = 0; ///< executions that satisfy the guard
  uint64_t racy = 0;
  uint64_t stuck = 0;                   ///< considered, but not every thread reached its end
  std::map<RacePair, uint64_t> pairs;   ///< executions in which a finding names the pair
  std::map<core::Rule, uint64_t> rules; ///< executions with such a finding, advisories included
  std::vector<std::string> givenUp;
  core::RuleCounters counters; ///< of all considered executions

  bool anyRace() const { return racy != 0; }
  /// X1 without a finding: neither race nor norace.
  bool incomplete() const { return !anyRace() && !givenUp.empty(); }
  /// Findings that are no races: a barrier is misused, or somebody waits for ever.
  bool misused() const {
    return stuck || rules.count(core::Rule::BarrierMisuse) ||
           rules.count(core::Rule::ForwardProgress);
  }
  /// "always", "some", "never".
  const char *frequency() const { return !racy ? "never" : racy == considered ? "always" : "some"; }

  /// The first racy execution and what was found in it.
  State witness;
  std::vector<core::Finding> witnessFindings;
};

struct VerdictOptions {
  core::DetectorOptions detector;
  ExploreLimits limits;
  bool stopAtFirstRace = false;
};

Verdict decide(const Machine &m, const VerdictOptions &options);

} // namespace scopesan::litmus

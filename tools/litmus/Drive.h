// Feeds one execution of a program to a fresh detector, the way a backend would.
#pragma once

#include "Machine.h"

#include "scopesan/core/detector.h"

namespace scopesan::litmus {

struct Judgement {
  std::vector<core::Finding> findings;
  std::vector<std::string> givenUp;      ///< X1
  std::vector<core::ScopeUse> scopeUses; ///< with advice
  core::RuleCounters counters;
};

/// Instruction of a program as the detector knows it.
struct SiteOf {
  uint32_t thread = None, instr = None;
  bool operator==(const SiteOf &) const = default;
};

/// Maps the instructions of a program to site ids and back.
class SiteTable {
public:
  explicit SiteTable(const Program &p) {
    for (const ThreadCode &t : p.threads) {
      First.push_back(Next);
      Next += uint32_t(t.code.size());
    }
  }
  core::SiteId site(uint32_t thread, uint32_t instr) const { return {First[thread] + instr}; }
  SiteOf of(core::SiteId s) const {
    for (uint32_t t = uint32_t(First.size()); t-- > 0;)
      if (s.value >= First[t])
        return {t, s.value - First[t]};
    return {};
  }

private:
  std::vector<uint32_t> First;
  uint32_t Next = 1;
};

/// Runs the execution that ended in `end` on a fresh detector.
Judgement judge(const Machine &m, const SiteTable &sites, const State &end,
                const core::DetectorOptions &options);

/// Findings that say "race" in the sense of the tables (D1-D6, D8-D11). Barrier misuse, progress
/// and advisories do not.
bool isRace(core::Rule r);

} // namespace scopesan::litmus

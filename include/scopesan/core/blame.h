// The blame of a pair that only scopes kept from being ordered (D3, D4).
#pragma once

#include "scopesan/core/context.h"

namespace scopesan::core {

class BlameRules {
public:
  explicit BlameRules(Context &c) : C(c) {}

  /// D3: would wider scopes have ordered `old` before `me`, and whose? Searches are bounded per
  /// pair of sites; later occurrences of the pair are counted under the result of the last search.
  bool d3Blame(Thread &t, const Record &old, const Record &me, BlameSet &out) {
    if (C.rejected.size() == 0)
      return false;
    KnownBlame &k = Known[(uint64_t(old.site) << 32 | me.site) + 1];
    if (k.searches < MaxSearches) {
      ++k.searches;
      k.blamed = BlameSet();
      k.found = d3MinimalBlame(t, old.epoch(), k.blamed);
    }
    if (k.found)
      out = k.blamed;
    return k.found;
  }
  /// D4: system scope is needed because the launches are in different domains of one device; then
  /// `rule` (D2 or D3) goes by that name.
  static Rule d4OrElse(Rule rule, const BlameSet &b) {
    return b.domains ? Rule::DomainViolation : rule;
  }

private:
  struct KnownBlame {
    uint32_t searches = 0;
    bool found = false;
    BlameSet blamed;
  };
  /// D3: the smallest set of operations on a path of rejected and real edges from `from` to `t`:
  /// breadth-first over rejected edges, nearest to `t` first; fewest blamed operations win a level.
  bool d3MinimalBlame(Thread &t, const Epoch &from, BlameSet &out) {
    struct Reached {
      uint32_t edge;
      BlameSet blamed;
    };
    Vec<Reached> level, all;
    Vec<uint8_t> seen;
    uint32_t n = C.rejected.size();
    seen.resize(n);
    bool found = false;
    auto consider = [&](uint32_t i, const BlameSet *before, Vec<Reached> &next) {
      const RejectedEdge &e = C.rejected.newest(i);
      BlameSet blamed = e.blamed;
      if (before)
        blamed.add(*before);
      if (C.covers(*e.snapshot, from)) {
        if (!found || blamed.count < out.count)
          out = blamed;
        found = true;
      } else if (next.size() < MaxFrontier) {
        next.push(Reached{i, blamed});
      }
      seen[i] = 1;
    };
    for (uint32_t i = 0; i < n; ++i)
      if (reaches(t, C.rejected.newest(i).to))
        consider(i, nullptr, level);
    for (uint32_t depth = 0; !found && !level.empty() && depth < MaxDepth; ++depth) {
      Vec<Reached> next;
      for (const Reached &r : level)
        for (uint32_t i = 0; i < n; ++i)
          if (!seen[i] && C.covers(*C.rejected.newest(r.edge).snapshot, C.rejected.newest(i).to))
            consider(i, &r.blamed, next);
      level = moved(next);
    }
    return found;
  }
  bool reaches(const Thread &t, const Epoch &to) const {
    return (to.block == t.block->id && to.thread == t.index) || C.happensBefore(t, to);
  }

  static constexpr uint32_t MaxSearches = 256, MaxFrontier = 64, MaxDepth = 4;
  Context &C;
  HashMap<KnownBlame> Known;
};

} // namespace scopesan::core

#include "Explorer.h"

#include <random>

namespace scopesan::litmus {

namespace {

class Search {
public:
  Search(const Machine &m, const ExploreLimits &limits, const ExecutionVisitor &visit)
      : M(m), Limits(limits), Visit(visit) {}

  ExploreResult run() {
    State s = M.initial();
    descend(s, 0);
    if (OverLimit && !Stopped) {
      Result.exhaustive = false;
      sample(s);
    }
    return Result;
  }

private:
  uint32_t threads() const { return uint32_t(M.program().threads.size()); }

  void descend(const State &s, uint64_t sleep) {
    if (s.refuted) {
      ++Result.abandoned;
      return;
    }
    bool any = false;
    for (uint32_t t = 0; t < threads() && !Stopped && !OverLimit; ++t) {
      if (!M.enabled(s, t))
        continue;
      any = true;
      if (sleep >> t & 1)
        continue;
      if (++Nodes > Limits.nodes) {
        OverLimit = true;
        return;
      }
      uint64_t childSleep = 0;
      if (!Limits.everyInterleaving)
        for (uint32_t u = 0; u < threads(); ++u)
          if (sleep >> u & 1 && M.independent(s, t, u))
            childSleep |= uint64_t(1) << u;
      State child = s;
      M.step(child, t);
      descend(child, childSleep);
      if (!Limits.everyInterleaving)
        sleep |= uint64_t(1) << t;
    }
    if (!any)
      end(s);
  }

  void end(const State &s) {
    bool finished = M.allDone(s) || M.stuckAtBarriers(s);
    if (finished)
      ++Result.executions;
    else
      ++Result.abandoned;
    if (!Visit(s, finished))
      Stopped = true;
    OverLimit |= Result.executions + Result.abandoned >= Limits.executions;
  }

  void sample(const State &initial) {
    std::mt19937_64 random(Limits.seed);
    for (uint64_t n = 0; n < Limits.samples && !Stopped; ++n) {
      State s = initial;
      for (;;) {
        std::vector<uint32_t> choices;
        for (uint32_t t = 0; t < threads(); ++t)
          if (M.enabled(s, t))
            choices.push_back(t);
        if (choices.empty() || s.refuted)
          break;
        M.step(s, choices[random() % choices.size()]);
      }
      if (s.refuted)
        ++Result.abandoned;
      else
        end(s);
    }
  }

  const Machine &M;
  const ExploreLimits &Limits;
  const ExecutionVisitor &Visit;
  ExploreResult Result;
  uint64_t Nodes = 0;
  bool OverLimit = false, Stopped = false;
};

} // namespace

ExploreResult explore(const Machine &m, const ExploreLimits &limits,
                      const ExecutionVisitor &visit) {
  return Search(m, limits, visit).run();
}

} // namespace scopesan::litmus

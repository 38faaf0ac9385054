#include "KernelVerdict.h"

#include "Order.h"
#include "emit/Needs.h"
#include "emit/Places.h"

#include <algorithm>
#include <set>

namespace scopesan::litmus {

namespace {

constexpr const char NoSuchDevice[] = "cudaErrorInvalidDevice";

/// D7, D12 and advisories are no races; the others are.
bool isRaceId(const std::string &rule) {
  return rule[0] == 'D' && rule != "D7" && !rule.starts_with("D12");
}
/// D12 of a wait that ended although nothing promised it.
constexpr const char EndedWait[] = "D12-ended";

class Judge {
public:
  Judge(KernelResult &result, const std::string &wanted, const CompareOptions &options)
      : K(result), P(result.model.program), M(P), Options(options), Wanted(wanted) {}

  void run(const std::vector<ObservedRun> &runs) {
    if (std::string operation = unmodelledOperation(P); !operation.empty())
      return unmodelled(runs, operation);
    for (const ObservedRun &r : runs) {
      ++K.runs;
      one(r);
    }
    conclude();
  }

private:
  void problem(const ObservedRun &r, const std::string &what) {
    if (Problem.empty())
      Problem = what + " (seed " + std::to_string(r.seed) + ")";
  }

  /// Every run must name what is not modelled (X1), and must not invent a race.
  void unmodelled(const std::vector<ObservedRun> &runs, const std::string &operation) {
    for (const ObservedRun &r : runs) {
      ++K.runs;
      const std::string *said = nullptr;
      for (const std::string &x : r.incomplete)
        if (!said && x.find(operation) != std::string::npos)
          said = &x;
      if (!said)
        problem(r, "nothing says that '" + operation + "' is not modelled (X1)");
      else
        K.reason = "as documented (X1):" + *said;
      for (const ObservedFinding &f : r.findings)
        if (isRaceId(f.rule))
          pair(r, f);
    }
    K.outcome = Problem.empty() ? Outcome::Incomplete : Outcome::Differ;
    if (!Problem.empty())
      K.reason = Problem;
  }

  void one(const ObservedRun &r) {
    if (r.error == NoSuchDevice) {
      ++K.missingDevices;
      return;
    }
    if (!r.error.empty())
      return problem(r, "CUDA error " + r.error);
    if (!r.incomplete.empty())
      return problem(r, "incomplete (X1): " + r.incomplete[0]);
    std::vector<Step> order;
    OrderSearch search = findOrder(P, r, order);
    if (search == OrderSearch::NotFound)
      problem(r, "no order of the operations explains the values that were read");
    State end = stateOf(r, order);
    if (refuted(r, order, search) || !M.satisfies(end, P.guard))
      return;
    if (r.stuck && waitsForMbarrier(r))
      return progress(r); // a wait of a row is one that returned true
    ++K.considered;
    K.stuck += r.stuck;
    if (r.stuck && !K.model.verdict.stuck)
      problem(r, "stuck, which no execution of the program is");
    bool race = false;
    for (const ObservedFinding &f : r.findings)
      if (isRaceId(f.rule)) {
        race = true;
        pair(r, f);
      }
    progress(r);
    K.racy += race;
  }

  /// D7 or D12 is reported exactly where the kernels got stuck, or a wait was not promised to end.
  void progress(const ObservedRun &r) {
    bool says = false;
    for (const ObservedFinding &f : r.findings)
      says |= !isRaceId(f.rule) && f.rule != EndedWait;
    if (says != r.stuck)
      problem(r, r.stuck ? "stuck without D7 or D12" : "D7 or D12 in a run that ended");
  }

  /// Some thread came to an mbarrier whose phase did not complete.
  bool waitsForMbarrier(const ObservedRun &r) const {
    for (uint32_t t = 0; t < r.logs.size() && t < P.threads.size(); ++t) {
      uint32_t next = r.logs[t].empty() ? 0 : r.logs[t].back().instr + 1;
      if (!r.ended[t] && next < P.threads[t].code.size() &&
          P.threads[t].code[next].verb == Verb::MbarWait)
        return true;
    }
    return false;
  }

  /// The end of the run as the machine would describe it, as far as guards ask.
  State stateOf(const ObservedRun &r, const std::vector<Step> &order) const {
    State s = M.initial();
    s.steps = order;
    for (uint32_t t = 0; t < P.threads.size() && t < r.logs.size(); ++t) {
      s.threads[t].status = r.ended[t] ? ThreadStatus::Done : ThreadStatus::Waiting;
      for (const Step &x : r.logs[t]) {
        if (x.instr >= P.threads[t].code.size())
          continue;
        if (order.empty())
          s.steps.push_back(x);
        uint32_t dst = P.threads[t].code[x.instr].dst;
        if (dst == None)
          continue;
        s.threads[t].registers[dst] = x.read;
        s.threads[t].assigned[dst] = true;
      }
    }
    Places at(P);
    for (uint32_t l = 0; l < P.locations.size(); ++l) {
      size_t slot = at.of[l].offset / LocationBytes;
      if (at.of[l].space == Space::Global && slot < r.memory.size())
        s.memory[l] = int32_t(r.memory[slot]);
    }
    return s;
  }

  /// Some operation did not do what the row says of it.
  bool refuted(const ObservedRun &r, const std::vector<Step> &order, OrderSearch search) const {
    for (const std::vector<Step> &log : r.logs)
      for (const Step &s : log) {
        const Expectation &e = P.threads[s.thread].code[s.instr].expect;
        if ((e.reads && *e.reads != s.read) || (e.succeeds && *e.succeeds != s.wrote) ||
            (e.fromOtherThread && search != OrderSearch::Found) || answered(s))
          return true;
      }
    for (const Step &s : order)
      if (P.threads[s.thread].code[s.instr].expect.fromOtherThread &&
          (s.from == None || order[s.from].thread == s.thread))
        return true;
    return false;
  }

  /// A query that the row wants to find work unfinished found it finished.
  bool answered(const Step &s) const {
    const Instr &i = P.threads[s.thread].code[s.instr];
    return i.verb == Verb::Nop && i.text.find("==NotReady") != std::string::npos && !s.read;
  }

  /// Every race that is reported must be one of the model's.
  void pair(const ObservedRun &r, const ObservedFinding &f) {
    auto site = [](const std::pair<uint32_t, uint32_t> &o) { return SiteOf{o.first, o.second}; };
    SiteTable sites(P);
    auto name = [&](const std::pair<uint32_t, uint32_t> &o) {
      bool known = o.first < P.threads.size() && o.second < P.threads[o.first].code.size();
      return known ? P.threads[o.first].name + ":" + P.threads[o.first].code[o.second].text
                   : std::string("no operation of the row");
    };
    RacePair one{site(f.first), site(f.second)}, other{site(f.second), site(f.first)};
    const Verdict &v = K.model.verdict;
    if (v.pairs.count(one) || v.pairs.count(other) || !v.explored.exhaustive)
      return;
    const Verdict &more = withMoreLoops();
    if (more.pairs.count(one) || more.pairs.count(other) || !more.explored.exhaustive)
      return;
    problem(r, f.rule + " that the model does not have: " + name(f.first) + " ~ " + name(f.second));
  }

  /// Kernels repeat their spins as often as it takes, the model only a little.
  const Verdict &withMoreLoops() {
    if (!Longer) {
      Program p = P;
      p.maxLoop = std::max(p.maxLoop + 1, 2u);
      Machine m(p);
      VerdictOptions options;
      options.detector.cxxMode = Options.cxxMode;
      options.limits = Options.limits;
      Longer = decide(m, options);
    }
    return *Longer;
  }

  void conclude() {
    const Verdict &v = K.model.verdict;
    K.outcome = Outcome::Differ;
    K.reason = Problem;
    if (!Problem.empty())
      return;
    if (K.runs && K.missingDevices == K.runs) {
      K.outcome = Outcome::NotRun;
      K.reason = "the backend models too few devices";
      return;
    }
    bool race = K.racy != 0, wantedRace = Wanted == "race";
    K.needsMoreRuns = v.considered && (!K.considered || (v.racy && !K.racy));
    if (K.considered == 0) {
      K.outcome = v.considered ? Outcome::Differ : Outcome::NotRun;
      K.reason = v.considered ? "no run satisfied the guard" : K.model.reason;
    } else if (v.considered && !sameFrequency()) {
      K.reason = std::string("races in ") + frequencyText() + ", in the model " + v.frequency();
    } else if (K.model.outcome == Outcome::Explained) {
      bool sameAsModel = race == v.anyRace() || P.barriersUnknown;
      K.outcome = race == wantedRace ? Outcome::Agree
                  : sameAsModel      ? Outcome::Explained
                                     : Outcome::Differ;
      K.reason = K.outcome == Outcome::Agree ? "" : K.model.reason;
    } else if (race == wantedRace) {
      K.outcome = Outcome::Agree;
    }
  }
  /// Always and never are promises for every run; "some" needs one of them.
  bool sameFrequency() const {
    const Verdict &v = K.model.verdict;
    if (P.barriersUnknown)
      return true;
    return v.racy == 0              ? K.racy == 0
           : v.racy == v.considered ? K.racy == K.considered
                                    : K.racy != 0;
  }
  std::string frequencyText() const {
    return std::to_string(K.racy) + " of " + std::to_string(K.considered) + " runs";
  }

  KernelResult &K;
  const Program &P;
  Machine M;
  const CompareOptions &Options;
  std::optional<Verdict> Longer;
  std::string Wanted, Problem;
};

} // namespace

KernelResult judgeKernels(const Row &row, const std::vector<ObservedRun> *runs,
                          const std::string &skipped, const CompareOptions &options) {
  KernelResult k;
  k.model = compareRow(row, options);
  if (k.model.outcome == Outcome::NoVerdict) {
    k.outcome = Outcome::NoVerdict;
  } else if (!skipped.empty()) {
    k.reason = skipped;
  } else if (!runs) {
    k.outcome = Outcome::Differ;
    k.reason = "no run was observed";
  } else {
    Judge(k, options.cxxMode ? row.hbRace : row.ptxRace, options).run(*runs);
  }
  return k;
}

} // namespace scopesan::litmus

#include "Barriers.h"

#include "ThreadCode.h"

#include <algorithm>
#include <set>

namespace scopesan::litmus {

namespace {

constexpr uint32_t WarpSize = 32, BarrierLimit = 16;
/// Barriers that registers name: PTX barrier 4 * id + logical id.
constexpr int64_t LogicalIds = 4;

using Name = std::pair<int64_t, int64_t>; ///< id, logical id

bool isCounted(const Instr &i) { return i.verb == Verb::BlockBarrier && !i.allThreads; }

/// The value of an expression that does not depend on what the thread reads: constants, and
/// registers that nothing assigns.
std::optional<int64_t> fixedValue(const ThreadCode &t, const Expr &e) {
  if (e.op)
    return std::nullopt;
  if (e.a.isConstant())
    return e.a.value;
  for (const Instr &i : t.code)
    if (i.dst == e.a.reg)
      return std::nullopt;
  return t.initialRegisters[e.a.reg];
}
std::optional<Name> fixedName(const ThreadCode &t, const Instr &i) {
  std::optional<int64_t> id = fixedValue(t, i.barrier), logical = fixedValue(t, i.logicalBarrier);
  return id && logical ? std::optional<Name>({*id, *logical}) : std::nullopt;
}

/// Does `f(thread, instruction)` for the barriers of the block of `thread`.
template <class F> void eachBarrier(const Program &p, uint32_t thread, F f) {
  for (uint32_t t = 0; t < p.threads.size(); ++t)
    if (t == thread || p.sameBlock(t, thread))
      for (const Instr &i : p.threads[t].code)
        if (isCounted(i))
          f(t, i);
}

/// PTX barrier of a constant name: its own number where that is free, else the next free one.
uint32_t numberOf(const Program &p, uint32_t thread, Name wanted) {
  std::vector<Name> names;
  eachBarrier(p, thread, [&](uint32_t t, const Instr &i) {
    Name name = *fixedName(p.threads[t], i);
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  });
  std::sort(names.begin(), names.end());
  std::set<int64_t> taken;
  std::vector<int64_t> numbers(names.size(), -1);
  for (size_t n = 0; n < names.size(); ++n)
    if (names[n].first >= 0 && names[n].first < BarrierLimit && taken.insert(names[n].first).second)
      numbers[n] = names[n].first;
  int64_t next = 1;
  for (size_t n = 0; n < names.size(); ++n) {
    while (numbers[n] < 0 && !taken.insert(next).second)
      ++next;
    numbers[n] = numbers[n] < 0 ? next : numbers[n];
    if (names[n] == wanted)
      return uint32_t(numbers[n]);
  }
  return BarrierLimit;
}

/// Some barrier of the block is named by a register: whoever may meet others waits for every thread
/// that has not exited, since the count is not known either.
BarrierOperands namedByRegister(const Program &p, uint32_t thread, const Instr &i) {
  BarrierOperands out;
  std::string id = cxx(i.barrier), logical = cxx(i.logicalBarrier), meets;
  out.id = "(" + std::to_string(LogicalIds) + " * " + id + " + " + logical + ")";
  if (i.arriveOnly || i.count)
    out.error = "a barrier that a register names, with a count";
  if (fixedName(p.threads[thread], i))
    return out;
  eachBarrier(p, thread, [&](uint32_t t, const Instr &j) {
    std::optional<Name> other = fixedName(p.threads[t], j);
    if (t == thread)
      return;
    if (!other)
      out.error = "two barriers that registers name";
    else
      meets += (meets.empty() ? "(" : " || (") + id + " == " + std::to_string(other->first) +
               " && " + logical + " == " + std::to_string(other->second) + ")";
  });
  out.alone = meets.empty() ? "true" : "!(" + meets + ")";
  return out;
}

std::string warps(uint32_t n) { return std::to_string(n * WarpSize); }

} // namespace

std::string cxx(const Expr &e) {
  auto operand = [](const Operand &o) {
    return o.isConstant() ? std::to_string(o.value) : "q" + std::to_string(o.reg);
  };
  std::string a = operand(e.a);
  return e.op ? "(" + a + " " + e.op + " " + operand(e.b) + ")" : a;
}

BarrierOperands barrierOperands(const Program &p, const Layout &where, uint32_t thread,
                                const Instr &i) {
  if (i.allThreads)
    return {"0", "", "", ""};
  bool byRegister = false, arrives = false;
  std::optional<Name> name = fixedName(p.threads[thread], i);
  std::set<uint32_t> participants;
  eachBarrier(p, thread, [&](uint32_t t, const Instr &j) {
    std::optional<Name> other = fixedName(p.threads[t], j);
    byRegister |= !other;
    if (name != other)
      return;
    participants.insert(t);
    arrives |= j.arriveOnly;
  });
  BarrierOperands out;
  if (byRegister)
    return namedByRegister(p, thread, i);
  out.id = std::to_string(numberOf(p, thread, *name));
  std::set<uint32_t> warpsOfThem, threadsOfBlock;
  for (uint32_t t : participants)
    warpsOfThem.insert(where.index[t] / WarpSize);
  for (uint32_t t = 0; t < p.threads.size(); ++t)
    if (t == thread || p.sameBlock(t, thread))
      threadsOfBlock.insert(t);
  bool ownWarps = warpsOfThem.size() == participants.size();
  if (i.count && (!i.count->a.isConstant() || i.count->op))
    out.error = "a count of barrier arrivals in a register";
  else if (i.count && i.othersArrive) // the row leaves threads out: only its own arrive
    out.count = warps(uint32_t(std::min<int64_t>(i.count->a.value, int64_t(participants.size()))));
  else if (i.count)
    out.count = warps(uint32_t(i.count->a.value));
  else if ((arrives || participants != threadsOfBlock))
    out.count = warps(uint32_t(participants.size()));
  if (!out.count.empty() && !ownWarps)
    out.error = noCudaForm("a PTX barrier counts whole warps");
  return out;
}

} // namespace scopesan::litmus

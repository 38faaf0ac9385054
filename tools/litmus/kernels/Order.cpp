#include "Order.h"

#include "emit/Places.h"

#include <set>

namespace scopesan::litmus {

namespace {

class Search {
public:
  Search(const Program &p, const ObservedRun &run) : P(p), R(run), At(p) {}

  OrderSearch run(std::vector<Step> &out) {
    if (!collect())
      return OrderSearch::Unknown;
    Memory.resize(P.locations.size());
    Writer.assign(P.locations.size(), None);
    for (uint32_t l = 0; l < P.locations.size(); ++l)
      Memory[l] = P.locations[P.root(l)].initial;
    Next.assign(P.threads.size(), 0);
    if (!descend())
      return Nodes > NodeLimit ? OrderSearch::Unknown : OrderSearch::NotFound;
    out = Order;
    return OrderSearch::Found;
  }

private:
  static constexpr uint32_t NodeLimit = 200'000, LengthLimit = 400;

  /// The logged accesses by thread. False: their values do not tell everything.
  bool collect() {
    std::vector<uint32_t> bytes(P.locations.size());
    for (const ThreadCode &t : P.threads)
      for (const Instr &i : t.code) {
        if (i.verb == Verb::AsyncCopy || t.at.host || i.proxy != Proxy::Generic)
          return false;
        if (!i.isMemory())
          continue;
        uint32_t root = P.root(i.location);
        if (i.offset || i.elementBytes || (bytes[root] && bytes[root] != i.bytes))
          return false;
        bytes[root] = i.bytes;
      }
    uint32_t length = 0;
    Accesses.resize(P.threads.size());
    for (uint32_t t = 0; t < R.logs.size() && t < P.threads.size(); ++t)
      for (const Step &s : R.logs[t])
        if (s.instr < P.threads[t].code.size() && P.threads[t].code[s.instr].isMemory() &&
            !P.locations[P.threads[t].code[s.instr].location].isLocal) {
          Accesses[t].push_back(s);
          ++length;
        }
    return length <= LengthLimit;
  }

  bool descend() {
    if (++Nodes > NodeLimit)
      return false;
    bool done = true;
    for (uint32_t t = 0; t < Accesses.size(); ++t)
      done &= Next[t] == Accesses[t].size();
    if (done)
      return endIsAsObserved();
    std::vector<int64_t> key(Next.begin(), Next.end());
    key.insert(key.end(), Memory.begin(), Memory.end());
    if (!Seen.insert(key).second)
      return false;
    for (bool writes : {false, true}) // reads that fit first: they change nothing
      for (uint32_t t = 0; t < Accesses.size(); ++t)
        if (Next[t] < Accesses[t].size() && Accesses[t][Next[t]].wrote == writes && take(t))
          return true;
    return false;
  }
  bool take(uint32_t t) {
    Step s = Accesses[t][Next[t]];
    const Instr &i = P.threads[t].code[s.instr];
    uint32_t root = P.root(i.location);
    if (i.reads() && logsRead(i) && s.read != Memory[root])
      return false;
    int64_t before = Memory[root];
    uint32_t writer = Writer[root];
    s.from = i.reads() ? writer : None;
    if (i.verb == Verb::Rmw)
      s.written = afterRmw(i, t, before);
    if (s.wrote) {
      Memory[root] = s.written;
      Writer[root] = uint32_t(Order.size());
    }
    Order.push_back(s);
    ++Next[t];
    if (descend())
      return true;
    --Next[t];
    Order.pop_back();
    Memory[root] = before;
    Writer[root] = writer;
    return false;
  }
  /// Reds log their operand, all others what they read.
  static bool logsRead(const Instr &i) {
    return i.returns || i.rmw == RmwKind::Exchange || i.rmw == RmwKind::CompareExchange;
  }
  /// Registers as operands
  /// have the value of the latest operation of the thread that set them.
  int64_t afterRmw(const Instr &i, uint32_t thread, int64_t old) const {
    std::vector<int64_t> registers = P.threads[thread].initialRegisters;
    for (const Step &s : R.logs[thread]) {
      if (&s - R.logs[thread].data() >= positionOf(thread))
        break;
      uint32_t dst = P.threads[thread].code[s.instr].dst;
      if (dst != None)
        registers[dst] = s.read;
    }
    auto value = [&](const Operand &o) { return o.isConstant() ? o.value : registers[o.reg]; };
    int64_t v = value(i.value.a);
    v = i.value.op == '+' ? v + value(i.value.b) : i.value.op == '-' ? v - value(i.value.b) : v;
    return int32_t(applyRmw(i.rmw, old, v));
  }
  /// Index in the thread's whole log of its next access.
  std::ptrdiff_t positionOf(uint32_t thread) const {
    std::ptrdiff_t at = 0;
    uint32_t accesses = 0;
    for (const Step &s : R.logs[thread]) {
      const Instr &i = P.threads[thread].code[s.instr];
      bool counts = i.isMemory() && !P.locations[i.location].isLocal;
      if (counts && accesses++ == Next[thread])
        return at;
      ++at;
    }
    return at;
  }
  bool endIsAsObserved() const {
    for (uint32_t l = 0; l < P.locations.size() && !R.memory.empty(); ++l) {
      size_t slot = At.of[l].offset / LocationBytes;
      if (P.root(l) == l && At.of[l].space == Space::Global && slot < R.memory.size() &&
          int32_t(Memory[l]) != int32_t(R.memory[slot])) // 4 bytes of the slot are compared
        return false;
    }
    return true;
  }

  const Program &P;
  const ObservedRun &R;
  Places At;
  std::vector<std::vector<Step>> Accesses;
  std::vector<uint32_t> Next; ///< by thread
  std::vector<int64_t> Memory;
  std::vector<uint32_t> Writer; ///< by root: index in Order
  std::vector<Step> Order;
  std::set<std::vector<int64_t>> Seen;
  uint32_t Nodes = 0;
};

} // namespace

OrderSearch findOrder(const Program &p, const ObservedRun &run, std::vector<Step> &steps) {
  return Search(p, run).run(steps);
}

} // namespace scopesan::litmus

// Operations on one location whose order their values do not tell (locations.h).
#include "gpu/locations.h"

namespace scopesan::gpu {

/// Open operations may have left any value: all of them come first.
bool Locations::throughUnknown(Location &l, const AtomicOp &self) {
  std::vector<AtomicOp *> ops = l.blind;
  std::erase(ops, &self);
  for (AtomicOp *op : ops)
    apply(*op);
  if (!ops.empty())
    noteOrder(self);
  return !ops.empty();
}

/// The operation may have been ordered too much. That matters once a thread of its block acquires.
void Locations::noteOrder(const AtomicOp &op) {
  if (op.op.acquires())
    ++Ambiguous;
  else
    Unordered.insert(op.thread->block);
}

/// All of them have acted, in an order that nobody knows; their threads are still there. Each
/// learns of all others.
void Locations::joinAll(const std::vector<AtomicOp *> &ops) {
  for (AtomicOp *op : ops) {
    tellRead(*op);
    if (!op->repeated)
      noteOrder(*op);
  }
}

// ---------------------------------------------------------------- values that come back

/// Values that the location can have had since the one that is known, without `op`.
std::unordered_set<uint64_t> Locations::valuesWithout(const Location &l, const AtomicOp &op) {
  std::unordered_multimap<uint64_t, uint64_t> steps;
  std::vector<uint64_t> next{l.current};
  for (auto &[written, other] : l.writers)
    if (other != &op) {
      if (other->isStep() && !wasThere(l, *other))
        steps.emplace(other->value, written);
      else
        next.push_back(written);
    }
  std::unordered_set<uint64_t> reached(next.begin(), next.end());
  while (!next.empty()) {
    auto [begin, end] = steps.equal_range(next.back());
    next.pop_back();
    for (auto i = begin; i != end; ++i)
      if (reached.insert(i->second).second)
        next.push_back(i->second);
  }
  return reached;
}

/// `by` is about to replace the current value, which it has not read.
void Locations::notePast(Location &l, const AtomicOp &by) {
  constexpr size_t Most = 1 << 12;
  if (isOnlyWriter(by) || l.past.size() > Most)
    l.past.clear(); // no other can come after it
  if (l.known && !isAlone(by))
    l.past[l.current] = {l.opened, l.writer || by.opened <= l.writerEnd};
}

void Locations::ended(const AtomicOp &op) {
  Location &l = *op.at;
  --l.open;
  if (op.wrote)
    --l.openWriters;
  if (l.writer == &op) {
    l.writer = nullptr;
    l.writerEnd = l.opened;
  }
}

/// What the read-modify-write has read was there before a store that was told already: it acted
/// then, and what it left was gone as well. The store did not take away what readers learn.
void Locations::actBeforeStore(AtomicOp &op) {
  Location &l = *op.at;
  removeWriter(op);
  tell(op);
  op.applied = true;
  l.past[op.written] = PastValue(l.past[op.value]);
  auto [begin, end] = l.readers.equal_range(op.written);
  for (auto i = begin; i != end; ++i)
    tellRead(*i->second);
  written(l);
}

/// Did the location hold what `op` has read at one moment only, as far as open operations tell?
bool Locations::isUnique(const Location &l, const AtomicOp &op) const {
  if (l.known && l.current == op.value && !l.writers.count(op.value))
    return true;
  return isUnique(l, op, nullptr) || (l.known && [&] {
           std::unordered_set<uint64_t> reached = valuesWithout(l, op);
           return isUnique(l, op, &reached);
         }());
}

/// `reached`: operations that read anything else have not acted.
bool Locations::isUnique(const Location &l, const AtomicOp &op,
                         const std::unordered_set<uint64_t> *reached) {
  std::unordered_set<uint64_t> seen;
  bool begins = !l.known && (l.swings || l.version);
  const AtomicOp *reader = &op;
  for (uint64_t value = op.value; seen.insert(value).second;) {
    bool isHere =
        (l.known && l.current == value) || (value == op.value && op.fed) || wasThere(l, *reader);
    unsigned writers = 0;
    const AtomicOp *last = nullptr;
    auto [begin, end] = l.writers.equal_range(value);
    for (auto i = begin; i != end; ++i) {
      const AtomicOp *w = i->second;
      if (w != &op && (!reached || !w->isStep() || reached->count(w->value) || wasThere(l, *w))) {
        ++writers;
        last = w;
      }
    }
    if (writers + isHere + (writers && begins && (l.swings || last->isStep())) > 1)
      return false;
    if (!writers) // here, or at an unknown beginning: not that of a circle
      return isHere || l.known || op.onlyReads() || value != op.written;
    if (!last->isStep())
      return true;
    reader = last;
    value = last->value;
  }
  return false;
}

/// All open operations that write act now. Where they lead follows from how often each value is
/// read and written.
void Locations::joinGroup(Location &l) {
  ++l.groups;
  std::vector<AtomicOp *> group = l.blind;
  std::unordered_map<uint64_t, int> balance;
  bool allSteps = group.empty() && l.known;
  if (l.known) {
    ++balance[l.current];
    if (!group.empty() || !l.writers.empty())
      l.past[l.current] = {l.opened, true};
  }
  for (auto &[written, op] : l.writers) {
    group.push_back(op);
    allSteps &= op->isStep();
    --balance[op->value];
    ++balance[written];
  }
  for (auto &[value, op] : l.readers)
    if (op->wrote && !op->applied)
      group.push_back(op);
  for (AtomicOp *op : group) {
    markEarly(*op);
    if (op->onlyReads())
      tellUnchanged(*op);
    else
      apply(*op);
  }
  joinAll(group);
  unsigned ends = 0, others = 0;
  for (auto [value, n] : balance) {
    if (n == 1) {
      ++ends;
      l.current = value;
    } else if (n) {
      ++others;
    }
  }
  l.known = allSteps && ends == 1 && !others;
  l.unsure = !l.known;
}

/// Open operations that write a part of the location, or more than it, may come before what reads
/// it.
bool Locations::joinOverlapping(const Location &l) {
  Granule &g = Granules[l.address / GranuleBytes];
  bool any = false;
  for (size_t i = 0; g.size() > 1 && i < g.size(); ++i) {
    Location &other = *g[i];
    if (&other == &l || other.address >= l.address + l.bytes ||
        l.address >= other.address + other.bytes || (other.writers.empty() && other.blind.empty()))
      continue;
    joinGroup(other);
    any = true;
  }
  return any;
}

/// Open read-modify-writes that left the value that `op` has read as it was may have come before
/// it.
bool Locations::actUnchanged(Location &l, const AtomicOp &op) {
  bool any = false;
  auto [begin, end] = l.readers.equal_range(op.value);
  for (auto i = begin; i != end; ++i) {
    AtomicOp &other = *i->second;
    if (&other == &op || !other.wrote || other.applied)
      continue;
    tellUnchanged(other);
    any = true;
    if (other.op.releases())
      noteOrder(op);
  }
  return any;
}

/// An operation that was told early may have acted at any time until now.
void Locations::actedNow(Location &l) {
  --l.early;
  if (l.known)
    l.past[l.current] = {l.opened, true};
  l.known = false;
  l.unsure = true;
  ++l.version;
}

} // namespace scopesan::gpu

#include "gpu/locations.h"

#include <algorithm>

namespace scopesan::gpu {

using abi::AccessKind;

void Locations::erase(std::unordered_multimap<uint64_t, AtomicOp *> &map, uint64_t key,
                      AtomicOp *op) {
  auto [begin, end] = map.equal_range(key);
  for (auto i = begin; i != end; ++i)
    if (i->second == op) {
      map.erase(i);
      return;
    }
}

Location &Locations::at(uint64_t address, uint32_t bytes) {
  Granule &g = Granules[address / GranuleBytes];
  for (auto &l : g)
    if (l->address == address && l->bytes == bytes)
      return *l;
  g.push_back(std::make_unique<Location>());
  g.back()->address = address;
  g.back()->bytes = bytes;
  if (std::optional<uint64_t> value = Values.read(address, bytes)) {
    g.back()->known = true;
    g.back()->current = *value;
  }
  return *g.back();
}

void Locations::holds(uint64_t address, uint64_t bytes, const Content &content) {
  Values.set(address, bytes, content);
  for (auto &[n, g] : Granules)
    for (auto &l : g)
      if (l->address >= address && l->address + l->bytes <= address + bytes) {
        l->known = true;
        l->current = *Values.read(l->address, l->bytes);
        l->unsure = false;
      }
}

void Locations::remember(uint64_t end) {
  for (auto &[n, g] : Granules)
    for (auto &l : g)
      if (l->known && !l->unsure && !l->shared && l->address < end && DeviceOnly &&
          DeviceOnly(l->address))
        Values.set(l->address, l->bytes, l->current);
}

void Locations::keep(Location &l, const core::Thread *writer) {
  constexpr size_t MostKept = 64;
  auto object = std::make_unique<core::SyncObject>();
  if (!D.keepValue(l.address, l.bytes, *object))
    return;
  if (l.kept.size() == MostKept) {
    auto oldest = l.kept.begin();
    if (!writer || !oldest->replaced || !D.precedes(*oldest->replaced, *writer))
      ++Unplaced; // who reads that one fits no order
    l.kept.erase(oldest);
  }
  l.kept.push_back({l.known, l.current, {}, std::move(object)});
  if (writer)
    l.kept.back().replaced = writer->epoch();
}

/// A value that was replaced may be what the operation has read.
void Locations::feedKept(AtomicOp &op) {
  Location &l = *op.at;
  if (op.isStore() || (!l.unsure && !l.shared))
    return;
  bool fits = false;
  for (KeptValue &k : l.kept) {
    if ((k.replaced && D.precedes(*k.replaced, *op.thread)) ||
        (k.known && op.valueKnown && k.value != op.value))
      continue;
    D.observeKept(*op.thread, *k.object, op.reader().op, op.site);
    fits = true;
  }
  if (fits && !op.repeated)
    ++Ambiguous;
}

/// Hands the operation to the detector, now.
void Locations::tell(AtomicOp &op) {
  if (!op.at->kept.empty())
    feedKept(op);
  if (op.at->restored && !op.isStore() && !op.repeated &&
      !D.knowsKept(*op.at->restored, *op.thread))
    noteOrder(op); // perhaps too much
  for (unsigned n = op.waits ? 2 : 1; n; --n) {
    D.atomicBefore(*op.thread, op.address, op.bytes, op.op, op.site);
    D.atomicAfter(*op.thread, op.address, op.bytes, op.op, op.site, op.wrote, op.value);
  }
}

/// A reader acts on the current value.
void Locations::feed(AtomicOp &op) {
  if (op.applied) { // a read-modify-write acts once, at one of several moments
    if (op.fedVersion != op.at->version)
      joinAll({&op});
    else if (op.fedUnchanged != op.at->unchanged)
      tellRead(op); // others like it came meanwhile
    op.fedVersion = op.at->version;
    op.fedUnchanged = op.at->unchanged;
    return;
  }
  if (op.fed) {
    if (op.fedVersion == op.at->version)
      return;
    if (!op.repeated)
      ++Ambiguous;
  }
  if (op.wrote)
    return tellUnchanged(op);
  tell(op);
  op.fed = true;
  op.fedVersion = op.at->version;
}

/// The current value is about to go: those who read it can have acted no later than now.
/// Read-modify-writes first: they add to what the others may have read.
void Locations::flushReaders(Location &l) {
  if (!l.known || l.readers.empty())
    return;
  std::vector<AtomicOp *> writing;
  auto [begin, end] = l.readers.equal_range(l.current);
  for (auto i = begin; i != end; ++i)
    if (i->second->wrote)
      writing.push_back(i->second);
  for (AtomicOp *op : writing)
    feed(*op);
  for (AtomicOp *op : writing)
    if (writing.size() > 1) // in any order, which seldom matters: they leave what they have read
      tellRead(*op);
  for (auto i = begin; i != end; ++i)
    if (!i->second->wrote)
      feed(*i->second);
}

void Locations::removeWriter(AtomicOp &op) {
  Location &l = *op.at;
  if (!op.writtenKnown)
    std::erase(l.blind, &op);
  else
    erase(l.writers, op.written, &op);
}

void Locations::apply(AtomicOp &op) {
  Location &l = *op.at;
  if (!l.known && op.valueKnown && !op.isStore()) { // it tells what was there
    l.known = true;
    l.current = op.value;
  }
  if (op.isStore() || !op.writtenKnown || !l.known || l.current != op.written)
    flushReaders(l);
  removeWriter(op);
  if (l.shared)
    keep(l, nullptr);
  if (op.op.kind() == AccessKind::Store || (l.known && l.current != op.value))
    notePast(l, op);
  else if (l.known && wasThere(l, op)) // it acted now, or then and what is here stays
    l.past[op.value] = {l.opened, true};
  if (op.op.kind() == AccessKind::Store)
    applyStore(op);
  else
    tell(op);
  op.applied = true;
  l.known = op.writtenKnown;
  l.current = op.written;
  l.unsure = !op.writtenKnown;
  l.writer = &op;
  ++l.version;
  if (!Values.empty())
    Values.forget(l.address, l.bytes);
  written(l);
  // Locations of other sizes that overlap hold something else now.
  for (auto &other : Granules[l.address / GranuleBytes])
    if (other.get() != &l && other->address < l.address + l.bytes &&
        l.address < other->address + other->bytes) {
      flushReaders(*other);
      other->known = false;
      ++other->version;
    }
}

/// A store replaces what readers learn. Where it may have come before what was told already, they
/// learn both. (Readers of the value that it replaces were told; where that is not known, any
/// reader may be one.)
void Locations::applyStore(AtomicOp &op) {
  Location &l = *op.at;
  std::unique_ptr<core::SyncObject> replaced; // null: nothing is lost
  if (op.early || !l.known || l.unsure ? !isAlone(op) : !isOnlyWriter(op)) {
    replaced = std::make_unique<core::SyncObject>();
    if (!D.keepValue(l.address, l.bytes, *replaced) ||
        (op.op.releases() && D.knowsKept(*replaced, *op.thread)))
      replaced.reset();
  }
  tell(op);
  if (replaced)
    D.restoreKept(l.address, l.bytes, *replaced);
  l.restored = std::move(replaced);
}

/// Searches backwards: which open operation wrote `value`, and what did that one read? A store ends
/// the search, so does the current value, or an unknown one that nothing else explains.
bool Locations::reach(Location &l, uint64_t value, AtomicOp *self) {
  constexpr unsigned MaxSteps = 1 << 16;
  struct Step {
    uint64_t target;
    std::vector<AtomicOp *> candidates;
  };
  std::vector<Step> steps;
  std::vector<AtomicOp *> path;
  auto look = [&](uint64_t target) {
    Step s{target, {}};
    auto [begin, end] = l.writers.equal_range(target);
    for (auto i = begin; i != end; ++i)
      if (i->second != self && !i->second->onPath)
        s.candidates.push_back(i->second);
    steps.push_back(std::move(s));
  };
  bool found = l.known && l.current == value;
  if (!found) {
    look(value);
    if (steps.back().candidates.empty())
      return !l.known || throughUnknown(l, *self);
  }
  for (unsigned n = 0; !found && !steps.empty() && n < MaxSteps; ++n) {
    Step &s = steps.back();
    if (s.candidates.empty()) {
      steps.pop_back();
      if (!path.empty()) {
        path.back()->onPath = false;
        path.pop_back();
      }
      continue;
    }
    AtomicOp *op = s.candidates.back();
    s.candidates.pop_back();
    op->onPath = true;
    path.push_back(op);
    if (op->isStore() || !op->valueKnown || (l.known && op->value == l.current)) {
      found = true;
    } else {
      look(op->value);
      found = steps.back().candidates.empty() && (!l.known || wasThere(l, *op));
    }
  }
  for (AtomicOp *op : path)
    op->onPath = false;
  if (!found)
    return throughUnknown(l, *self);
  for (auto i = path.rbegin(); i != path.rend(); ++i)
    apply(**i);
  return true;
}

AtomicOp *Locations::pendingStore(Location &l, uint64_t value, const AtomicOp &other) {
  auto [begin, end] = l.writers.equal_range(value);
  for (auto i = begin; i != end; ++i)
    if (i->second != &other && i->second->isStore())
      return i->second;
  return nullptr;
}

void Locations::open(AtomicOp &op) {
  Location &l = at(op.address, op.bytes);
  op.at = &l;
  l.swings |= op.swings;
  op.beside = l.open != 0;
  if (!l.open && !l.past.empty())
    std::erase_if(l.past, [](const auto &p) { return !p.second.mayBack; });
  op.opened = ++l.opened;
  ++l.open;
  op.besideWriter = l.openWriters != 0;
  if (op.wrote) {
    ++l.openedWriters;
    ++l.openWriters;
  }
  op.openedWriters = l.openedWriters;
  op.groups = l.groups;
  if (op.onlyReads()) {
    if (op.valueKnown)
      l.readers.emplace(op.value, &op);
  } else if (op.writtenKnown) {
    l.writers.emplace(op.written, &op);
  } else {
    l.blind.push_back(&op);
  }
}

void Locations::close(AtomicOp &op) {
  Location &l = *op.at;
  ended(op);
  bool several = false;
  if (op.valueKnown && !op.repeated) {
    bool mayAct = !op.applied || op.onlyReads();
    several =
        joinOverlapping(l) || l.early || op.groups != l.groups || (mayAct && !isUnique(l, op));
    if (several)
      joinGroup(l);
    else if (mayAct) {
      if (!op.fed && (!l.known || l.current != op.value))
        reach(l, op.value, &op);
      if (actUnchanged(l, op) && op.fed)
        tellRead(op);
    }
  }
  if (op.onlyReads())
    closeReader(l, op, several);
  else if (op.applied && several && !op.early)
    joinAll({&op});
  else if (!op.applied && several)
    apply(op);
  else if (!op.applied)
    closeStep(l, op);
  if (op.early) { // what came meanwhile may have come before it
    joinAll({&op});
    actedNow(l);
  }
}

/// `several`: its moment is one of several; all that may have come before it was told.
void Locations::closeReader(Location &l, AtomicOp &op, bool several) {
  bool fits = !op.valueKnown || (l.known ? l.current == op.value : op.fed);
  if (several && op.applied) {
    joinAll({&op});
  } else if (several) {
    feed(op);
    noteOrder(op);
  } else if (!fits && !op.fed) {
    bool reached = reach(l, op.value, &op), was = !reached && wasThere(l, op);
    fits = reached || was || l.unsure; // another guess
    if (!fits && !op.repeated)
      noPlace(op);
    if (fits && (was ? !wasOpenThen(l, op) : !l.known || l.unsure)) {
      if (was && l.known) {
        flushReaders(l);
        l.past[l.current] = {l.opened, true};
        ++l.version;
      }
      l.known = true;
      l.current = op.value;
    }
    feed(op);
  } else if (fits) {
    feed(op);
    // A store of the same value may have been the one that was read.
    if (AtomicOp *store = op.valueKnown ? pendingStore(l, op.value, op) : nullptr) {
      apply(*store);
      if (!op.wrote && op.fedVersion != l.version) {
        tell(op);
        op.fedVersion = l.version;
      }
    }
  }
  if (!several && !fits && op.fed && wasThere(l, op))
    tellRead(op); // what came since may have come before it
  if (op.valueKnown)
    erase(l.readers, op.value, &op);
}

void Locations::closeStep(Location &l, AtomicOp &op) {
  if (op.valueKnown && (!l.known || l.current != op.value)) {
    if (!reach(l, op.value, &op)) {
      if (wasOpenThen(l, op))
        return actBeforeStore(op);
      if (!l.unsure && !wasThere(l, op))
        noPlace(op);
    }
  } else if (AtomicOp *store = op.valueKnown ? pendingStore(l, op.value, op) : nullptr) {
    // Both orders fit: keep the edges of both by a read of the value before the store.
    tellRead(op);
    apply(*store);
  }
  if (!op.applied)
    apply(op);
}

void Locations::force(AtomicOp &op) {
  ended(op);
  if (!op.applied)
    apply(op);
  if (op.early)
    actedNow(*op.at);
}

void Locations::abandon(AtomicOp &op) {
  ended(op);
  if (op.onlyReads()) {
    if (op.valueKnown)
      erase(op.at->readers, op.value, &op);
  } else if (!op.applied) {
    removeWriter(op);
  }
  if (op.early)
    actedNow(*op.at);
}

void Locations::writeBeside(uint64_t address, uint32_t bytes, const std::function<void()> &tell) {
  Location &l = at(address, bytes);
  Values.forget(address, bytes);
  flushReaders(l);
  l.shared = true;
  keep(l, nullptr);
  tell();
  l.known = false;
  keep(l, nullptr);
  ++l.version;
}

void Locations::weakWriteSlow(uint64_t address, uint64_t bytes, const core::Thread *writer) {
  if (!bytes)
    return;
  auto touch = [&](Granule &g) {
    for (auto &l : g)
      if (l->address < address + bytes && address < l->address + l->bytes) {
        flushReaders(*l);
        if (writer)
          keep(*l, writer);
        l->known = false;
        l->unsure = true;
        ++l->version;
      }
  };
  uint64_t first = address / GranuleBytes, last = (address + bytes - 1) / GranuleBytes;
  if (last - first > Granules.size()) {
    for (auto &[n, g] : Granules)
      if (n >= first && n <= last)
        touch(g);
    return;
  }
  for (uint64_t n = first; n <= last; ++n)
    if (auto g = Granules.find(n); g != Granules.end())
      touch(g->second);
}

void Locations::forget(uint64_t address, uint64_t bytes) {
  Values.forget(address, bytes);
  uint64_t first = address / GranuleBytes,
           end = (address + bytes + GranuleBytes - 1) / GranuleBytes;
  if (end - first > Granules.size()) {
    std::erase_if(Granules,
                  [&](const auto &entry) { return entry.first >= first && entry.first < end; });
    return;
  }
  for (uint64_t n = first; n < end; ++n)
    Granules.erase(n);
}

} // namespace scopesan::gpu

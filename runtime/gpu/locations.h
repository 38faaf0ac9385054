// Atomic locations: in which order did overlapping operations act?
//
// A ticket is not the moment of the operation. A load or read-modify-write acted somewhere between
// its two tickets, a store somewhere after its ticket and before its thread's next one. Inside
// these windows the values decide: an operation that read v acted when the location held v. The
// value of each location is simulated; the detector sees every operation while its thread is at the
// right local time, because a thread does nothing else inside the window.
//
//   store            pending --an operation that read its value, or its thread's next event-->
//   applied rmw              open --the value it read is there, at the latest at its second
//   ticket--> applied load, failed cas open --before each change of the value it read, and at its
//   second ticket--> fed
//
// Where several moments fit, a load is fed at each of them: every possible edge is kept, none is
// missed (a finding may be lost, none invented). Where none fits, the operation acts at its second
// ticket and is counted (X1).
//
// A value that comes back (adds of both signs, atomicInc that wraps around, exchanges) can have
// been read at several moments. Walking back from what an operation read to the value that is there
// now, each value must have one writer; else all open operations act at once and each comes after
// all others (joinGroup). Such an order is counted once a thread of the block acquires by it (X1).
//
// An object's first value in a launch is what memory was known to hold (known_values.h). Where it
// is not known, the values of open operations tell it, as long as the launch only raises it or only
// lowers it.
//
// What a racing plain store, or a store of the host, replaces may be read for a while yet, and
// nobody knows how long: such values are kept, with the edges that they carry, for reads whose
// value fits (X1).
#pragma once

#include "gpu/known_values.h"
#include "scopesan/core/detector.h"

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace scopesan::gpu {

struct Location;

struct AtomicOp {
  core::Thread *thread = nullptr;
  uint64_t address = 0;
  uint32_t bytes = 0;
  abi::Op op;
  core::SiteId site;
  bool wrote = false, writtenKnown = false, valueKnown = false;
  uint64_t value = 0, written = 0;
  /// The thread's next strong operation is the same again: a waiting loop. What this one read
  /// decided nothing.
  bool repeated = false;
  /// Operations of the launch on that address leave less than they have read, others more.
  bool swings = false;
  bool waits = false; ///< a load that read the value more than once

  // ---- kept by Locations
  Location *at = nullptr;
  bool applied = false, onPath = false;
  bool early = false; ///< applied with others, perhaps before it has acted
  bool fed = false;
  bool beside = false, besideWriter = false; ///< others were open when it began
  uint32_t opened = 0, openedWriters = 0;    ///< the location's, its own included
  uint32_t groups = 0;                       ///< the location's when it began
  uint32_t fedVersion = 0, fedUnchanged = 0;

  /// Its reading half.
  AtomicOp reader() const {
    AtomicOp read = *this;
    read.op = abi::Op(abi::AccessKind::Load,
                      op.acquires() ? abi::MemoryOrder::Acquire : abi::MemoryOrder::Relaxed,
                      op.scope(), op.space());
    read.wrote = false;
    return read;
  }
  bool isStore() const {
    return op.kind() == abi::AccessKind::Store || op.kind() == abi::AccessKind::Red;
  }
  /// A read-modify-write of which both values are known.
  bool isStep() const { return wrote && !isStore() && valueKnown && writtenKnown; }
  /// Acts without changing the value.
  bool onlyReads() const {
    return !wrote || (valueKnown && writtenKnown && value == written && !isStore());
  }
};

/// A value that may still be read although something has replaced it.
struct KeptValue {
  bool known = false;
  uint64_t value = 0;
  std::optional<core::Epoch> replaced;      ///< by the plain store of this thread, at this time
  std::unique_ptr<core::SyncObject> object; ///< what its readers learn
};

/// A value that a store replaced while other operations were open.
struct PastValue {
  uint32_t opened = 0;  ///< the location's at that time: operations that had begun may have read it
  bool mayBack = false; ///< its writer overlapped the store, which may have come first
};

struct Location {
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool known = false;
  uint64_t current = 0;
  uint32_t version = 0;
  uint32_t unchanged = 0; ///< read-modify-writes told that left the value as it was
  bool unsure = false;    ///< the current value is a guess
  uint32_t groups = 0;    ///< so far (joinGroup)
  uint32_t early = 0;     ///< operations that were told early and have not ended
  uint32_t opened = 0;    ///< operations that have begun
  uint32_t open = 0;      ///< ... and not ended
  bool swings = false;    ///< its values neither only rise nor only fall
  bool shared = false;    ///< with actors whose writes were told early
  std::vector<KeptValue> kept;
  /// Values that stores replaced.
  std::unordered_map<uint64_t, PastValue> past;
  /// What readers learn although a store has replaced it (applyStore).
  std::unique_ptr<core::SyncObject> restored;
  const AtomicOp *writer = nullptr; ///< of the current value, until it ends
  uint32_t writerEnd = 0;           ///< `opened` when it ended
  uint32_t openedWriters = 0, openWriters = 0;
  std::unordered_multimap<uint64_t, AtomicOp *> writers; ///< not applied, by value written
  std::unordered_multimap<uint64_t, AtomicOp *> readers; ///< open, by value read
  std::vector<AtomicOp *> blind; ///< not applied, leaving a value that is not known
};

class Locations {
public:
  explicit Locations(core::Detector &d) : D(d) {}

  /// The operation's first ticket.
  void open(AtomicOp &op);
  /// Second ticket of a load or read-modify-write.
  void close(AtomicOp &op);
  /// The thread of a store goes on.
  void force(AtomicOp &op);
  /// The operation never ended in what was recorded.
  void abandon(AtomicOp &op);
  /// Before a weak write: the value is unknown from here on. Without a `writer` nothing shows
  /// whether a read of the older value comes before it.
  void weakWrite(uint64_t address, uint64_t bytes, const core::Thread *writer = nullptr) {
    if (!Values.empty())
      Values.forget(address, bytes);
    if (!Granules.empty())
      weakWriteSlow(address, bytes, writer);
  }
  /// A copy or fill has written `content`, which is known.
  void holds(uint64_t address, uint64_t bytes, const Content &content);
  /// A strong write by somebody outside of the launch, told by `tell` while operations that came
  /// before it are missing: reads may see any value of the location from here on.
  void writeBeside(uint64_t address, uint32_t bytes, const std::function<void()> &tell);
  /// Calls `then` after each write to [address, address + bytes) that is told, until unwatch().
  void watch(uint64_t address, uint64_t bytes, std::function<void()> then) {
    Watched = address;
    WatchedBytes = bytes;
    OnWrite = std::move(then);
  }
  void unwatch() { WatchedBytes = 0; }
  /// The memory becomes new, or what other actors did to it is not known.
  void forget(uint64_t address, uint64_t bytes);
  void forgetAll() { Granules.clear(); }
  /// The launches are over: keeps the values that are known, of memory that only the device writes.
  void remember(uint64_t end);
  KnownValues &values() { return Values; }
  /// Which memory that is; without it nothing is remembered.
  void deviceOnly(std::function<bool(uint64_t address)> f) { DeviceOnly = std::move(f); }

  /// Operations whose value nothing explains.
  uint64_t unplaced() const { return Unplaced; }
  /// Reads that several values of the past explain; every edge was kept.
  uint64_t ambiguous() const { return Ambiguous; }
  /// A thread of the block fences: what the block has read without an order counts from now on.
  void fenced(const core::Block *block) { Ambiguous += forgetUnordered(block); }
  size_t forgetUnordered(const core::Block *block) {
    return Unordered.empty() ? 0 : Unordered.erase(block);
  }

private:
  static constexpr uint64_t GranuleBytes = 16;
  using Granule = std::vector<std::unique_ptr<Location>>;

  Location &at(uint64_t address, uint32_t bytes);
  void weakWriteSlow(uint64_t address, uint64_t bytes, const core::Thread *writer);
  void keep(Location &l, const core::Thread *writer);
  void feedKept(AtomicOp &op);
  void noPlace(AtomicOp &op) {
    ++Unplaced;
    op.at->unsure = true;
  }
  void tell(AtomicOp &op);
  /// Tells the operation's reading half: its thread learns what is there now.
  void tellRead(const AtomicOp &op) {
    AtomicOp read = op.reader();
    tell(read);
  }
  /// A write to the location was told.
  void written(const Location &l) {
    if (l.address < Watched + WatchedBytes && Watched < l.address + l.bytes)
      OnWrite();
  }
  void feed(AtomicOp &op);
  void flushReaders(Location &l);
  void apply(AtomicOp &op);
  void applyStore(AtomicOp &op);
  /// Did no other operation overlap this one? Then it acted after all that came before.
  static bool isAlone(const AtomicOp &op) { return !op.beside && op.at->opened == op.opened; }
  /// ... no other that writes?
  static bool isOnlyWriter(const AtomicOp &op) {
    return !op.besideWriter && op.at->openedWriters == op.openedWriters;
  }
  /// Applies open operations so that the location holds `value`. False when nothing fits.
  bool reach(Location &l, uint64_t value, AtomicOp *self);
  void removeWriter(AtomicOp &op);
  void closeReader(Location &l, AtomicOp &op, bool several);
  void closeStep(Location &l, AtomicOp &op);
  void noteOrder(const AtomicOp &op);
  void joinAll(const std::vector<AtomicOp *> &ops);
  bool isUnique(const Location &l, const AtomicOp &op) const;
  static bool isUnique(const Location &l, const AtomicOp &op,
                       const std::unordered_set<uint64_t> *reached);
  /// Can the operation have read a value that a store replaced?
  static bool wasThere(const Location &l, const AtomicOp &op) {
    auto i = l.past.find(op.value);
    return i != l.past.end() && (i->second.mayBack || i->second.opened >= op.opened);
  }
  /// ... was it open when the store was told?
  static bool wasOpenThen(const Location &l, const AtomicOp &op) {
    auto i = l.past.find(op.value);
    return i != l.past.end() && i->second.opened >= op.opened;
  }
  static void notePast(Location &l, const AtomicOp &by);
  static void ended(const AtomicOp &op);
  void actBeforeStore(AtomicOp &op);
  static std::unordered_set<uint64_t> valuesWithout(const Location &l, const AtomicOp &op);
  void joinGroup(Location &l);
  bool joinOverlapping(const Location &l);
  static void markEarly(AtomicOp &op) {
    op.early = true;
    ++op.at->early;
  }
  static void actedNow(Location &l);
  void tellUnchanged(AtomicOp &op) {
    tell(op);
    op.applied = op.fed = true;
    op.fedVersion = op.at->version;
    op.fedUnchanged = ++op.at->unchanged;
  }
  bool actUnchanged(Location &l, const AtomicOp &op);
  bool throughUnknown(Location &l, const AtomicOp &self);
  AtomicOp *pendingStore(Location &l, uint64_t value, const AtomicOp &other);
  static void erase(std::unordered_multimap<uint64_t, AtomicOp *> &map, uint64_t key, AtomicOp *op);

  core::Detector &D;
  std::unordered_map<uint64_t, Granule> Granules;
  KnownValues Values;
  std::function<bool(uint64_t)> DeviceOnly;
  std::unordered_set<const core::Block *> Unordered; ///< with relaxed readers of joinAll()
  uint64_t Unplaced = 0, Ambiguous = 0;
  uint64_t Watched = 0, WatchedBytes = 0;
  std::function<void()> OnWrite;
};

} // namespace scopesan::gpu

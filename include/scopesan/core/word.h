// What is remembered of a word of memory beyond its cell.
#pragma once

#include "scopesan/core/mbarrier.h"
#include "scopesan/core/record.h"
#include "scopesan/core/sync.h"

namespace scopesan::core {

/// What all strong records of a word have in common: lets a fitting operation skip the scan.
struct StrongSummary {
  Place place; ///< of the first one
  uint32_t highestBlock = 0;
  uint8_t mask = 0, way = 0;   ///< as in Record; mask 0 = they differ
  Scope least = Scope::System; ///< that any of them used
  Scope reach =
      Scope::Thread; ///< that, used at `place`, includes them all; Thread = there are none

  bool any() const { return reach != Scope::Thread; }
  /// The scope that an operation at `p` needs to include the first one; its own if there is none.
  [[gnu::always_inline]] Scope needed(const Place &p) const {
    return p4NeededScope(p, any() ? place : p);
  }
  void add(const Place &p, Record r) { add(p, r, needed(p)); }
  /// Adds `r`, made at `p`, where `needs` is needed(p).
  [[gnu::always_inline]] void add(const Place &p, Record r, Scope needs) {
    if (!any()) {
      place = p;
      mask = uint8_t(r.mask());
      way = r.way();
    }
    if (mask != r.mask() || way != r.way())
      mask = 0;
    least = minOf(least, r.scope());
    reach = maxOf(reach, needs);
    highestBlock = maxOf(highestBlock, r.block);
  }
  /// Every remembered strong access is morally strong with `r`, made where `needs` is needed.
  [[gnu::always_inline]] bool allMorallyStrongWith(Record r, Scope needs) const {
    return !any() ||
           (mask == r.mask() && way == r.way() && minOf(least, r.scope()) >= maxOf(reach, needs));
  }
};

/// Readers that were given up for memory: a bound and one exact representative.
struct WidenedReaders {
  bool any = false;
  NodeId node;      ///< all were threads of this launch
  LocalTime latest; ///< of any of them
  Record representative;
};

/// What few words have.
struct RareFacts {
  Vec<Record> nonCoherent;      ///< one .nc reader of each launch stands for all (D11)
  Mbarrier *mbarrier = nullptr; ///< the mbarrier object at this word
  WidenedReaders widened;
  bool any() const { return !nonCoherent.empty() || mbarrier || widened.any; }
  ~RareFacts() {
    if (!mbarrier)
      return;
    mbarrier->~Mbarrier();
    deallocate(mbarrier);
  }
};

/// Everything about a word that does not fit into its cell.
struct Overflow {
  RareFacts *rare = nullptr;
  Vec<Record> writes;        ///< weak
  Vec<ReaderGroup> readers;  ///< weak
  const bool atomic = false; ///< this is an AtomicWord

  Overflow() = default;
  Overflow(const Overflow &) = delete;
  ~Overflow() {
    if (!rare)
      return;
    rare->~RareFacts();
    deallocate(rare);
  }
  RareFacts &rareFacts() {
    if (!rare)
      rare = new (allocate(sizeof(RareFacts)), PlacementTag{}) RareFacts();
    return *rare;
  }

protected:
  /// Takes everything over into an AtomicWord.
  explicit Overflow(Overflow &o)
      : rare(o.rare), writes(moved(o.writes)), readers(moved(o.readers)), atomic(true) {
    o.rare = nullptr;
  }
};

/// Strong accesses of one word in the order in which they were made. The latest ones, with which
/// every new one is compared, lie in the word itself; older ones elsewhere, written a cache line at
/// a time and not waited for.
class StrongRecords {
public:
  static constexpr uint32_t PerLine = 3, Recent = 2 * PerLine;

  StrongRecords() = default;
  StrongRecords(const StrongRecords &) = delete;
  ~StrongRecords() { dropAfter(nullptr); }
  bool empty() const { return !(Count | OlderSize); }
  uint32_t size() const { return OlderSize + Count; }
  [[gnu::always_inline]] void push(Record r, uint32_t version) {
    if (Count == Recent)
      moveAway();
    Latest[Count++].set(r, version);
    Members |= memberBit(r);
  }
  /// The newest of the latest records of r's thread for which which(record) holds, or null.
  template <class F> [[gnu::always_inline]] StrongRecord *findLatest(const Record &r, F which) {
    return Members & memberBit(r) ? scanLatest(r, which) : nullptr;
  }
  /// Calls f(record), oldest first.
  template <class F> void forEach(F f) const {
    uint32_t left = OlderSize;
    for (const Chunk *c = First; c; c = c->next())
      for (uint32_t i = 0; i < Chunk::Capacity && left; ++i, --left)
        f(c->at(i));
    for (uint32_t i = 0; i < Count; ++i)
      f(Latest[i]);
  }
  /// Keeps records for which keep(record) holds, called oldest first.
  template <class F> void filter(F keep) {
    filterOlder(keep);
    uint32_t n = 0;
    for (uint32_t i = 0; i < Count; ++i)
      if (keep(static_cast<const StrongRecord &>(Latest[i])))
        Latest[n++] = Latest[i];
    Count = n;
  }

private:
  static uint32_t memberBit(const Record &r) { return 1u << ((r.block ^ r.bits) & 31); }
  template <class F> [[gnu::noinline]] StrongRecord *scanLatest(const Record &mine, F &which) {
    for (uint32_t i = Count; i-- > 0;)
      if (StrongRecord &r = Latest[i]; r.sameThread(mine) && which(r))
        return &r;
    return nullptr;
  }
  /// All but the last one are full.
  class Chunk {
  public:
    static constexpr uint32_t Lines = 4, Capacity = Lines * PerLine;
    StrongRecord &at(uint32_t i) { return Each[i / PerLine].at[i % PerLine]; }
    const StrongRecord &at(uint32_t i) const { return Each[i / PerLine].at[i % PerLine]; }
    Chunk *next() const {
      return reinterpret_cast<Chunk *>(uint64_t(Each[0].rest) | uint64_t(Each[1].rest) << 32);
    }
    void setNext(Chunk *c) {
      uint64_t p = reinterpret_cast<uint64_t>(c);
      Each[0].rest = uint32_t(p);
      Each[1].rest = uint32_t(p >> 32);
    }

  private:
    struct Line {
      StrongRecord at[PerLine];
      uint32_t rest = 0;
    };
    static_assert(sizeof(Line) == CacheLine);
    Line Each[Lines]; ///< what is left of the first two: the next chunk
  };

  [[gnu::noinline]] Chunk *append() {
    Chunk *c = new (Blocks::take(sizeof(Chunk)), PlacementTag{}) Chunk();
    if (Last)
      Last->setNext(c);
    else
      First = c;
    return Last = c;
  }
  /// The older half.
  [[gnu::noinline]] void moveAway() {
    for (uint32_t i = 0; i < PerLine; ++i) {
      uint32_t at = OlderSize++ % Chunk::Capacity;
      (at ? Last : append())->at(at) = Latest[i];
      Latest[i] = Latest[i + PerLine];
    }
    Count = Recent - PerLine;
    Members = 0;
    for (uint32_t i = 0; i < Count; ++i)
      Members |= memberBit(Latest[i]);
  }
  template <class F> void filterOlder(F &keep) {
    Chunk *to = First, *before = nullptr; // the next kept one goes to to->at(at)
    uint32_t at = 0, left = OlderSize;
    OlderSize = 0;
    for (Chunk *from = First; from; from = from->next())
      for (uint32_t i = 0; i < Chunk::Capacity && left; ++i, --left)
        if (keep(static_cast<const StrongRecord &>(from->at(i)))) {
          to->at(at) = from->at(i);
          ++OlderSize;
          if (++at == Chunk::Capacity) { // never more than were read
            before = to;
            to = to->next();
            at = 0;
          }
        }
    dropAfter(at ? to : before);
  }
  /// Ends the list at `last`, or empties it.
  void dropAfter(Chunk *last) {
    Chunk *rest = last ? last->next() : First;
    if (last)
      last->setNext(nullptr);
    else
      First = nullptr;
    while (Chunk *c = rest) {
      rest = c->next();
      Blocks::give(c, sizeof(Chunk));
    }
    Last = last;
  }

  Chunk *First = nullptr, *Last = nullptr; ///< older records
  uint32_t OlderSize = 0, Count = 0;       ///< Count: used ones of Latest
  uint32_t Members = 0;                    ///< memberBit of each of Latest, and perhaps more
  StrongRecord Latest[Recent];             ///< oldest first
};

/// A word with strong accesses. Its first object, its latest accesses and all that they need at
/// first lie in one piece, so that an operation waits for one cache miss and not for a chain of
/// them.
struct alignas(CacheLine) AtomicWord : Overflow {
  bool covered = false;          ///< an object of an earlier word extends into this one
  uint8_t pruneAtLog2 = 5;       ///< number of records at which dominated ones are dropped
  uint32_t handle = 0;           ///< of ShadowMemory::AtomicWords
  SyncObject *objects = nullptr; ///< those whose first word this is
  StrongSummary summary;         ///< of `strong`
  SyncObject object;             ///< the first of `objects`
  StrongRecords strong;

  explicit AtomicWord(Overflow &o) : Overflow(o) {}
};
static_assert(sizeof(AtomicWord) == 8 * CacheLine);

} // namespace scopesan::core

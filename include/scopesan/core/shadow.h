// Shadow memory: who accessed each byte (P1).
//
// One cell per 4-byte word. The common case, one weak writer and one weak reader of the whole word,
// is held inline; anything else (several readers, sub-word accesses, strong operations) moves to an
// overflow block that keeps every access that could still be half of a race:
//   an access E1 is dropped once an ordered later access E2 conflicts with everything E1 does and
//   is at most as strong, because whoever races with E1 then races with E2 too.
#pragma once

#include "scopesan/core/epoch.h"
#include "scopesan/core/mbarrier.h"
#include "scopesan/core/proxy.h"
#include "scopesan/core/scope.h"
#include "scopesan/core/sync.h"

namespace scopesan::core {

constexpr uint32_t WordBytes = 4;
constexpr uint32_t FullWord = 15;

/// One remembered access to one word, 16 bytes.
/// bits: 0-9 thread, 10-13 byte mask, 14-16 kind, 17-19 order, 20-22 scope, 23 volatile,
///       24-27 log2(bytes of the whole access) + 1, 0 = not a power of two, 28-31 proxy.
struct Record {
  uint32_t block = 0; ///< BlockId; 0 = empty
  uint32_t time = 0;
  uint32_t site = 0;
  uint32_t bits = 0;

  static constexpr uint32_t ProxyShift = 28;
  static Record make(const Epoch &e, SiteId site, Op op, uint32_t mask, uint32_t bytes,
                     Proxy proxy = Proxy::Generic) {
    uint32_t size = bytes && (bytes & (bytes - 1)) == 0 ? __builtin_ctz(bytes) + 1 : 0;
    return {e.block.value, e.time.value, site.value,
            e.thread.value | mask << 10 | uint32_t(op.kind()) << 14 | uint32_t(op.order()) << 17 |
                uint32_t(op.scope()) << 20 | uint32_t(op.isVolatile()) << 23 | size << 24 |
                uint32_t(proxy) << ProxyShift};
  }
  bool empty() const { return block == 0; }
  ThreadIndex thread() const { return {bits & 1023}; }
  uint32_t mask() const { return bits >> 10 & 15; }
  void setMask(uint32_t m) { bits = (bits & ~(15u << 10)) | m << 10; }
  Op op() const {
    Op o(abi::AccessKind(bits >> 14 & 7), abi::MemoryOrder(bits >> 17 & 7), Scope(bits >> 20 & 7));
    return bits >> 23 & 1 ? o.with(Op::VolatileBit) : o;
  }
  uint32_t bytes() const {
    uint32_t s = bits >> 24 & 15;
    return s ? 1u << (s - 1) : 0;
  }
  Proxy proxy() const { return Proxy(bits >> ProxyShift); }
  Epoch epoch() const { return {{block}, thread(), {time}}; }
  bool sameThread(const Record &o) const { return block == o.block && thread() == o.thread(); }
};
static_assert(sizeof(Record) == 16);

/// A strong access; a write is known by the version that it gave its synchronization object.
struct StrongRecord : Record {
  uint32_t version = 0; ///< 0 = wrote nothing
};

/// Lanes of one warp that read the word at one local time from one site.
struct ReaderGroup {
  uint32_t block = 0, time = 0, site = 0;
  uint16_t warp = 0;
  uint8_t mask = 0;          ///< bytes of the word
  uint8_t sizeLog2Plus1 = 0; ///< low 4 bits; high bits: proxy
  uint32_t lanes = 0;

  Record record(uint32_t lane) const {
    Epoch e{{block}, {warp * WarpSize + lane}, {time}};
    return Record::make(e, {site}, Op(abi::AccessKind::Load, abi::MemoryOrder::Weak, Scope::Thread),
                        mask, bytes(), proxy());
  }
  uint32_t bytes() const {
    uint32_t s = sizeLog2Plus1 & 15;
    return s ? 1u << (s - 1) : 0;
  }
  Proxy proxy() const { return Proxy(sizeLog2Plus1 >> 4); }
  static uint8_t packSize(const Record &r) {
    return uint8_t((r.bits >> 24 & 15) | uint32_t(r.proxy()) << 4);
  }
};

/// What all strong records of a word have in common: lets a fitting operation skip the scan.
struct StrongSummary {
  bool any = false;
  bool uniform = true; ///< all the same bytes of the same access size
  uint32_t mask = 0, bytes = 0;
  Scope least = Scope::System;
  Place place;
  bool oneBlock = true, oneCluster = true, oneDomain = true;
  uint32_t highestBlock = 0;

  void add(const Place &p, const Record &r) {
    uint32_t m = r.mask(), size = r.bytes();
    if (!any) {
      *this = StrongSummary();
      any = true;
      place = p;
      mask = m;
      bytes = size;
    }
    uniform &= mask == m && bytes == size;
    least = minOf(least, r.op().scope());
    oneBlock &= includes(Scope::Block, p, place);
    oneCluster &= includes(Scope::Cluster, p, place);
    oneDomain &= includes(Scope::Device, p, place);
    highestBlock = maxOf(highestBlock, r.block);
  }
  /// Every remembered strong access is morally strong with the given one.
  bool allMorallyStrongWith(const Place &p, Scope scope, uint32_t m, uint32_t size) const {
    if (!any)
      return true;
    if (!uniform || m != mask || size != bytes)
      return false;
    Scope both = minOf(least, scope);
    if (oneBlock && includes(Scope::Block, p, place))
      return both >= Scope::Block;
    if (oneCluster && includes(Scope::Cluster, p, place))
      return both >= Scope::Cluster;
    if (oneDomain && includes(Scope::Device, p, place))
      return both >= Scope::Device;
    return both == Scope::System;
  }
};

/// Readers that were given up for memory: a bound and one exact representative.
struct WidenedReaders {
  bool any = false;
  NodeId node;      ///< all were threads of this launch
  LocalTime latest; ///< of any of them
  Record representative;
};

struct Overflow {
  SyncObject *objects = nullptr; ///< those whose first word this is
  bool covered = false;          ///< an object of an earlier word extends into this one
  Vec<StrongRecord> strong;
  uint32_t pruneAt = 32; ///< strong records: next size at which dominated ones are dropped
  StrongSummary summary;
  Vec<Record> writes;           ///< weak
  Vec<ReaderGroup> readers;     ///< weak
  Vec<Record> nonCoherent;      ///< one .nc reader of each launch stands for all (D11)
  Mbarrier *mbarrier = nullptr; ///< the mbarrier object at this word
  WidenedReaders widened;
};

/// 32 bytes per word.
struct Cell {
  static constexpr uint32_t OverflowTag = ~0u;
  Record write; ///< last weak write of the whole word
  Record read;  ///< the only weak reader since; or OverflowTag with a pointer in site and bits

  Overflow *overflow() const {
    if (read.block != OverflowTag)
      return nullptr;
    return reinterpret_cast<Overflow *>(uint64_t(read.site) | uint64_t(read.bits) << 32);
  }
  void setOverflow(Overflow *o) {
    uint64_t p = reinterpret_cast<uint64_t>(o);
    read = {OverflowTag, 0, uint32_t(p), uint32_t(p >> 32)};
  }
};
static_assert(sizeof(Cell) == 32);

/// Sparse map from addresses to cells, in pages of 4 KiB of data.
class ShadowMemory {
public:
  ~ShadowMemory() {
    Pages.forEach([](uint64_t, Page *p) { deallocate(p); });
  }
  Cell &cell(uint64_t address) {
    uint64_t number = address >> PageBits;
    CacheEntry &c = Cache[number & (CacheSize - 1)];
    Page *p = c.number == number ? c.page : lookup(number, c);
    uint32_t word = address >> 2 & (PageWords - 1);
    p->low = minOf(p->low, word);
    p->high = maxOf(p->high, word + 1);
    return p->cells[word];
  }
  /// The cell if its page was ever touched, else null.
  Cell *find(uint64_t address) {
    Page **p = Pages.find((address >> PageBits) + 1);
    return p ? &(*p)->cells[address >> 2 & (PageWords - 1)] : nullptr;
  }
  /// Calls f(cell) for every touched cell.
  template <class F> void forEach(F f) {
    Pages.forEach([&](uint64_t, Page *p) {
      for (uint32_t w = p->low; w < p->high; ++w)
        f(p->cells[w]);
    });
  }
  /// Calls f(cell, address) for each touched cell of [address, address + bytes).
  template <class F> void forTouched(uint64_t address, uint64_t bytes, F f) {
    forPages(address, bytes, [&](Page &p, uint64_t base, uint32_t from, uint32_t to) {
      for (uint32_t w = maxOf(from, p.low), stop = minOf(to, p.high); w < stop; ++w)
        f(p.cells[w], base + uint64_t(w) * WordBytes);
    });
  }
  /// The same for cells that then become empty.
  template <class F> void forget(uint64_t address, uint64_t bytes, F f) {
    forPages(address, bytes, [&](Page &p, uint64_t base, uint32_t from, uint32_t to) {
      clear(p, base, from, to, f);
    });
  }
  /// Gives back the memory of pages that lie wholly in [address, address + bytes), after forget().
  void drop(uint64_t address, uint64_t bytes) {
    uint64_t first = (address + PageBytes - 1) >> PageBits, last = (address + bytes) >> PageBits;
    if (last > first && last - first > Pages.size()) { // fewer pages than addresses
      Vec<uint64_t> inside;
      Pages.forEach([&](uint64_t key, Page *) {
        if (key - 1 >= first && key - 1 < last)
          inside.push(key - 1);
      });
      for (uint64_t n : inside)
        dropPage(n);
      return;
    }
    for (uint64_t n = first; n < last; ++n)
      dropPage(n);
  }
  size_t footprint() const { return Pages.size() * sizeof(Page); }

private:
  static constexpr uint32_t PageBits = 12, PageWords = 1 << (PageBits - 2), CacheSize = 1024;
  static constexpr uint64_t PageBytes = uint64_t(1) << PageBits;
  struct Page {
    uint32_t low = PageWords, high = 0; ///< touched words lie in [low, high)
    Cell cells[PageWords];
  };
  struct CacheEntry {
    uint64_t number = ~0ull;
    Page *page = nullptr;
  };
  Page *lookup(uint64_t number, CacheEntry &c) {
    Page *&p = Pages[number + 1];
    if (!p)
      p = new (allocate(sizeof(Page)), PlacementTag{}) Page();
    c = {number, p};
    return p;
  }
  /// Calls f(page, its address, first word, end word) for the known pages of a range.
  template <class F> void forPages(uint64_t address, uint64_t bytes, F f) {
    if (!bytes)
      return;
    uint64_t end = address + bytes;
    for (uint64_t n = address >> PageBits; n <= (end - 1) >> PageBits; ++n)
      if (Page **p = Pages.find(n + 1)) {
        uint64_t base = n << PageBits;
        uint32_t from = address > base ? (address - base) / WordBytes : 0;
        f(**p, base, from,
          uint32_t(minOf<uint64_t>(PageWords, (end - base + WordBytes - 1) / WordBytes)));
      }
  }
  void dropPage(uint64_t n) {
    Page **p = Pages.find(n + 1);
    if (!p)
      return;
    deallocate(*p);
    Pages.erase(n + 1);
    CacheEntry &c = Cache[n & (CacheSize - 1)];
    if (c.number == n)
      c = CacheEntry();
  }
  template <class F> static void clear(Page &p, uint64_t base, uint32_t from, uint32_t to, F f) {
    uint32_t lo = maxOf(from, p.low), hi = minOf(to, p.high);
    for (uint32_t w = lo; w < hi; ++w) {
      f(p.cells[w], base + uint64_t(w) * WordBytes);
      p.cells[w] = Cell();
    }
    if (from <= p.low && to >= p.high) {
      p.low = PageWords;
      p.high = 0;
    }
  }
  HashMap<Page *> Pages;
  CacheEntry Cache[CacheSize];
};

} // namespace scopesan::core

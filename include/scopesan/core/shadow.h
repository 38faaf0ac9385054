// Shadow memory: who accessed each byte (P1).
//
// One cell per 4-byte word. The common case, one weak writer and one weak reader of the whole word,
// is held inline; anything else (several readers, sub-word accesses, strong operations) moves to an
// overflow block that keeps every access that could still be half of a race:
//   an access E1 is dropped once an ordered later access E2 conflicts with everything E1 does and
//   is at most as strong, because whoever races with E1 then races with E2 too.
#pragma once

#include "scopesan/core/word.h"

namespace scopesan::core {

/// 32 bytes per word.
struct Cell {
  static constexpr uint32_t OverflowTag = ~0u;
  Record write; ///< last weak write of the whole word
  Record read;  ///< the only weak reader since; or OverflowTag with a pointer in site and bits

  bool empty() const { return !(write.block | read.block); }
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
    Pages.forEach([&](uint64_t, Page *p) { destroy(p); });
  }
  /// The cell, about to be used.
  [[gnu::always_inline]] Cell &cell(uint64_t address) {
    uint64_t number = address >> PageBits;
    CacheEntry &e = Cache[number & (CacheSize - 1)];
    if (e.number != number) [[unlikely]]
      lookup(number, e);
    uint32_t word = address >> 2 & (PageWords - 1);
    Cell &c = e.cells[word];
    if (c.empty()) {
      e.page->low = minOf(e.page->low, word);
      e.page->high = maxOf(e.page->high, word + 1);
    }
    return c;
  }
  /// The atomic word at `address`, or null. Found without a look at the cell, whose line is seldom
  /// in a cache: the handles of all atomic words of a page lie together.
  [[gnu::always_inline]] AtomicWord *atomic(uint64_t address) {
    uint64_t number = address >> PageBits;
    CacheEntry &e = Cache[number & (CacheSize - 1)];
    if (e.number != number) [[unlikely]]
      lookup(number, e);
    return e.atomics ? AtomicWords.at(e.atomics[address >> 2 & (PageWords - 1)]) : nullptr;
  }
  /// The cell at `address` got its atomic word, or lost it.
  void setAtomic(uint64_t address, uint32_t handle) {
    uint64_t number = address >> PageBits;
    Page &p = **Pages.find(number + 1);
    if (!p.atomics) {
      p.atomics = static_cast<uint32_t *>(Blocks::take(AtomicBytes));
      for (uint32_t w = 0; w < PageWords; ++w)
        p.atomics[w] = 0;
      Cache[number & (CacheSize - 1)] = CacheEntry();
    }
    p.atomics[address >> 2 & (PageWords - 1)] = handle;
  }
  HandlePool<AtomicWord> AtomicWords; ///< of all pages
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
  size_t footprint() const { return Pages.size() * (sizeof(Page) + CellBytes); }

private:
  static constexpr uint32_t PageBits = 12, PageWords = 1 << (PageBits - 2), CacheSize = 1024;
  static constexpr uint64_t PageBytes = uint64_t(1) << PageBits;
  static constexpr size_t CellBytes = PageWords * sizeof(Cell);
  static constexpr size_t AtomicBytes = PageWords * sizeof(uint32_t);
  struct Page {
    Cell *cells;
    uint32_t low = PageWords, high = 0; ///< touched words lie in [low, high)
    uint32_t *atomics = nullptr;        ///< handles; null: there never was one
  };
  struct CacheEntry {
    uint64_t number = ~0ull;
    Cell *cells = nullptr;
    uint32_t *atomics = nullptr;
    Page *page = nullptr;
  };
  [[gnu::noinline]] void lookup(uint64_t number, CacheEntry &e) {
    Page *&p = Pages[number + 1];
    if (!p) {
      p = Pooled.create(static_cast<Cell *>(Blocks::take(CellBytes)));
      for (uint32_t w = 0; w < PageWords; ++w)
        new (&p->cells[w], PlacementTag{}) Cell();
    }
    e = {number, p->cells, p->atomics, p};
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
  void destroy(Page *p) {
    Blocks::give(p->cells, CellBytes);
    Blocks::give(p->atomics, AtomicBytes);
    Pooled.destroy(p);
  }
  void dropPage(uint64_t n) {
    Page **p = Pages.find(n + 1);
    if (!p)
      return;
    destroy(*p);
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
  Pool<Page> Pooled;
  CacheEntry Cache[CacheSize];
};

} // namespace scopesan::core

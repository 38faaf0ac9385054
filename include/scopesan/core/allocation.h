// Where the detector's memory comes from. Freestanding: no std, no exceptions. Allocation failure
// stops the process with a trap, since nothing sound can follow it.
//
// What a synchronization operation touches is small, scattered and seldom in a cache; waiting for
// it costs more than all the work on it. It lies in large regions, which the system may back with
// huge pages: then a miss of the caches is not also a miss of the translation of its address.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Of the C library, like malloc and free.
extern "C" void *aligned_alloc(size_t alignment, size_t bytes) noexcept;
extern "C" int madvise(void *address, size_t bytes, int advice) noexcept;

namespace scopesan::core {
struct PlacementTag {};
} // namespace scopesan::core
inline void *operator new(size_t, void *p, scopesan::core::PlacementTag) noexcept { return p; }

namespace scopesan::core {

constexpr size_t CacheLine = 64;

inline void *allocate(size_t bytes) {
  void *p = __builtin_malloc(bytes ? bytes : 1);
  if (!p)
    __builtin_trap();
  return p;
}
inline void deallocate(void *p) { __builtin_free(p); }

/// Asks for the cache lines of [p, p + bytes), which are about to be read and written.
inline void prefetch(const void *p, size_t bytes = 1) {
  for (size_t at = 0; at < bytes; at += CacheLine)
    __builtin_prefetch(static_cast<const char *>(p) + at, 1);
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool EachFromSystem = true; ///< so that the sanitizer sees every object
#elif defined(__has_feature)
constexpr bool EachFromSystem = __has_feature(address_sanitizer);
#else
constexpr bool EachFromSystem = false;
#endif

/// Blocks whose owner remembers their size. A block given back serves later ones of about its size;
/// nothing returns to the system. Blocks of a multiple of a cache line's size are aligned to one,
/// all others to 8 bytes.
class Blocks {
public:
  static void *take(size_t bytes) {
    if (EachFromSystem || bytes > Largest)
      return system(bytes % CacheLine ? CacheLine / 4 : CacheLine, bytes);
    uint32_t c = classOf(bytes);
    State &s = state();
    Link *l = s.free[c];
    if (!l) [[unlikely]]
      return fresh(s, sizeOf(c));
    s.free[c] = l->next;
    return l;
  }
  static void give(void *p, size_t bytes) {
    if (!p)
      return;
    if (EachFromSystem || bytes > Largest)
      return deallocate(p);
    Link *&free = state().free[classOf(bytes)];
    Link *l = static_cast<Link *>(p);
    l->next = free;
    free = l;
  }

private:
  // Classes: multiples of 8 bytes up to Fine, then four sizes for each power of two.
  static constexpr size_t Fine = 512, Largest = 262144;
  static constexpr size_t RegionBytes = size_t(2) << 20; ///< a huge page
  static constexpr uint32_t FineClasses = Fine / 8 + 1;
  static constexpr uint32_t Classes = FineClasses + 4 * 9;
  static_assert(Fine << 9 == Largest);

  static uint32_t classOf(size_t bytes) {
    if (bytes <= Fine)
      return uint32_t(bytes + 7) / 8;
    uint32_t top = 63 - uint32_t(__builtin_clzll(bytes - 1)); // 2^top < bytes <= 2^(top + 1)
    return FineClasses + (top - 9) * 4 + uint32_t((bytes - 1) >> (top - 2) & 3);
  }
  static size_t sizeOf(uint32_t c) {
    if (c < FineClasses)
      return c ? c * 8 : 8;
    uint32_t step = c - FineClasses;
    return size_t(5 + step % 4) << (7 + step / 4);
  }

  struct Link {
    Link *next;
  };
  struct Bump {
    char *at = nullptr, *end = nullptr;
  };
  struct State {
    Link *free[Classes] = {};
    Bump lines, small;
    size_t region = RegionBytes / 32; ///< bytes of the next region
  };
  static State &state() {
    static State s;
    return s;
  }
  static void *system(size_t alignment, size_t bytes) {
    void *p = aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1));
    if (!p)
      __builtin_trap();
    return p;
  }
  static void *fresh(State &s, size_t bytes) {
    if (bytes % CacheLine)
      return carve(s.small, bytes, [&] { return Region{line(s, SmallBytes), SmallBytes}; });
    return line(s, bytes);
  }
  static char *line(State &s, size_t bytes) {
    return carve(s.lines, bytes, [&] { return region(s, bytes); });
  }
  struct Region {
    char *first;
    size_t bytes;
  };
  template <class F> static char *carve(Bump &b, size_t bytes, F more) {
    if (size_t(b.end - b.at) < bytes) {
      Region r = more();
      b.at = r.first;
      b.end = r.first + r.bytes;
    }
    char *p = b.at;
    b.at += bytes;
    return p;
  }
  /// Regions grow from small ones, for short programs, to huge pages.
  static Region region(State &s, size_t atLeast) {
    constexpr int AdviseHugePages = 14;
    while (s.region < atLeast)
      s.region *= 2;
    size_t bytes = s.region;
    s.region = bytes < RegionBytes ? 2 * bytes : RegionBytes;
    char *p = static_cast<char *>(system(bytes, bytes));
    if (bytes == RegionBytes)
      madvise(p, bytes, AdviseHugePages); // where it is refused nothing is lost but time
    return {p, bytes};
  }
  static constexpr size_t SmallBytes = 16384;
};

/// Fixed-size object pool with a free list: allocation and release take a few instructions. All
/// objects must have been destroyed when the pool is.
template <class T> class Pool {
public:
  Pool() = default;
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;
  ~Pool() {
    while (Chunk *c = Chunks) {
      Chunks = c->next;
      Blocks::give(c, sizeof(Chunk));
    }
  }
  template <class... A> T *create(A &&...args) {
    Item *i = Free;
    if (i)
      Free = i->next;
    else
      i = fresh();
    ++Live;
    return new (i, PlacementTag{}) T{static_cast<A &&>(args)...};
  }
  void destroy(T *p) {
    p->~T();
    --Live;
    if (EachFromSystem)
      return Blocks::give(p, sizeof(Item));
    Item *i = reinterpret_cast<Item *>(p);
    i->next = Free;
    Free = i;
  }
  size_t live() const { return Live; }

private:
  union Item {
    Item *next;
    alignas(T) char storage[sizeof(T)];
  };
  static constexpr size_t ChunkBytes = 16384;
  static constexpr size_t N = sizeof(Item) > ChunkBytes / 4 ? 1 : ChunkBytes / sizeof(Item) - 1;
  struct alignas(CacheLine) Chunk {
    Item items[N];
    Chunk *next;
  };
  Item *fresh() {
    if (EachFromSystem)
      return static_cast<Item *>(Blocks::take(sizeof(Item)));
    if (Used == N || !Chunks) {
      Chunk *c = static_cast<Chunk *>(Blocks::take(sizeof(Chunk)));
      c->next = Chunks;
      Chunks = c;
      Used = 0;
    }
    return &Chunks->items[Used++];
  }
  Item *Free = nullptr;
  Chunk *Chunks = nullptr; ///< the first one is being used up
  size_t Used = 0;         ///< items of it
  size_t Live = 0;
};

} // namespace scopesan::core

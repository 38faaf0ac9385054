// The few containers the core needs. Freestanding: no std, no exceptions. Allocation failure stops
// the process with a trap, since nothing sound can follow it.
#pragma once

#include <initializer_list>
#include <stddef.h>
#include <stdint.h>

#include "scopesan/core/allocation.h"

namespace scopesan::core {

template <class T> T &&moved(T &x) { return static_cast<T &&>(x); }
template <class T> void swapValues(T &a, T &b) {
  T t = moved(a);
  a = moved(b);
  b = moved(t);
}
/// Number of set bits; without a call where the target has no instruction for it.
constexpr uint32_t bitCount(uint32_t x) {
#ifdef __POPCNT__
  return uint32_t(__builtin_popcount(x));
#else
  x -= x >> 1 & 0x55555555u;
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0fu;
  return x * 0x01010101u >> 24;
#endif
}
template <class T> constexpr T maxOf(T a, T b) { return a < b ? b : a; }
template <class T> constexpr T minOf(T a, T b) { return a < b ? a : b; }

/// Growable array. Moves elements with their move constructors. Its first elements may lie in
/// storage of its owner.
template <class T> class Vec {
public:
  Vec() = default;
  Vec(const Vec &) = delete;
  Vec &operator=(const Vec &) = delete;
  Vec(Vec &&o) noexcept { swap(o); }
  Vec &operator=(Vec &&o) noexcept {
    swap(o);
    return *this;
  }
  ~Vec() {
    clear();
    free();
  }
  /// Uses `storage`, room for n elements that outlives the vector, until it needs more. Only for a
  /// new vector.
  void lend(void *storage, uint32_t n) {
    Data = static_cast<T *>(storage);
    Cap = n;
    Lent = 1;
  }

  T *begin() { return Data; }
  T *end() { return Data + Size; }
  const T *begin() const { return Data; }
  const T *end() const { return Data + Size; }
  T &operator[](size_t i) { return Data[i]; }
  const T &operator[](size_t i) const { return Data[i]; }
  T &back() { return Data[Size - 1]; }
  const T &back() const { return Data[Size - 1]; }
  uint32_t size() const { return Size; }
  bool empty() const { return Size == 0; }

  T &push(T &&value) {
    if (Size == Cap) [[unlikely]]
      grow(Cap ? Cap * 2 : sizeof(T) > 32 ? 1 : 4);
    return *new (Data + Size++, PlacementTag{}) T(moved(value));
  }
  T &push(const T &value) {
    T copy(value);
    return push(moved(copy));
  }
  void pop() { Data[--Size].~T(); }
  /// Removes element i by moving the last one into its place.
  void swapRemove(size_t i) {
    if (i + 1 != Size)
      Data[i] = moved(Data[Size - 1]);
    pop();
  }
  void clear() {
    while (Size)
      pop();
  }
  void resize(uint32_t n) {
    if (n > Cap)
      grow(n);
    while (Size > n)
      pop();
    while (Size < n)
      new (Data + Size++, PlacementTag{}) T();
  }
  /// Keeps elements for which keep(element) holds, in order.
  template <class F> void filter(F keep) {
    uint32_t out = 0;
    for (uint32_t i = 0; i < Size; ++i)
      if (keep(Data[i])) {
        if (out != i)
          Data[out] = moved(Data[i]);
        ++out;
      }
    resizeDown(out);
  }

private:
  void resizeDown(uint32_t n) {
    while (Size > n)
      pop();
  }
  void grow(uint32_t n) {
    T *d = static_cast<T *>(Blocks::take(sizeof(T) * n));
    for (uint32_t i = 0; i < Size; ++i) {
      new (d + i, PlacementTag{}) T(moved(Data[i]));
      Data[i].~T();
    }
    free();
    Data = d;
    Cap = n;
    Lent = 0;
  }
  void free() {
    if (!Lent)
      Blocks::give(Data, sizeof(T) * Cap);
  }
  void swap(Vec &o) {
    swapValues(Data, o.Data);
    swapValues(Size, o.Size);
    uint32_t cap = Cap, lent = Lent;
    Cap = o.Cap;
    Lent = o.Lent;
    o.Cap = cap;
    o.Lent = lent;
  }
  T *Data = nullptr;
  uint32_t Size = 0;
  uint32_t Cap : 31 = 0;
  uint32_t Lent : 1 = 0; ///< Data belongs to somebody else
};

/// Objects with 32-bit handles instead of pointers: arrays of handles take half the cache. They lie
/// in regions of huge pages; a handle is region and place in it. 0 = none.
template <class T> class HandlePool {
public:
  HandlePool() = default;
  HandlePool(const HandlePool &) = delete;
  ~HandlePool() {
    for (char *r : Regions)
      Blocks::give(r, RegionBytes);
  }
  [[gnu::always_inline]] T *at(uint32_t handle) const { return handle ? place(handle) : nullptr; }
  template <class... A> T *create(uint32_t &handle, A &&...args) {
    handle = Free;
    if (handle)
      Free = *reinterpret_cast<uint32_t *>(place(handle));
    else
      handle = fresh();
    return new (place(handle), PlacementTag{}) T{static_cast<A &&>(args)...};
  }
  void destroy(uint32_t handle) {
    T *p = place(handle);
    p->~T();
    *reinterpret_cast<uint32_t *>(p) = Free;
    Free = handle;
  }

private:
  static constexpr uint32_t Bits = 9;
  static constexpr size_t RegionBytes = sizeof(T) << Bits;
  T *place(uint32_t handle) const {
    return reinterpret_cast<T *>(Regions[handle >> Bits] +
                                 (handle & ((1u << Bits) - 1)) * sizeof(T));
  }
  uint32_t fresh() {
    if (Next >> Bits == Regions.size()) {
      Regions.push(static_cast<char *>(Blocks::take(RegionBytes)));
      Next += Next == 0;
    }
    return Next++;
  }
  Vec<char *> Regions;
  uint32_t Free = 0, Next = 0;
};

constexpr uint64_t hashMix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ull;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ull;
  return x ^ x >> 32;
}

/// Open-addressing map from a non-zero 64-bit key. Values must be default constructible.
/// References stay valid until the next insertion.
template <class V> class HashMap {
public:
  HashMap() = default;
  HashMap(const HashMap &) = delete;
  HashMap &operator=(const HashMap &) = delete;
  ~HashMap() { destroy(); }

  V *find(uint64_t key) {
    if (!Count)
      return nullptr;
    for (size_t i = hashMix(key) & Mask;; i = (i + 1) & Mask) {
      if (Slots[i].key == key)
        return &Slots[i].value;
      if (!Slots[i].key)
        return nullptr;
    }
  }
  const V *find(uint64_t key) const { return const_cast<HashMap *>(this)->find(key); }
  V &operator[](uint64_t key) {
    if (V *v = find(key))
      return *v;
    if ((Count + 1) * 4 > (Mask + 1) * 3 || !Slots)
      rehash(Slots ? (Mask + 1) * 2 : 2);
    ++Count;
    Slot &s = Slots[freeSlot(key)];
    s.key = key;
    return s.value;
  }
  /// Removes `key` if present (backward-shift deletion).
  void erase(uint64_t key) {
    V *v = find(key);
    if (!v)
      return;
    size_t i =
        reinterpret_cast<Slot *>(reinterpret_cast<char *>(v) - offsetof(Slot, value)) - Slots;
    for (size_t j = (i + 1) & Mask; Slots[j].key; j = (j + 1) & Mask) {
      size_t home = hashMix(Slots[j].key) & Mask;
      if (((j - home) & Mask) >= ((j - i) & Mask)) {
        Slots[i].key = Slots[j].key;
        Slots[i].value = moved(Slots[j].value);
        i = j;
      }
    }
    Slots[i].key = 0;
    Slots[i].value = V();
    --Count;
  }
  size_t size() const { return Count; }
  template <class F> void forEach(F f) {
    for (size_t i = 0; Slots && i <= Mask; ++i)
      if (Slots[i].key)
        f(Slots[i].key, Slots[i].value);
  }
  void clear() {
    destroy();
    Slots = nullptr;
    Mask = Count = 0;
  }

private:
  struct Slot {
    uint64_t key = 0;
    V value{};
  };
  size_t freeSlot(uint64_t key) const {
    size_t i = hashMix(key) & Mask;
    while (Slots[i].key)
      i = (i + 1) & Mask;
    return i;
  }
  void rehash(size_t n) {
    Slot *old = Slots;
    size_t oldSize = Slots ? Mask + 1 : 0;
    Slots = static_cast<Slot *>(Blocks::take(sizeof(Slot) * n));
    for (size_t i = 0; i < n; ++i)
      new (Slots + i, PlacementTag{}) Slot();
    Mask = n - 1;
    for (size_t i = 0; i < oldSize; ++i) {
      if (old[i].key) {
        Slot &s = Slots[freeSlot(old[i].key)];
        s.key = old[i].key;
        s.value = moved(old[i].value);
      }
      old[i].~Slot();
    }
    Blocks::give(old, sizeof(Slot) * oldSize);
  }
  void destroy() {
    for (size_t i = 0; Slots && i <= Mask; ++i)
      Slots[i].~Slot();
    Blocks::give(Slots, sizeof(Slot) * (Mask + 1));
  }
  Slot *Slots = nullptr;
  size_t Mask = 0, Count = 0;
};

} // namespace scopesan::core

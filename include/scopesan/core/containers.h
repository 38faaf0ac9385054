// The few containers the core needs. Freestanding: no std, no exceptions. Allocation failure stops
// the process with a trap, since nothing sound can follow it.
#pragma once

#include <initializer_list>
#include <stddef.h>
#include <stdint.h>

namespace scopesan::core {

inline void *allocate(size_t bytes) {
  void *p = __builtin_malloc(bytes ? bytes : 1);
  if (!p)
    __builtin_trap();
  return p;
}
inline void deallocate(void *p) { __builtin_free(p); }

template <class T> T &&moved(T &x) { return static_cast<T &&>(x); }
template <class T> void swapValues(T &a, T &b) {
  T t = moved(a);
  a = moved(b);
  b = moved(t);
}
template <class T> constexpr T maxOf(T a, T b) { return a < b ? b : a; }
template <class T> constexpr T minOf(T a, T b) { return a < b ? a : b; }

struct PlacementTag {};
} // namespace scopesan::core
inline void *operator new(size_t, void *p, scopesan::core::PlacementTag) noexcept { return p; }
namespace scopesan::core {

/// Growable array. Moves elements with their move constructors.
template <class T> class Vec {
public:
  Vec() = default;
  Vec(const Vec &) = delete;
  Vec &operator=(const Vec &) = delete;
  Vec(Vec &&o) noexcept : Data(o.Data), Size(o.Size), Cap(o.Cap) {
    o.Data = nullptr;
    o.Size = o.Cap = 0;
  }
  Vec &operator=(Vec &&o) noexcept {
    swapValues(Data, o.Data);
    swapValues(Size, o.Size);
    swapValues(Cap, o.Cap);
    return *this;
  }
  ~Vec() {
    clear();
    deallocate(Data);
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
    if (Size == Cap)
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
    T *d = static_cast<T *>(allocate(sizeof(T) * n));
    for (uint32_t i = 0; i < Size; ++i) {
      new (d + i, PlacementTag{}) T(moved(Data[i]));
      Data[i].~T();
    }
    deallocate(Data);
    Data = d;
    Cap = n;
  }
  T *Data = nullptr;
  uint32_t Size = 0, Cap = 0;
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
    Slots = static_cast<Slot *>(allocate(sizeof(Slot) * n));
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
    deallocate(old);
  }
  void destroy() {
    for (size_t i = 0; Slots && i <= Mask; ++i)
      Slots[i].~Slot();
    deallocate(Slots);
  }
  Slot *Slots = nullptr;
  size_t Mask = 0, Count = 0;
};

/// Fixed-size object pool with a free list: allocation and release take a few instructions. All
/// objects must have been destroyed when the pool is.
template <class T> class Pool {
public:
  Pool() = default;
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;
  ~Pool() {
    for (Item *c : Chunks)
      deallocate(c);
  }
  template <class... A> T *create(A &&...args) {
    if (!Free)
      refill();
    Item *i = Free;
    Free = i->next;
    ++Live;
    return new (i, PlacementTag{}) T(static_cast<A &&>(args)...);
  }
  void destroy(T *p) {
    p->~T();
    Item *i = reinterpret_cast<Item *>(p);
    i->next = Free;
    Free = i;
    --Live;
  }
  size_t live() const { return Live; }

private:
  union Item {
    Item *next;
    alignas(T) char storage[sizeof(T)];
  };
  void refill() {
    constexpr size_t N = sizeof(Item) > 4096 ? 1 : 16384 / sizeof(Item) + 1;
    Item *chunk = static_cast<Item *>(allocate(sizeof(Item) * N));
    Chunks.push(chunk);
    for (size_t i = 0; i < N; ++i) {
      chunk[i].next = Free;
      Free = &chunk[i];
    }
  }
  Item *Free = nullptr;
  size_t Live = 0;
  Vec<Item *> Chunks;
};

} // namespace scopesan::core

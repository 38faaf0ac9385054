// Synchronization objects by place: an object is kept at its first word and found from every word
// that it touches.
#pragma once

#include "scopesan/core/shadow.h"

namespace scopesan::core {

/// The bytes of `word` that [addr, addr + bytes) touches; they overlap.
constexpr uint32_t maskIn(uint64_t word, uint64_t addr, uint64_t bytes) {
  uint64_t from = maxOf(addr, word) - word, to = minOf(addr + bytes, word + WordBytes) - word;
  return ((1u << to) - 1) & ~((1u << from) - 1);
}
/// P1: calls f(word address, byte mask) for each word that [addr, addr + bytes) touches.
template <class Fn> void p1Words(uint64_t addr, uint64_t bytes, Fn &&f) {
  for (uint64_t word = wordOf(addr); word < addr + bytes; word += WordBytes)
    f(word, maskIn(word, addr, bytes));
}

class SyncObjects {
public:
  explicit SyncObjects(ShadowMemory &s) : Shadow(s) {}
  ShadowMemory &shadow() { return Shadow; }

  /// The object of this place and size that begins in the word of `o`, or null.
  [[gnu::always_inline]] static SyncObject *find(AtomicWord &o, uint64_t addr, uint32_t bytes) {
    if (o.object.address == addr && o.object.bytes == bytes) [[likely]]
      return &o.object;
    return findFurther(o, addr, bytes);
  }
  [[gnu::noinline]] static SyncObject *findFurther(const AtomicWord &o, uint64_t addr,
                                                   uint32_t bytes) {
    for (SyncObject *x = o.objects; x; x = x->next)
      if (x->address == addr && x->bytes == bytes)
        return x;
    return nullptr;
  }
  /// A new object that begins in the word of `o`. Its further words must be atomic too.
  SyncObject *create(AtomicWord &o, uint64_t addr, uint32_t bytes) {
    SyncObject *x = o.object.address ? Further.create() : &o.object;
    x->address = addr;
    x->bytes = uint16_t(bytes);
    x->next = o.objects;
    o.objects = x;
    p1Words(addr, bytes, [&](uint64_t word, uint32_t) {
      if (word > addr)
        Shadow.atomic(word)->covered = true;
    });
    return x;
  }
  /// Ends all objects that begin in the word.
  void destroy(AtomicWord &o) {
    while (SyncObject *x = o.objects) {
      o.objects = x->next;
      if (x != &o.object)
        Further.destroy(x);
    }
  }

  /// Calls f(object) for each object that has a byte in `word`, which is `o`.
  template <class Fn> void forEach(uint64_t word, const AtomicWord &o, Fn f) {
    for (SyncObject *x = o.objects; x; x = x->next)
      f(*x);
    if (!o.covered)
      return;
    for (uint64_t back = WordBytes; back <= MaxBytes && back <= word; back += WordBytes) {
      Cell *c = Shadow.find(word - back);
      AtomicWord *e = c ? of(c->overflow()) : nullptr;
      for (SyncObject *x = e ? e->objects : nullptr; x; x = x->next)
        if (x->address + x->bytes > word)
          f(*x);
    }
  }
  /// S4: a write replaces the values of the other objects that it overlaps; `mine` is its own, in
  /// the word of `first`.
  void s4ReplaceOthers(AtomicWord &first, uint64_t addr, uint32_t bytes, SyncObject *mine) {
    if (first.objects == mine && !mine->next && !first.covered &&
        addr % WordBytes + bytes <= WordBytes) [[likely]]
      return;
    p1Words(addr, bytes, [&](uint64_t word, uint32_t) {
      forEach(word, *Shadow.atomic(word), [&](SyncObject &x) {
        if (&x != mine && x.address < addr + bytes && addr < x.address + x.bytes)
          x.s4Replace();
      });
    });
  }
  /// S4: a weak write replaces the value of every object it touches; so does a new location (P5).
  void s4ReplaceAll(uint64_t word, const AtomicWord &o) {
    forEach(word, o, [](SyncObject &x) { x.s4Replace(); });
  }

  /// The atomic word in an overflow block, or null.
  static AtomicWord *of(Overflow *o) {
    return o && o->atomic ? static_cast<AtomicWord *>(o) : nullptr;
  }

private:
  static constexpr uint64_t MaxBytes = 16; ///< of one scalar atomic access
  ShadowMemory &Shadow;
  Pool<SyncObject> Further; ///< other than the first of each word
};

} // namespace scopesan::core

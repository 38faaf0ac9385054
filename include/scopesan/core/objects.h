// Synchronization objects by place: an object is kept at its first word and found from every word
// that it touches.
#pragma once

#include "scopesan/core/shadow.h"

namespace scopesan::core {

/// Calls f(word address, byte mask) for each word that [addr, addr + bytes) touches.
template <class Fn> void forWords(uint64_t addr, uint64_t bytes, Fn f) {
  for (uint64_t a = addr, end = addr + bytes; a < end;) {
    uint64_t word = a & ~uint64_t(WordBytes - 1), stop = minOf(end, word + WordBytes);
    uint32_t mask = ((1u << (stop - a)) - 1) << (a - word);
    f(word, mask);
    a = stop;
  }
}

class SyncObjects {
public:
  explicit SyncObjects(ShadowMemory &s) : Shadow(s) {}

  SyncObject *find(uint64_t addr, uint32_t bytes) {
    Overflow *o = Shadow.cell(addr & ~uint64_t(WordBytes - 1)).overflow();
    for (SyncObject *x = o ? o->objects : nullptr; x; x = x->next)
      if (x->address == addr && x->bytes == bytes)
        return x;
    return nullptr;
  }
  /// A new object; all its words must have their overflow block.
  SyncObject *create(uint64_t addr, uint32_t bytes) {
    SyncObject *x = new (allocate(sizeof(SyncObject)), PlacementTag{}) SyncObject();
    x->address = addr;
    x->bytes = bytes;
    bool first = true;
    forWords(addr, bytes, [&](uint64_t word, uint32_t) {
      Overflow &o = *Shadow.cell(word).overflow();
      if (first) {
        x->next = o.objects;
        o.objects = x;
      } else {
        o.covered = true;
      }
      first = false;
    });
    return x;
  }
  void destroy(Overflow &o) {
    while (SyncObject *x = o.objects) {
      o.objects = x->next;
      x->~SyncObject();
      deallocate(x);
    }
  }

  /// Calls f(object) for each object that has a byte in `word`, whose overflow block is `o`.
  template <class Fn> void forEach(uint64_t word, const Overflow &o, Fn f) {
    for (SyncObject *x = o.objects; x; x = x->next)
      f(*x);
    if (!o.covered)
      return;
    for (uint64_t back = WordBytes; back <= MaxBytes && back <= word; back += WordBytes) {
      Cell *c = Shadow.find(word - back);
      Overflow *e = c ? c->overflow() : nullptr;
      for (SyncObject *x = e ? e->objects : nullptr; x; x = x->next)
        if (x->address + x->bytes > word)
          f(*x);
    }
  }
  /// S4: a write replaces the values of the other objects that it overlaps; `mine` is its own.
  void replaceOthers(uint64_t addr, uint32_t bytes, SyncObject *mine) {
    forWords(addr, bytes, [&](uint64_t word, uint32_t) {
      forEach(word, *Shadow.cell(word).overflow(), [&](SyncObject &x) {
        if (&x != mine && x.address < addr + bytes && addr < x.address + x.bytes)
          x.replacedByPlainWrite();
      });
    });
  }
  /// S4: a weak write replaces the value of every object it touches; so does a new location (P5).
  void replaceAll(uint64_t word, const Overflow &o) {
    forEach(word, o, [](SyncObject &x) { x.replacedByPlainWrite(); });
  }

private:
  static constexpr uint64_t MaxBytes = 16; ///< of one scalar atomic access
  ShadowMemory &Shadow;
};

} // namespace scopesan::core

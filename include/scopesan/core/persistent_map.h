// Persistent (structure-sharing) map from 32-bit keys to 64-bit leaves: the skeleton of every
// clock.
//
// A 32-way radix tree with bitmap-compressed nodes. Copies share nodes by reference count (one
// thread of control at a time: counts are not atomic). Joining prunes wherever both sides are the
// same node, so that re-joining what is already known costs a pointer comparison.
#pragma once

#include "scopesan/core/containers.h"

namespace scopesan::core {

/// Leaf: 0 means absent. Traits provide
///   static uint64_t join(uint64_t a, uint64_t b);   owned result; returns a or b where equal
///   static void retain(uint64_t), release(uint64_t);
template <class Leaf> class PersistentMap {
  struct Node {
    uint32_t refs;
    uint32_t bitmap;
    uint64_t slots[1]; ///< popcount(bitmap) entries: Node* above level 0, leaves at level 0
  };

public:
  PersistentMap() = default;
  PersistentMap(const PersistentMap &o) : Tree(o.Tree) { retain(root()); }
  PersistentMap(PersistentMap &&o) noexcept : Tree(o.Tree) { o.Tree = 0; }
  [[gnu::always_inline]] PersistentMap &operator=(const PersistentMap &o) {
    if (Tree != o.Tree)
      assign(o);
    return *this;
  }
  PersistentMap &operator=(PersistentMap &&o) noexcept {
    swap(o);
    return *this;
  }
  ~PersistentMap() {
    if (Tree)
      release(root(), height());
  }

  void swap(PersistentMap &o) { swapValues(Tree, o.Tree); }
  bool empty() const { return !Tree; }
  /// Same tree: implies equal contents (not conversely).
  bool sameAs(const PersistentMap &o) const { return Tree == o.Tree; }

  /// The leaf at `key`, or 0. Borrowed.
  uint64_t find(uint32_t key) const {
    if (!Tree || !fits(key, height()))
      return 0;
    const Node *n = root();
    for (uint32_t level = height();; --level) {
      uint32_t bit = 1u << (key >> (Bits * level) & Mask);
      if (!(n->bitmap & bit))
        return 0;
      uint64_t s = n->slots[bitCount(n->bitmap & (bit - 1))];
      if (level == 0)
        return s;
      n = asNode(s);
    }
  }

  /// Joins `leaf` (borrowed) into `key`. Returns whether the map changed.
  bool raise(uint32_t key, uint64_t leaf) {
    uint64_t old = find(key);
    if (!old) {
      Leaf::retain(leaf);
      put(key, leaf);
      return true;
    }
    uint64_t j = Leaf::join(old, leaf);
    if (j == old) {
      Leaf::release(j);
      return false;
    }
    put(key, j);
    return true;
  }
  /// Replaces what is at `key` by `leaf` (owned).
  void put(uint32_t key, uint64_t leaf) {
    update(key, [leaf](uint64_t old) {
      if (old)
        Leaf::release(old);
      return leaf;
    });
  }
  /// Replaces what is at `key` by f(it): `f` consumes the leaf, 0 when absent, and returns an owned
  /// one.
  template <class F> void update(uint32_t key, F f) {
    growTo(key);
    set(updateIn(root(), height(), key, f), height());
  }

  void erase(uint32_t key) {
    if (!find(key))
      return;
    Node *n = eraseIn(root(), height(), key);
    set(n, n ? height() : 0);
  }

  [[gnu::always_inline]] void join(const PersistentMap &o) {
    if (Tree != o.Tree && o.Tree)
      joinOther(o);
  }

  template <class F> void forEach(F f) const { walk(root(), height(), 0, f); }
  /// Bytes of all nodes reachable from here (shared ones included); for benchmarks.
  size_t footprint() const { return footprintOf(root(), height()); }
  /// Asks for the root, which is about to be shared or joined.
  void prefetchRoot() const {
    if (Tree)
      prefetch(root());
  }

private:
  static constexpr uint32_t Bits = 5, Mask = 31, MaxHeight = 6;

  [[gnu::noinline]] void assign(const PersistentMap &o) {
    PersistentMap copy(o);
    swap(copy);
  }
  static Node *asNode(uint64_t s) { return reinterpret_cast<Node *>(s); }
  static uint64_t asSlot(Node *n) { return reinterpret_cast<uint64_t>(n); }
  static bool fits(uint32_t key, uint32_t height) {
    return height >= MaxHeight || key >> (Bits * (height + 1)) == 0;
  }

  Node *root() const { return asNode(Tree & ~uint64_t(HeightMask)); }
  uint32_t height() const { return Tree & HeightMask; }
  void set(Node *root, uint32_t height) { Tree = asSlot(root) | height; }

  static size_t bytesOf(uint32_t slots) { return offsetof(Node, slots) + slots * sizeof(uint64_t); }
  static Node *allocateNode(uint32_t bitmap) {
    Node *node = static_cast<Node *>(Blocks::take(bytesOf(bitCount(bitmap))));
    node->refs = 1;
    node->bitmap = bitmap;
    return node;
  }
  static void recycle(Node *node) { Blocks::give(node, bytesOf(bitCount(node->bitmap))); }
  static void retain(Node *n) {
    if (n)
      ++n->refs;
  }
  static void retainSlot(uint64_t s, uint32_t level) {
    if (level)
      retain(asNode(s));
    else
      Leaf::retain(s);
  }
  static void releaseSlot(uint64_t s, uint32_t level) {
    if (level)
      release(asNode(s), level - 1);
    else
      Leaf::release(s);
  }
  static void release(Node *n, uint32_t level) {
    if (!n || --n->refs)
      return;
    for (uint32_t i = 0, e = bitCount(n->bitmap); i < e; ++i)
      releaseSlot(n->slots[i], level);
    recycle(n);
  }

  /// Adds a level above the root without changing contents.
  void lift() {
    Node *n = allocateNode(1);
    n->slots[0] = asSlot(root());
    set(n, height() + 1);
  }
  void growTo(uint32_t key) {
    if (!Tree) {
      uint32_t h = 0;
      while (!fits(key, h))
        ++h;
      set(nullptr, h);
    } else {
      while (!fits(key, height()))
        lift();
    }
  }
  [[gnu::noinline]] void joinOther(const PersistentMap &o) {
    if (!Tree)
      return assign(o);
    if (height() == o.height())
      return joinRoot(o.root());
    PersistentMap other(o);
    while (height() < other.height())
      lift();
    while (other.height() < height())
      other.lift();
    joinRoot(other.root());
  }
  void joinRoot(Node *other) {
    Node *mine = root();
    Node *j = joinNodes(mine, other, height());
    release(mine, height());
    set(j, height());
  }

  /// Returns `n` if it is unshared, else an unshared copy (consumes the reference to `n`).
  static Node *unshare(Node *n, uint32_t level) {
    if (n->refs == 1)
      return n;
    Node *c = allocateNode(n->bitmap);
    for (uint32_t i = 0, e = bitCount(n->bitmap); i < e; ++i) {
      c->slots[i] = n->slots[i];
      retainSlot(c->slots[i], level);
    }
    --n->refs;
    return c;
  }
  template <class F> static Node *updateIn(Node *n, uint32_t level, uint32_t key, F &f) {
    uint32_t bit = 1u << (key >> (Bits * level) & Mask);
    if (!n) {
      n = allocateNode(bit);
      n->slots[0] = 0;
    } else if (!(n->bitmap & bit)) {
      n = withHole(n, level, bit);
    } else {
      n = unshare(n, level);
    }
    uint64_t &s = n->slots[bitCount(n->bitmap & (bit - 1))];
    s = level ? asSlot(updateIn(asNode(s), level - 1, key, f)) : f(s);
    return n;
  }
  /// A copy of `n` with an empty slot at `bit` (consumes the reference to `n`).
  static Node *withHole(Node *n, uint32_t level, uint32_t bit) {
    Node *c = allocateNode(n->bitmap | bit);
    uint32_t at = bitCount(n->bitmap & (bit - 1));
    bool mine = n->refs == 1;
    for (uint32_t i = 0, e = bitCount(n->bitmap); i < e; ++i) {
      uint64_t s = n->slots[i];
      if (!mine)
        retainSlot(s, level);
      c->slots[i + (i >= at)] = s;
    }
    c->slots[at] = 0;
    if (mine)
      recycle(n);
    else
      --n->refs;
    return c;
  }
  static Node *eraseIn(Node *n, uint32_t level, uint32_t key) {
    uint32_t bit = 1u << (key >> (Bits * level) & Mask);
    n = unshare(n, level);
    uint32_t at = bitCount(n->bitmap & (bit - 1));
    if (level) {
      Node *child = eraseIn(asNode(n->slots[at]), level - 1, key);
      n->slots[at] = asSlot(child);
      if (child)
        return n;
    } else {
      Leaf::release(n->slots[at]);
    }
    if (n->bitmap == bit) {
      recycle(n);
      return nullptr;
    }
    Node *c = allocateNode(n->bitmap & ~bit);
    for (uint32_t i = 0, o = 0, e = bitCount(n->bitmap); i < e; ++i)
      if (i != at)
        c->slots[o++] = n->slots[i];
    recycle(n);
    return c;
  }

  /// Owned join of two trees of equal height; returns `a` or `b` themselves where nothing is added.
  static Node *joinNodes(Node *a, Node *b, uint32_t level) {
    if (a == b) {
      retain(a);
      return a;
    }
    uint64_t out[32];
    uint32_t bitmap = a->bitmap | b->bitmap, n = 0;
    bool isA = bitmap == a->bitmap, isB = bitmap == b->bitmap;
    const uint64_t *pa = a->slots, *pb = b->slots;
    for (uint32_t rest = bitmap; rest; rest &= rest - 1) {
      uint32_t bit = rest & -rest;
      uint64_t sa = a->bitmap & bit ? *pa++ : 0, sb = b->bitmap & bit ? *pb++ : 0, s;
      if (!sa || !sb) {
        s = sa | sb;
        retainSlot(s, level);
      } else if (level) {
        s = asSlot(joinNodes(asNode(sa), asNode(sb), level - 1));
      } else {
        s = Leaf::join(sa, sb);
      }
      isA &= s == sa;
      isB &= s == sb;
      out[n++] = s;
    }
    if (isA || isB) {
      for (uint32_t i = 0; i < n; ++i)
        releaseSlot(out[i], level);
      // Of equal ones always the same, so that copies of one set come to share their nodes.
      Node *same = isA && isB ? (a < b ? a : b) : isA ? a : b;
      retain(same);
      return same;
    }
    Node *c = allocateNode(bitmap);
    for (uint32_t i = 0; i < n; ++i)
      c->slots[i] = out[i];
    return c;
  }

  template <class F> static void walk(const Node *n, uint32_t level, uint32_t prefix, F &f) {
    if (!n)
      return;
    const uint64_t *s = n->slots;
    for (uint32_t rest = n->bitmap; rest; rest &= rest - 1, ++s) {
      uint32_t key = prefix << Bits | __builtin_ctz(rest);
      if (level)
        walk(asNode(*s), level - 1, key, f);
      else
        f(key, *s);
    }
  }
  static size_t footprintOf(const Node *n, uint32_t level) {
    if (!n)
      return 0;
    uint32_t slots = bitCount(n->bitmap);
    size_t sum = offsetof(Node, slots) + slots * sizeof(uint64_t);
    for (uint32_t i = 0; level && i < slots; ++i)
      sum += footprintOf(asNode(n->slots[i]), level - 1);
    return sum;
  }

  static constexpr uint32_t HeightMask = 7; ///< nodes are aligned to 8 bytes
  uint64_t Tree = 0;                        ///< root and height; 0 = empty
};

/// Leaf holding a number that only grows (join = maximum). Used for timelines.
struct CounterLeaf {
  static uint64_t join(uint64_t a, uint64_t b) { return a < b ? b : a; }
  static void retain(uint64_t) {}
  static void release(uint64_t) {}
};

/// Leaf holding a set of 64 members (join = union).
struct BitsLeaf {
  static uint64_t join(uint64_t a, uint64_t b) { return a | b; }
  static void retain(uint64_t) {}
  static void release(uint64_t) {}
};

} // namespace scopesan::core

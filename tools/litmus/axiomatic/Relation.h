// Relations over at most 64 events as bit matrices.
#pragma once

#include <array>
#include <cstdint>

namespace scopesan::litmus {

/// A set of events.
using EventSet = uint64_t;
constexpr uint32_t MaxEvents = 64;
constexpr EventSet bit(uint32_t e) { return EventSet(1) << e; }

/// r[a] holds the events b with (a, b) in r.
class Relation {
public:
  explicit Relation(uint32_t n = 0) : N(n) { Rows.fill(0); }
  uint32_t size() const { return N; }
  bool has(uint32_t a, uint32_t b) const { return Rows[a] >> b & 1; }
  void add(uint32_t a, uint32_t b) { Rows[a] |= bit(b); }
  EventSet row(uint32_t a) const { return Rows[a]; }
  EventSet &row(uint32_t a) { return Rows[a]; }
  bool empty() const {
    for (uint32_t a = 0; a < N; ++a)
      if (Rows[a])
        return false;
    return true;
  }

  friend Relation operator|(Relation a, const Relation &b) {
    for (uint32_t i = 0; i < a.N; ++i)
      a.Rows[i] |= b.Rows[i];
    return a;
  }
  friend Relation operator&(Relation a, const Relation &b) {
    for (uint32_t i = 0; i < a.N; ++i)
      a.Rows[i] &= b.Rows[i];
    return a;
  }
  /// Composition: (a, c) for (a, b) in this and (b, c) in `o`.
  Relation then(const Relation &o) const {
    Relation out(N);
    for (uint32_t a = 0; a < N; ++a)
      for (EventSet s = Rows[a]; s; s &= s - 1)
        out.Rows[a] |= o.Rows[__builtin_ctzll(s)];
    return out;
  }
  Relation optional() const {
    Relation out = *this;
    for (uint32_t a = 0; a < N; ++a)
      out.add(a, a);
    return out;
  }
  Relation transitive() const {
    Relation out = *this;
    for (uint32_t k = 0; k < N; ++k)
      for (uint32_t a = 0; a < N; ++a)
        if (out.has(a, k))
          out.Rows[a] |= out.Rows[k];
    return out;
  }
  Relation inverse() const {
    Relation out(N);
    for (uint32_t a = 0; a < N; ++a)
      for (EventSet s = Rows[a]; s; s &= s - 1)
        out.add(__builtin_ctzll(s), a);
    return out;
  }
  /// Pairs from `domain` to `range`.
  Relation restricted(EventSet domain, EventSet range) const {
    Relation out(N);
    for (uint32_t a = 0; a < N; ++a)
      if (domain >> a & 1)
        out.Rows[a] = Rows[a] & range;
    return out;
  }
  bool intersects(const Relation &o) const {
    for (uint32_t a = 0; a < N; ++a)
      if (Rows[a] & o.Rows[a])
        return true;
    return false;
  }
  bool irreflexive() const {
    for (uint32_t a = 0; a < N; ++a)
      if (has(a, a))
        return false;
    return true;
  }
  bool acyclic() const { return transitive().irreflexive(); }

private:
  uint32_t N;
  std::array<uint64_t, MaxEvents> Rows;
};

} // namespace scopesan::litmus

// What one access does: weak ones to any bytes, strong ones to a location (O1-O5, P1).
#pragma once

#include "scopesan/core/cluster.h"
#include "scopesan/core/filter.h"
#include "scopesan/core/progress.h"
#include "scopesan/core/unmodelled.h"

namespace scopesan::core {

class Accesses {
public:
  Accesses(Context &c, Judge &j, SyncRules &s, ProgressRules &p, ClusterRules &clusters,
           Unmodelled &u)
      : C(c), J(j), Sync(s), Progress(p), Clusters(clusters), Unknown(u), Objects(Shadow),
        F(c, j, Objects) {}
  Accesses(const Accesses &) = delete;
  ~Accesses() {
    Shadow.forEach([&](Cell &c) { F.cells().drop(c); });
  }

  ShadowMemory Shadow;

  Filter &filter() { return F; }
  Cells &cells() { return F.cells(); }
  /// Accesses that were checked.
  uint64_t checked() const { return Checked; }

  // ---------------------------------------------------------------- weak

  void read(Thread &t, uint64_t addr, uint32_t bytes, SiteId site) {
    constexpr Op op(abi::AccessKind::Load, abi::MemoryOrder::Weak, Scope::Thread);
    begin(t, addr, bytes, op, site);
    if (isWord(addr, bytes))
      return F.weakRead(t, Shadow.cell(addr), Record::make(t.epoch(), site, op, FullWord, bytes),
                        addr);
    p1Split(t, addr, bytes, op, site, Proxy::Generic);
  }
  void write(Thread &t, uint64_t addr, uint32_t bytes, SiteId site) {
    constexpr Op op(abi::AccessKind::Store, abi::MemoryOrder::Weak, Scope::Thread);
    begin(t, addr, bytes, op, site);
    if (isWord(addr, bytes))
      return F.weakWrite(t, Shadow.cell(addr), Record::make(t.epoch(), site, op, FullWord, bytes),
                         addr);
    p1Split(t, addr, bytes, op, site, Proxy::Generic);
  }
  /// P1: weak accesses of any size, 0 included: whole words one by one.
  void readRange(Thread &t, uint64_t addr, uint64_t bytes, SiteId site) {
    chunks(addr, bytes, [&](uint64_t a, uint32_t n) { read(t, a, n, site); });
  }
  void writeRange(Thread &t, uint64_t addr, uint64_t bytes, SiteId site) {
    chunks(addr, bytes, [&](uint64_t a, uint32_t n) { write(t, a, n, site); });
  }
  /// Through any proxy.
  void weak(Thread &t, uint64_t addr, uint32_t bytes, SiteId site, abi::AccessKind kind,
            Proxy proxy) {
    Op op(kind, abi::MemoryOrder::Weak, Scope::Thread);
    begin(t, addr, bytes, op, site);
    p1Split(t, addr, bytes, op, site, proxy);
  }
  /// A read through a surface object.
  void surfaceRead(Thread &t, uint64_t addr, uint32_t bytes, SiteId site) {
    constexpr Op op(abi::AccessKind::Load, abi::MemoryOrder::Weak, Scope::Thread);
    begin(t, addr, bytes, op, site);
    p1Words(addr, bytes, [&](uint64_t word, uint32_t mask) {
      F.surfaceRead(t, Shadow.cell(word),
                    Record::make(t.epoch(), site, op, mask, bytes, Proxy::Surface), word);
    });
  }

  // ---------------------------------------------------------------- strong

  /// A strong operation executed: `wrote` tells whether memory was written.
  void atomic(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site, bool wrote,
              uint64_t value) {
    if (uint32_t e = op.elementBytes(); e > 1 && e < bytes) // P1: a set of scalar accesses
      return p1Elements(t, addr, bytes, op, site, wrote, value);
    if (o2IsPlain(op)) [[unlikely]]
      return wrote ? write(t, addr, bytes, site) : read(t, addr, bytes, site);
    prefetch(&t, sizeof(Thread));
    AtomicWord *first = Shadow.atomic(addr);
    if (first)
      prefetch(first, sizeof(AtomicWord));
    t.blocks.prefetchRoot();
    begin(t, addr, bytes, op, site);
    C.counters.hit(RuleCounters::O1Strong);
    Op done = o5Executed(op, wrote);
    if (const MemoryAtomicity *m = C.atomicityAt(addr);
        m && !atomicAlone(*m, op, bytes, addr % bytes == 0)) [[unlikely]] // failed CAS too
      J.a1NonAtomic(t, op, site, addr, bytes);
    StrongOp s{done, site};
    SyncObject *o = first ? SyncObjects::find(*first, addr, bytes) : nullptr;
    if (C.advice) [[unlikely]]
      advise(t, addr, bytes, C.syncOp(t, op, site), wrote);
    bool known = o && !wrote && t.wait.isAt(addr, site, o->version); // S16: noted the first time
    observe(t, addr, bytes, o, s, op.kind() == abi::AccessKind::Cas);
    if (wrote && !C.options.cxxMode) // S16 tells a thread's writes apart by their time
      C.advance(t);
    uint32_t version = wrote ? (o ? o->version : 0) + 1 : 0;
    if (!check(t, addr, bytes, s, version, first)) [[unlikely]]
      return;
    bool hop = o && done.kind() != abi::AccessKind::Store && SyncRules::isHop(t, *o, s);
    if (hop && !known)
      Sync.s16Note(t, *o);
    if (wrote)
      publish(t, addr, bytes, first, o, s, hop);
  }
  /// A strong operation on memory that is nobody's concern but the host's: it orders host threads
  /// (S15) and is never part of a finding.
  void synchronize(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site, bool wrote) {
    StrongOp s{o5Executed(op, wrote), site};
    AtomicWord *first = Shadow.atomic(addr);
    SyncObject *o = first ? SyncObjects::find(*first, addr, bytes) : nullptr;
    Progress.leave(t);
    if (o && s.op.kind() != abi::AccessKind::Store)
      Sync.observe(t, *o, s);
    if (s.op.acquires())
      Unknown.x1Acquire(t);
    if (!wrote)
      return;
    p1Words(addr, bytes, [&](uint64_t word, uint32_t) {
      AtomicWord &w = cells().unjudgedWord(word);
      first = word <= addr ? &w : first;
    });
    publish(t, addr, bytes, first, o, s, o && s.op.isRmw() && SyncRules::isHop(t, *o, s));
  }
  /// A strong access to something else than an atomic location.
  void strong(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site, Proxy proxy) {
    begin(t, addr, bytes, op, site);
    p1Words(addr, bytes, [&](uint64_t word, uint32_t mask) {
      Record me = Record::make(t.epoch(), site, op, mask, bytes, proxy);
      if (AtomicWord *w = cells().atomicWord(t, Shadow.atomic(word), me, word))
        F.strong(t, *w, me, 0, word);
    });
  }
  /// One element of a reducing copy: strong, and a link of release sequences, but never one with
  /// what another proxy wrote (S3).
  void reduce(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site, Proxy proxy) {
    strong(t, addr, bytes, op, site, proxy);
    AtomicWord *first = Shadow.atomic(addr);
    if (proxy != Proxy::Generic)
      p1Words(addr, bytes, [&](uint64_t word, uint32_t) {
        if (AtomicWord *w = Shadow.atomic(word))
          Objects.s4ReplaceAll(word, *w);
      });
    else if (SyncObject *o = first ? SyncObjects::find(*first, addr, bytes) : nullptr)
      Sync.publish(t, *o, {op, site}, SyncRules::isHop(t, *o, {op, site}));
    if (C.advice) [[unlikely]] // its scope is nobody's choice
      C.advice->Uses.elsewhere(t, addr, C.syncOp(t, op, site));
  }
  /// A1: how wide the scope of the operation had to be.
  void advise(Thread &t, uint64_t addr, uint32_t bytes, const SyncOp &s, bool wrote) {
    bool reads = o5Reads(s.op);
    if (reads)
      C.advice->read(t, addr);
    C.advice->Uses.access(t, addr, bytes, s, reads, wrote);
  }

private:
  static bool isWord(uint64_t addr, uint32_t bytes) {
    return bytes == WordBytes && (addr & (WordBytes - 1)) == 0;
  }
  /// Before each access.
  [[gnu::always_inline]] void begin(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site) {
    ++Checked;
    t.lastAccess = t.time;
    C.accessed = addr;
    J.beginAccess();
    if (t.block->cluster) [[unlikely]]
      Clusters.d8Peer(t, addr, bytes, op, site);
  }

  // ---------------------------------------------------------------- bytes (P1)

  /// P1: a vector or packed access is a set of scalar accesses.
  void p1Elements(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site, bool wrote,
                  uint64_t value) {
    C.counters.hit(RuleCounters::P1Split);
    uint32_t e = op.elementBytes();
    for (uint32_t at = 0; at < bytes; at += e)
      atomic(t, addr + at, e, op, site, wrote, value);
  }
  /// P1: a weak access is checked word by word, exact to the byte.
  void p1Split(Thread &t, uint64_t addr, uint32_t bytes, Op op, SiteId site, Proxy proxy) {
    if (!isWord(addr, bytes))
      C.counters.hit(RuleCounters::P1Split);
    p1Words(addr, bytes, [&](uint64_t word, uint32_t mask) {
      Record me = Record::make(t.epoch(), site, op, mask, bytes, proxy);
      if (op.kind() == abi::AccessKind::Load)
        F.weakRead(t, Shadow.cell(word), me, word);
      else
        F.weakWrite(t, Shadow.cell(word), me, word);
    });
  }
  /// Splits a range so that whole words take the fast path.
  template <class Fn> static void chunks(uint64_t addr, uint64_t bytes, Fn f) {
    for (uint64_t a = addr, end = addr + bytes; a < end;) {
      uint64_t stop = minOf(end, (a & ~uint64_t(WordBytes - 1)) + WordBytes);
      f(a, uint32_t(stop - a));
      a = stop;
    }
  }

  // ---------------------------------------------------------------- what an operation is (O1-O5)

  /// O2: a volatile access that is taken as a plain one.
  bool o2IsPlain(Op op) {
    if (!op.isVolatile() || C.options.volatileIsRelaxed)
      return false;
    C.counters.hit(RuleCounters::O2Plain);
    return true;
  }
  /// O5: a store reads nothing, and a reduction tells its thread nothing: it never acquires.
  static bool o5Reads(Op op) {
    return op.kind() != abi::AccessKind::Store && op.kind() != abi::AccessKind::Red;
  }
  /// O5: a failed compare-exchange is a read that keeps its acquire half.
  Op o5Executed(Op op, bool wrote) {
    if (op.kind() != abi::AccessKind::Cas || wrote)
      return op;
    C.counters.hit(RuleCounters::O5FailedCas);
    return Op(abi::AccessKind::Load,
              op.acquires() ? abi::MemoryOrder::Acquire : abi::MemoryOrder::Relaxed, op.scope(),
              op.space())
        .with(op.raw() & (Op::VolatileBit | Op::ToolkitBit | Op::OnlyWayOutBit));
  }

  // ---------------------------------------------------------------- the steps of one

  /// What the thread learns from the value.
  [[gnu::always_inline]] void observe(Thread &t, uint64_t addr, uint32_t bytes, SyncObject *o,
                                      StrongOp s, bool attempt) {
    if (!o5Reads(s.op)) {
      if (s.op.kind() == abi::AccessKind::Red)
        C.counters.hit(RuleCounters::O5Red);
      return Progress.leave(t);
    }
    Progress.read(t, o, addr, bytes, s, attempt);
    if (o) {
      Sync.observe(t, *o, s);
      Progress.observe(t, *o);
      if (attempt && o->awaited) [[unlikely]]
        Progress.mayEndWaits(t, addr);
    }
    if (s.op.acquires())
      Unknown.x1Acquire(t);
  }
  /// Checks and remembers it in each word; `first` becomes the word of its first byte. Returns
  /// whether the memory is alive.
  [[gnu::always_inline]] bool check(Thread &t, uint64_t addr, uint32_t bytes, StrongOp s,
                                    uint32_t version, AtomicWord *&first) {
    if (isWord(addr, bytes)) [[likely]] {
      Record me = Record::make(t.epoch(), s.site, s.op, FullWord, WordBytes);
      first = cells().atomicWord(t, first, me, addr);
      if (first) [[likely]]
        F.strong(t, *first, me, version, addr);
      return first;
    }
    return checkWords(t, addr, bytes, s, version, first);
  }
  [[gnu::noinline]] bool checkWords(Thread &t, uint64_t addr, uint32_t bytes, StrongOp s,
                                    uint32_t version, AtomicWord *&first) {
    bool isAlive = true;
    for (uint64_t word = wordOf(addr); word < addr + bytes; word += WordBytes) {
      Record me = Record::make(t.epoch(), s.site, s.op, maskIn(word, addr, bytes), bytes);
      AtomicWord *w = cells().atomicWord(t, word <= addr ? first : Shadow.atomic(word), me, word);
      if (w) [[likely]]
        F.strong(t, *w, me, version, word);
      isAlive &= w != nullptr;
      if (word <= addr)
        first = w;
    }
    return isAlive;
  }
  /// Its value, and what it carries, take the place of the former one.
  [[gnu::always_inline]] void publish(Thread &t, uint64_t addr, uint32_t bytes, AtomicWord *first,
                                      SyncObject *o, StrongOp s, bool hop) {
    if (!o)
      o = Objects.create(*first, addr, bytes);
    if (o->awaited) [[unlikely]]
      Progress.mayEndWaits(t, addr);
    Objects.s4ReplaceOthers(*first, addr, bytes, o);
    Sync.publish(t, *o, s, hop);
  }

  Context &C;
  Judge &J;
  SyncRules &Sync;
  ProgressRules &Progress;
  ClusterRules &Clusters;
  Unmodelled &Unknown;
  SyncObjects Objects;
  Filter F;
  uint64_t Checked = 0;
};

} // namespace scopesan::core

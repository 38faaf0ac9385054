#include "ThreadCode.h"

#include "Text.h"

#include <set>

namespace scopesan::litmus {

namespace {

const std::string NoCudaForm = "no CUDA form: ";

const char *ptxScope(Scope s) {
  constexpr const char *names[] = {".cta", ".cta", ".cluster", ".gpu", ".sys"};
  return names[unsigned(s)];
}
const char *ptxOrder(MemoryOrder o) {
  constexpr const char *names[] = {".weak", ".relaxed", ".acquire", ".release", ".acq_rel", ".sc"};
  return names[unsigned(o)];
}

/// A C++ type of `bytes`, the PTX type of its bits and the constraint of an asm operand.
struct Scalar {
  const char *cxx, *bits, *constraint;
};
const Scalar *scalarOf(uint32_t bytes) {
  static constexpr Scalar table[] = {
      {"unsigned short", "b16", "h"}, {"int", "b32", "r"}, {"long long", "b64", "l"}};
  return bytes == 2 ? &table[0] : bytes == 4 ? &table[1] : bytes == 8 ? &table[2] : nullptr;
}

class Emitter {
public:
  Emitter(const Program &p, const Layout &where, const Places &places, uint32_t thread)
      : P(p), Where(where), At(places), T(thread), Code(p.threads[thread].code) {}

  ThreadBody run() {
    std::set<uint32_t> targets;
    for (const Instr &i : Code)
      if (i.verb == Verb::Branch)
        targets.insert(i.target);
    declare();
    for (uint32_t k = 0; k < Code.size(); ++k) {
      if (targets.count(k))
        line("I" + std::to_string(k) + ":;");
      Now = k;
      emit(Code[k]);
    }
    Now = None;
    if (targets.count(uint32_t(Code.size())))
      line("I" + std::to_string(Code.size()) + ":;");
    line("log.end();");
    return std::move(Out);
  }

private:
  void line(const std::string &text) { Out.lines.push_back({text, Now}); }
  void fail(const std::string &why) {
    if (Out.error.empty())
      Out.error = why;
  }

  void declare() {
    const ThreadCode &t = P.threads[T];
    for (uint32_t r = 0; r < t.registers.size(); ++r)
      line("long long q" + std::to_string(r) + " = " + std::to_string(t.initialRegisters[r]) + ";");
    for (uint32_t l = 0; l < P.locations.size(); ++l)
      if (P.root(l) == l && At.of[l].space == Space::Local)
        line("long long local" + std::to_string(l) + " = " +
             std::to_string(P.locations[l].initial) + "; hide(&local" + std::to_string(l) + ");");
  }

  // ------------------------------------------------------------------ addresses

  bool isPeer(uint32_t location) const {
    const Place &at = At.of[location];
    return at.space == Space::Shared && at.owner != T && !P.sameBlock(at.owner, T);
  }
  /// Generic address.
  std::string generic(uint32_t location, uint32_t offset = 0) {
    const Place &at = At.of[location];
    if (at.space == Space::Local)
      return "(char *)&local" + std::to_string(P.root(location));
    std::string sum = std::to_string(at.offset + offset);
    if (at.space == Space::Global)
      return "m + " + sum;
    if (!isPeer(location))
      return "s + " + sum;
    return "peer(s + " + sum + ", " + std::to_string(peerRank(at.owner)) + ")";
  }
  /// Address in the shared window; of a peer in the cluster's.
  std::string window(uint32_t location) {
    const Place &at = At.of[location];
    std::string own = "window(s + " + std::to_string(at.offset) + ")";
    if (at.space != Space::Shared)
      fail("an operation on shared memory of a location in global memory");
    if (!isPeer(location))
      return own;
    return "peerWindow(" + own + ", " + std::to_string(peerRank(at.owner)) + ")";
  }
  uint32_t peerRank(uint32_t owner) {
    const Position &a = P.threads[T].at, &b = P.threads[owner].at;
    if (a.launch != b.launch || a.cluster != b.cluster)
      fail("shared memory of a block in another cluster");
    return Where.rank[owner];
  }
  /// State space of an access and its address operand.
  struct Operand {
    std::string space, address, constraint;
  };
  Operand operand(const Instr &i) {
    const Place &at = At.of[i.location];
    if (at.space == Space::Shared && !isPeer(i.location))
      return {".shared", "window(s + " + std::to_string(at.offset + i.offset) + ")", "r"};
    return {at.space == Space::Global ? ".global" : "", generic(i.location, i.offset), "l"};
  }

  // ------------------------------------------------------------------ operations

  /// The guide's loops that nothing ends (Execution.Model.Device), as the guide writes them.
  bool endlessLoop(const Instr &i) {
    static constexpr struct {
      std::string_view op;
      const char *loop;
    } Loops[] = {
        {"yield loop", "for (;;) __nanosleep(0);"},
        {"volatile automatic variable", "volatile bool yes = true; while (yes) {}"},
        {"thread-scope atomic automatic",
         "cuda::atomic<bool, cuda::thread_scope_thread> yes = true; while (yes.load()) {}"},
        {"empty infinite loop", "while (true) {}"}};
    for (auto &l : Loops)
      if (i.text.starts_with(l.op)) {
        if (i.verb == Verb::Branch)
          line("{ " + std::string(l.loop) + " }");
        return true;
      }
    return false;
  }

  void emit(const Instr &i) {
    if (endlessLoop(i))
      return;
    switch (i.verb) {
    case Verb::Load:
    case Verb::Store:
    case Verb::Rmw:
      return access(i);
    case Verb::Fence:
      return instruction("fence" + std::string(i.initsOnly ? ".mbarrier_init" : "") +
                         std::string(ptxOrder(i.order)) + ptxScope(i.scope));
    case Verb::ProxyFence:
      return proxyFence(i);
    case Verb::BlockBarrier:
      return blockBarrier(i);
    case Verb::WarpBarrier:
      return line("__syncwarp(" + std::to_string(lanesOfWarp()) + "u); " + note("0", false));
    case Verb::ClusterArrive:
      return instruction("barrier.cluster.arrive" + std::string(ptxOrder(i.order)));
    case Verb::ClusterWait:
      return instruction("barrier.cluster.wait.acquire");
    case Verb::MbarInit:
    case Verb::MbarArrive:
    case Verb::MbarWait:
      return mbarrier(i);
    case Verb::AsyncCopy:
      return copy(i);
    case Verb::AsyncCommit:
      return instruction(bulk(i) ? "cp.async.bulk.commit_group" : "cp.async.commit_group");
    case Verb::AsyncWait:
      return asyncWait(i);
    case Verb::Assign:
      return line(reg(i.dst) + " = " + cxx(i.value) + "; " + note(reg(i.dst), false));
    case Verb::Branch:
      return line(std::string("if (") + cxx(i.lhs) + (i.cmp == Compare::Equal ? " == " : " != ") +
                  cxx(i.rhs) + ") goto I" + std::to_string(i.target) + ";");
    case Verb::Exit:
      return line("log.end(); return;");
    case Verb::GridWait:
      return instruction("griddepcontrol.wait");
    case Verb::LaunchDependents:
      return instruction("griddepcontrol.launch_dependents");
    case Verb::Nop:
      return;
    case Verb::Launch:
    case Verb::Sync:
      return fail("a launch by a thread");
    }
  }

  std::string reg(uint32_t r) const { return "q" + std::to_string(r); }
  /// Records what the operation did, for guards.
  std::string note(const std::string &value, bool wrote) const {
    return "log.note(" + std::to_string(Now) + (wrote ? ", true, " : ", false, ") + value + ");";
  }
  void instruction(const std::string &ptx) {
    line("asm volatile(\"" + ptx + ";\" ::: \"memory\"); " + note("0", false));
  }

  void access(const Instr &i) {
    if (i.proxy != Proxy::Generic)
      return proxy(i.proxy);
    if (P.locations[i.location].distinctAddress)
      return fail("a second virtual address of one location");
    if (contains(i.text, "multimem"))
      return fail("multimem memory");
    if (i.elementBytes && i.verb != Verb::Rmw)
      return vectorAccess(i);
    if (i.bytes == 16 && i.verb != Verb::Rmw)
      return wideAccess(i);
    if (!scalarOf(i.bytes))
      return fail("an access of " + std::to_string(i.bytes) + " bytes");
    bool local = At.of[i.location].space == Space::Local;
    if (i.verb == Verb::Rmw)
      return rmw(i);
    if (local || i.order == MemoryOrder::Weak || i.isVolatile)
      return plain(i);
    strong(i);
  }

  /// Weak and volatile scalars are written as C++ writes them.
  void plain(const Instr &i) {
    const Scalar &s = *scalarOf(i.bytes);
    std::string type = std::string(i.isVolatile ? "volatile " : "") + s.cxx;
    std::string at = "*(" + type + " *)(" + generic(i.location, i.offset) + ")";
    if (i.nonCoherent) {
      Operand o = operand(i);
      return line("{ " + std::string(s.cxx) + " v; asm volatile(\"ld.global.nc." + s.bits +
                  " %0, [%1];\" : \"=" + s.constraint + "\"(v) : \"l\"(" + o.address +
                  ") : \"memory\"); " + took(i, "v") + " }");
    }
    if (i.verb == Verb::Load)
      return line("{ barrier(); " + std::string(s.cxx) + " v = " + at + "; barrier(); " +
                  took(i, "v") + " }");
    line("{ " + std::string(s.cxx) + " v = " + cxx(i.value) + "; barrier(); " + at +
         " = v; barrier(); " + note("v", true) + " }");
  }
  /// After a load: into the register and the log.
  std::string took(const Instr &i, const std::string &value) const {
    return (i.dst != None ? reg(i.dst) + " = " + value + "; " : "") + note(value, false);
  }

  void strong(const Instr &i) {
    const Scalar &s = *scalarOf(i.bytes);
    Operand o = operand(i);
    std::string ptx = std::string(i.verb == Verb::Load ? "ld" : "st") +
                      (contains(i.text, "mmio") ? ".mmio" : "") + ptxOrder(i.order) +
                      ptxScope(i.scope) + o.space + "." + s.bits;
    if (i.verb == Verb::Load)
      return line("{ " + std::string(s.cxx) + " v; asm volatile(\"" + ptx +
                  " %0, [%1];\" : \"=" + s.constraint + "\"(v) : \"" + o.constraint + "\"(" +
                  o.address + ") : \"memory\"); " + took(i, "v") + " }");
    line("{ " + std::string(s.cxx) + " v = " + cxx(i.value) + "; asm volatile(\"" + ptx +
         " [%0], %1;\" :: \"" + o.constraint + "\"(" + o.address + "), \"" + s.constraint +
         "\"(v) : \"memory\"); " + note("v", true) + " }");
  }

  void vectorAccess(const Instr &i) {
    uint32_t n = i.bytes / i.elementBytes;
    const Scalar *s = scalarOf(i.elementBytes);
    if (!s || (n != 2 && n != 4))
      return fail("a vector of " + std::to_string(n) + " elements");
    Operand o = operand(i);
    std::string ptx = std::string(i.verb == Verb::Load ? "ld" : "st") + ptxOrder(i.order) +
                      (i.isStrong() ? ptxScope(i.scope) : "") + o.space + ".v" + std::to_string(n) +
                      "." + s->bits;
    if (i.verb == Verb::Load) {
      std::string names, operands;
      for (uint32_t e = 0; e < n; ++e) {
        names += (e ? ", %" : "%") + std::to_string(e);
        operands +=
            std::string(e ? ", " : "") + "\"=" + s->constraint + "\"(v[" + std::to_string(e) + "])";
      }
      return line("{ " + std::string(s->cxx) + " v[" + std::to_string(n) + "]; asm volatile(\"" +
                  ptx + " {" + names + "}, [%" + std::to_string(n) + "];\" : " + operands +
                  " : \"" + o.constraint + "\"(" + o.address + ") : \"memory\"); " +
                  took(i, "v[0]") + " }");
    }
    std::string names, operands;
    for (uint32_t e = 0; e < n; ++e) {
      names += (e ? ", %" : "%") + std::to_string(e + 1);
      operands += std::string(", \"") + s->constraint + "\"(v)";
    }
    line("{ " + std::string(s->cxx) + " v = " + cxx(i.value) + "; asm volatile(\"" + ptx +
         " [%0], {" + names + "};\" :: \"" + o.constraint + "\"(" + o.address + ")" + operands +
         " : \"memory\"); " + note("v", true) + " }");
  }

  /// 128-bit scalars.
  void wideAccess(const Instr &i) {
    Operand o = operand(i);
    std::string suffix =
        ptxOrder(i.order) + std::string(i.isStrong() ? ptxScope(i.scope) : "") + o.space + ".b128";
    if (i.verb == Verb::Load)
      return line("{ long long v, w; asm volatile(\"{ .reg .b128 t; ld" + suffix +
                  " t, [%2]; mov.b128 {%0, %1}, t; }\" : \"=l\"(v), \"=l\"(w) : \"" + o.constraint +
                  "\"(" + o.address + ") : \"memory\"); " + took(i, "v") + " }");
    line("{ long long v = " + cxx(i.value) +
         "; asm volatile(\"{ .reg .b128 t; mov.b128 t, {%1, %1}; st" + suffix +
         " [%0], t; }\" :: \"" + o.constraint + "\"(" + o.address + "), \"l\"(v) : \"memory\"); " +
         note("v", true) + " }");
  }

  void rmw(const Instr &i) {
    static constexpr struct {
      const char *name;
      char type;
    } Kinds[] = {{"add", 'u'}, {"add", 'u'}, {"exch", 'b'}, {"cas", 'b'}, {"min", 's'},
                 {"max", 's'}, {"and", 'b'}, {"or", 'b'},   {"xor", 'b'}};
    auto &kind = Kinds[unsigned(i.rmw)];
    const Scalar &s = *scalarOf(i.bytes);
    bool half = i.elementBytes == 2 || i.bytes == 2, cas = i.rmw == RmwKind::CompareExchange;
    bool red = !i.returns && !cas && i.rmw != RmwKind::Exchange;
    MemoryOrder order = i.order; // O5: a red never acquires
    if (red && i.releases())
      order = MemoryOrder::Release;
    else if (red)
      order = MemoryOrder::Relaxed;
    Operand o = operand(i);
    std::string type = half ? (i.elementBytes ? "noftz.f16x2" : "noftz.f16")
                            : kind.type + std::to_string(8 * i.bytes);
    std::string ptx = std::string(red ? "red" : "atom") + ptxOrder(order) + ptxScope(i.scope) +
                      o.space + "." + kind.name + "." + type;
    std::string value = (i.rmw == RmwKind::Sub ? "-(" + cxx(i.value) + ")" : cxx(i.value));
    std::string type1 = s.cxx, c = s.constraint;
    if (red)
      return line("{ " + type1 + " v = " + value + "; asm volatile(\"" + ptx +
                  " [%0], %1;\" :: \"" + o.constraint + "\"(" + o.address + "), \"" + c +
                  "\"(v) : \"memory\"); " + note("v", true) + " }");
    std::string compare =
        cas ? ", \"" + c + "\"((" + type1 + ")(" + cxx(i.compare) + "))" : std::string();
    std::string wrote = cas ? "old == (" + type1 + ")(" + cxx(i.compare) + ")" : "true";
    line("{ " + type1 + " v = " + value + ", old; asm volatile(\"" + ptx + " %0, [%1], " +
         (cas ? "%2, %3" : "%2") + ";\" : \"=" + c + "\"(old) : \"" + o.constraint + "\"(" +
         o.address + ")" + compare + ", \"" + c + "\"(v) : \"memory\"); log.note(" +
         std::to_string(Now) + ", " + wrote + ", old);" +
         (i.dst != None ? " " + reg(i.dst) + " = old;" : "") + " }");
  }

  // ------------------------------------------------------------------ fences, barriers

  void proxyFence(const Instr &i) {
    if (i.aliasFence)
      return instruction("fence.proxy.alias");
    if (i.proxy == Proxy::Async)
      return instruction("fence.proxy.async");
    if (i.proxy == Proxy::TensorMap && i.order == MemoryOrder::Release)
      return instruction("fence.proxy.tensormap::generic.release" + std::string(ptxScope(i.scope)));
    if (i.proxy == Proxy::TensorMap) {
      uint32_t l = i.acquiredMap == None ? 0 : i.acquiredMap;
      return line("asm volatile(\"fence.proxy.tensormap::generic.acquire" +
                  std::string(ptxScope(i.scope)) + " [%0], 128;\" :: \"l\"(" + generic(l) +
                  ") : \"memory\"); " + note("0", false));
    }
    proxy(i.proxy);
  }
  void proxy(Proxy p) {
    fail(p == Proxy::TensorMap ? "tensor maps"
                               : NoCudaForm + "PTX has no fence of the " + proxyName(p) + " proxy");
  }

  void blockBarrier(const Instr &i) {
    BarrierOperands b = barrierOperands(P, Where, T, i);
    if (!b.error.empty())
      fail(b.error);
    auto with = [&](const std::string &count) {
      return "asm volatile(\"barrier." + std::string(i.arriveOnly ? "arrive" : "sync") + " %0" +
             (count.empty() ? ";" : ", %1;") + "\" :: \"r\"((int)" + b.id + ")" +
             (count.empty() ? "" : ", \"r\"(" + count + ")") + " : \"memory\"); ";
    };
    line((b.alone.empty() ? "" : "if (" + b.alone + ") " + with("32") + "else ") + with(b.count) +
         note("0", false));
  }
  uint32_t lanesOfWarp() const {
    uint32_t lanes = 0;
    for (uint32_t u = 0; u < P.threads.size(); ++u)
      if ((u == T || P.sameBlock(u, T)) && Where.index[u] / 32 == Where.index[T] / 32)
        lanes |= 1u << Where.index[u] % 32;
    return lanes;
  }

  // ------------------------------------------------------------------ mbarriers, copies

  void mbarrier(const Instr &i) {
    std::string m = window(i.location);
    bool peer = isPeer(i.location);
    std::string space = peer ? ".shared::cluster" : ".shared::cta";
    std::string sem = std::string(ptxOrder(i.order)) + ptxScope(i.scope);
    auto on = [&](const std::string &ptx) {
      line("asm volatile(\"" + ptx + "\" :: \"r\"(" + m + ") : \"memory\"); " + note("0", false));
    };
    if (i.verb == Verb::MbarInit)
      return on("mbarrier.init.shared::cta.b64 [%0], " +
                std::to_string(P.locations[i.location].mbarrier.arrivals) + ";");
    if (i.verb == Verb::MbarWait)
      return line("{ unsigned done; do asm volatile(\"{ .reg .pred p; mbarrier.try_wait.parity" +
                  sem + ".shared::cta.b64 p, [%1], " + std::to_string(i.async.parity & 1) +
                  "; selp.u32 %0, 1, 0, p; }\" : \"=r\"(done) : \"r\"(" + m +
                  ") : \"memory\"); while (!done); " + note("0", false) + " }");
    if (i.async.ofCopies)
      return on("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];");
    std::string bytes;
    if (i.async.expectsBytes)
      bytes = std::to_string(expectedBytes(i.location));
    on("{ .reg .b64 state; mbarrier.arrive" +
       std::string(i.async.expectsBytes ? ".expect_tx" : "") + sem + space + ".b64 " +
       (peer ? "_" : "state") + ", [%0]" + (bytes.empty() ? "" : ", " + bytes) + "; }");
  }
  uint32_t expectedBytes(uint32_t mbarrier) const {
    uint32_t bytes = 0;
    for (const ThreadCode &t : P.threads)
      for (const Instr &c : t.code)
        if (c.verb == Verb::AsyncCopy && c.async.mbarrier == mbarrier)
          bytes += copyBytes(c);
    return bytes;
  }

  static bool bulk(const Instr &i) { return i.async.kind == AsyncKind::Bulk; }

  void copy(const Instr &i) {
    const AsyncPart &a = i.async;
    std::string size = std::to_string(copyBytes(i));
    if (contains(i.text, "wgmma") || contains(i.text, "tcgen05"))
      return fail("tensor core operations");
    std::string m = a.mbarrier != None ? window(a.mbarrier)
                    : At.scratchMbarrier != None
                        ? "window(s + " + std::to_string(At.scratchMbarrier) + ")"
                        : "";
    auto on = [&](const std::string &ptx, const std::string &operands) {
      line("asm volatile(\"" + ptx + ";\" :: " + operands + " : \"memory\"); " + note("0", true));
    };
    auto r = [](const std::string &x) { return "\"r\"(" + x + ")"; };
    auto l = [](const std::string &x) { return "\"l\"(" + x + ")"; };
    if (a.generic && a.reduces)
      return on("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                "[%0], 1, [%1]",
                r(window(a.destination)) + ", " + r(m));
    if (a.generic)
      return on("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], "
                "{1, 1, 1, 1}, [%1]",
                r(window(a.destination)) + ", " + r(m));
    std::string from = a.source != None && At.of[a.source].space == Space::Global
                           ? generic(a.source)
                           : "m + " + std::to_string(At.scratchGlobal);
    if (a.kind == AsyncKind::CpAsync)
      return on("cp.async.ca.shared.global [%0], [%1], " + size,
                r(window(a.destination)) + ", " + l(from));
    if (a.destination != None && At.of[a.destination].space == Space::Shared) {
      bool multicast = contains(i.text, "multicast");
      return on("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes" +
                    std::string(multicast ? ".multicast::cluster" : "") + " [%0], [%1], " + size +
                    ", [%2]" + (multicast ? ", 3" : ""),
                r(multicast ? ownWindow(a.destination) : window(a.destination)) + ", " + l(from) +
                    ", " + r(multicast ? ownWindow(a.mbarrier) : m));
    }
    std::string source = a.source != None && At.of[a.source].space == Space::Shared
                             ? window(a.source)
                             : "window(s + " + std::to_string(At.scratchShared) + ")";
    if (a.destination == None)
      return fail("a copy without a destination");
    on(std::string(a.reduces ? "cp.reduce.async.bulk" : "cp.async.bulk") +
           ".global.shared::cta.bulk_group" + (a.reduces ? ".add.u32" : "") + " [%0], [%1], " +
           size,
       l(generic(a.destination)) + ", " + r(source));
  }
  /// The same place in the issuer's own block: what a multicast names.
  std::string ownWindow(uint32_t location) {
    return "window(s + " + std::to_string(At.of[location].offset) + ")";
  }

  void asyncWait(const Instr &i) {
    if (i.async.groups == None && !bulk(i))
      return instruction("cp.async.wait_all");
    std::string n = std::to_string(i.async.groups == None ? 0 : i.async.groups);
    instruction(bulk(i) ? "cp.async.bulk.wait_group" +
                              std::string(i.async.readOnly ? ".read " : " ") + n
                        : "cp.async.wait_group " + n);
  }

  const Program &P;
  const Layout &Where;
  const Places &At;
  const uint32_t T;
  const std::vector<Instr> &Code;
  uint32_t Now = None;
  ThreadBody Out;
};

} // namespace

bool hasNoCudaForm(const std::string &reason) { return reason.starts_with(NoCudaForm); }

uint32_t copyBytes(const Instr &i) { return i.async.generic && i.async.reduces ? 4 : CopyBytes; }

ThreadBody emitThread(const Program &p, const Layout &where, const Places &places,
                      uint32_t thread) {
  return Emitter(p, where, places, thread).run();
}

} // namespace scopesan::litmus

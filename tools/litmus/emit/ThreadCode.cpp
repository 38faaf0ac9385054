#include "ThreadCode.h"

#include "AsyncCode.h"
#include "Needs.h"
#include "TensorCode.h"
#include "Text.h"

#include <set>

namespace scopesan::litmus {

namespace {

/// A C++ type of `bytes`, the PTX type of its bits and the constraint of an asm operand.
struct Scalar {
  const char *cxx, *bits, *constraint;
};
const Scalar *scalarOf(uint32_t bytes) {
  static constexpr Scalar table[] = {
      {"unsigned short", "b16", "h"}, {"int", "b32", "r"}, {"long long", "b64", "l"}};
  return bytes == 2 ? &table[0] : bytes == 4 ? &table[1] : bytes == 8 ? &table[2] : nullptr;
}

const std::string FirstThread = "if (threadIdx.x == 0) "; ///< of a warpgroup

class Emitter : ThreadText {
public:
  Emitter(const Program &p, const Layout &where, const Places &places, uint32_t thread,
          const std::string &row)
      : ThreadText(p, where, places, thread), RowName(row) {}

  ThreadBody run() {
    std::set<uint32_t> targets;
    for (const Instr &i : Code)
      if (i.verb == Verb::Branch)
        targets.insert(i.target);
    declare();
    if (isWarpgroup(P.threads[T]) && Where.threadsInBlock(P, T) > 1)
      fail("a warpgroup beside other threads of its block");
    for (uint32_t k = 0; k < Code.size(); ++k) {
      if (targets.count(k))
        line("I" + std::to_string(k) + ":;");
      Now = k;
      size_t first = Out.lines.size();
      emit(Code[k]);
      if (isWarpgroup(P.threads[T]))
        byWarpgroup(Code[k], first);
    }
    Now = None;
    bool warpgroup = isWarpgroup(P.threads[T]);
    if (warpgroup)
      line("wgmmaEnd();");
    if (targets.count(uint32_t(Code.size())))
      line("I" + std::to_string(Code.size()) + ":;");
    line((warpgroup ? FirstThread : "") + "log.end();");
    return std::move(Out);
  }

private:
  /// A warpgroup stands for one thread: its first thread does what the others need not do, and all
  /// go on together.
  void byWarpgroup(const Instr &i, size_t first) {
    if (i.verb == Verb::Branch || i.verb == Verb::Exit)
      fail("branches of a warpgroup");
    for (size_t l = first; l < Out.lines.size(); ++l) {
      std::string &text = Out.lines[l].text;
      size_t log = text.rfind("log.");
      if (!isByWarpgroup(i))
        text = FirstThread + "{ " + text + " }";
      else if (log != std::string::npos)
        text.insert(log, FirstThread);
      text += " warpgroupBarrier();";
    }
  }

  void declare() {
    const ThreadCode &t = P.threads[T];
    if (isWarpgroup(t))
      line("float d[4] = {};");
    for (uint32_t r = 0; r < t.registers.size(); ++r)
      line("long long q" + std::to_string(r) + " = " + std::to_string(t.initialRegisters[r]) + ";");
    for (uint32_t l = 0; l < P.locations.size(); ++l)
      if (P.root(l) == l && At.of[l].space == Space::Local)
        line("long long local" + std::to_string(l) + " = " +
             std::to_string(P.locations[l].initial) + "; hide(&local" + std::to_string(l) + ");");
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
    if (endlessLoop(i) || emitTensorAccess(*this, i))
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
      return emitMbarrier(*this, i);
    case Verb::AsyncCopy:
    case Verb::AsyncCommit:
    case Verb::AsyncWait:
      return emitAsync(*this, i);
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
      return launch(i);
    case Verb::Sync:
      return fail("a wait of device code for a launch");
    }
  }

  void launch(const Instr &i) {
    const Grid &g = Where.grids[i.target];
    line(RowName + "_K" + std::to_string(i.target) + "<<<" + std::to_string(g.blockCount()) + ", " +
         std::to_string(g.threadsPerBlock) + ">>>(m, log.all, log.delays); " + note("0", false));
  }

  void access(const Instr &i) {
    if (i.proxy != Proxy::Generic)
      return viewAccess(i);
    if (P.locations[i.location].distinctAddress && At.of[i.location].space == Space::Shared)
      return noForm("shared memory has one address");
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
    noForm(std::string("PTX has no fence of the ") + proxyName(i.proxy) + " proxy");
  }
  /// Accesses through the texture, surface and constant proxies.
  void viewAccess(const Instr &i) {
    if (i.proxy == Proxy::Constant)
      return noForm("kernels cannot write constant memory");
    bool generic = P.locations[i.location].distinctAddress;
    for (const ThreadCode &t : P.threads)
      for (const Instr &j : t.code)
        generic |= j.isMemory() && P.root(j.location) == P.root(i.location) && j.proxy != i.proxy;
    if (i.proxy == Proxy::Surface && generic)
      return noForm("a surface is a view of an array, which has no address");
    fail(std::string("accesses through a ") + proxyName(i.proxy));
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

  const std::string &RowName;
};

} // namespace

ThreadBody emitThread(const Program &p, const Layout &where, const Places &places, uint32_t thread,
                      const std::string &row) {
  return Emitter(p, where, places, thread, row).run();
}

} // namespace scopesan::litmus

#include "WordOps.h"

#include "AsyncWords.h"
#include "HostRows.h"
#include "OpParser.h"
#include "PtxWords.h"
#include "Text.h"

namespace scopesan::litmus {

namespace {

/// Words that say nothing about memory.
bool parseSilent(ThreadBuilder &t, std::string_view op) {
  for (std::string_view w :
       {"avdevice", "visdevice", "shfl.sync", "vote.sync", "match.sync", "redux.sync", "activemask",
        "elect.sync", "not participating", "never arrives", "yield", "none", "wgmma.fence",
        "tcgen05.wait::ld", "tcgen05.wait::st", "tcgen05.fence::before_thread_sync", "(bar)"})
    if (op == w)
      return true;
  return false;
}

/// PTX ISA 9.7.13.1: barriers 0 to 15, and counts of whole warps.
bool isBarrier(std::string_view id, std::optional<int64_t> count) {
  std::optional<int64_t> number = parseInteger(id);
  return (!number || (*number >= 0 && *number < 16)) &&
         (!count || (*count > 0 && *count <= 1024 && *count % 32 == 0));
}

/// "BAR": the barrier of the block, or of the warp where the placement speaks of warps.
/// "bar 0", "bar.sync 1,64", "bar.arrive 1,64": counts are threads of whole warps, and a litmus
/// thread stands for one warp; arrivals that the text leaves out come from threads it leaves out.
bool parseBarrierWord(ThreadBuilder &t, std::string_view op) {
  Cursor c(op);
  Instr i;
  i.verb = Verb::BlockBarrier;
  i.text = op;
  bool plain = c.acceptWord("BAR") || op == "__syncthreads" || op == "__syncthreads()";
  if (plain && t.program().barIsWarpBarrier) {
    i.verb = Verb::WarpBarrier;
  } else if (plain) {
    i.allThreads = true;
    if (!c.atEnd() && c.peek() != '(' && !op.starts_with("__"))
      return false;
  } else {
    c.accept("barrier.cta") || c.accept("barrier") || c.accept("bar.cta") || c.accept("bar");
    if (c.rest().size() == op.size() || c.accept(".warp"))
      return false;
    bool sync = c.accept(".sync") || c.accept(".red");
    i.arriveOnly = !sync && c.accept(".arrive");
    if (c.peek() != ' ')
      return false;
    std::vector<std::string_view> parts = split(c.rest(), ",");
    std::optional<Expr> id = t.expression(parts[0]);
    std::optional<int64_t> count = parts.size() > 1 ? parseInteger(parts[1]) : std::nullopt;
    if (!id || parts.size() > 2 || (parts.size() == 2 && !count) || !isBarrier(parts[0], count))
      return false;
    i.barrier = *id;
    i.allThreads = parts.size() == 1;
    i.othersArrive = true;
    if (count)
      i.count = Expr::constant(*count / 32);
  }
  t.thread().code.push_back(i);
  return true;
}

/// Weak accesses through other proxies and addresses.
bool parseProxyWord(ThreadBuilder &t, std::string_view op) {
  Cursor c(op);
  Instr i;
  i.text = op;
  i.verb = Verb::Load;
  std::string_view location;
  if (c.accept("ld.global.nc") || c.accept("__ldg")) {
    c.skipSpace();
    i.nonCoherent = true;
    location = c.identifier();
  } else if (c.accept("bulk.tensor uses ")) {
    i.proxy = Proxy::TensorMap;
    location = c.identifier();
    if (location == "it")
      location = "g";
  } else if (c.accept("multimem.red")) {
    i.verb = Verb::Rmw;
    i.returns = false;
    i.value = Expr::constant(1);
    i.order = MemoryOrder::Relaxed; // O1
    i.scope = Scope::System;
    if (!parseSuffixes(c, i))
      return false;
    c.skipSpace();
    location = c.identifier();
  } else if (c.accept("multimem.ld_reduce")) {
    if (!parseSuffixes(c, i))
      return false;
    i.scope = i.isStrong() ? Scope::System : Scope::Thread;
    c.skipSpace();
    location = c.identifier();
  } else if (c.accept("multimem.st(.weak) ") || c.accept("multimem.st.weak ")) {
    i.verb = Verb::Store;
    i.value = Expr::constant(1);
    location = c.identifier();
    t.program().makeAlias(t.location(std::string(location) + "'"), t.location(location),
                          Proxy::Generic, true);
  }
  c.skipSpace();
  if (location.empty() || (!c.atEnd() && !c.acceptWord("without")))
    return false;
  i.location = t.location(location);
  t.thread().code.push_back(i);
  return true;
}

/// Words about what a thread is or does not do.
bool parseStory(ThreadBuilder &t, std::string_view op) {
  auto access = [&](Verb verb, std::string_view location) -> Instr & {
    Instr &i = t.add(verb, op);
    i.value = Expr::constant(1);
    i.location = t.location(location);
    return i;
  };
  Cursor c(op);
  if (op == "Ww local" || op == "Rw local" || op == "passes generic ptr to own local") {
    access(op[0] == 'W' ? Verb::Store : Verb::Load, "local");
    t.program().program.locations[t.location("local")].isLocal = true;
  } else if (op == "Rw local alias") { // of multimem memory
    std::optional<uint32_t> mc = t.program().findLocation("mc'");
    if (!mc)
      return false;
    access(Verb::Load, "mc'");
  } else if (c.accept("Ww tensormap ")) {
    access(Verb::Store, c.rest());
  } else if (op == "host/prev kernel writes tensormap in global") {
    access(Verb::Store, "g");
  } else if (c.accept("W remote dsmem of T")) {
    std::optional<int64_t> owner = parseInteger(c.identifier().substr(0, 1));
    if (!owner)
      return false;
    access(Verb::Store, "dsmem");
    t.program().program.locations[t.location("dsmem")].sharedOf = uint32_t(*owner);
  } else if (op.starts_with("yield loop") || op.starts_with("empty infinite loop")) {
    std::string label = t.freshLabel();
    t.defineLabel(label);
    t.branch(op, Expr::constant(0), Compare::Equal, Expr::constant(0), label);
  } else if (op == "volatile automatic variable" || op == "thread-scope atomic automatic") {
    std::string label = t.freshLabel();
    t.defineLabel(label);
    access(Verb::Load, "automatic");
    t.program().program.locations[t.location("automatic")].isLocal = true;
    t.branch(op, Expr::constant(0), Compare::Equal, Expr::constant(0), label);
  } else if (op == "__syncthreads only") {
    return parseOp(t, "BAR");
  } else if (op.starts_with("exits early")) {
    t.add(Verb::Exit, op);
  } else {
    return false;
  }
  return true;
}

/// "sync": every thread that says so arrives and then waits for all of them, at device scope.
/// "(mbar/bar to producer)": the other threads begin only now.
bool parseOrderWord(ThreadBuilder &t, std::string_view op) {
  if (op == "sync") {
    t.program().syncPoints.push_back({t.index(), uint32_t(t.thread().code.size())});
    t.add(Verb::Nop, op);
    return true;
  }
  if (op.starts_with("(") && contains(op, "to producer")) {
    t.program().handOver = t.index();
    Instr &i = t.add(Verb::BlockBarrier, op);
    i.barrier = Expr::constant(HandOverBarrier);
    i.arriveOnly = true;
    return true;
  }
  return false;
}

bool parseWarpBarrier(ThreadBuilder &t, std::string_view op) {
  Cursor c(op);
  if (!c.acceptWord("bar.warp.sync") && !c.acceptWord("__syncwarp"))
    return false;
  c.skipSpace();
  if (!c.atEnd() && !isIdentifierStart(c.peek())) // lanes by number: threads here have none
    return false;
  t.add(Verb::WarpBarrier, op).mask = ~0u;
  return true;
}

} // namespace

bool parseWordOp(ThreadBuilder &t, std::string_view op) {
  Cursor c(op);
  if (c.accept("(next iter)")) {
    c.skipSpace();
    return parseOp(t, c.rest());
  }
  if (std::string notation = ptxToNotation(op); !notation.empty() && notation != op)
    return parseOp(t, notation);
  return parseSilent(t, op) || parseClusterWord(t, op) || parseMbarrierWord(t, op) ||
         parseCopyWord(t, op) || parseHostWord(t, op) || parseProxyWord(t, op) ||
         parseStory(t, op) || parseOrderWord(t, op) || parseWarpBarrier(t, op) ||
         parseBarrierWord(t, op);
}

} // namespace scopesan::litmus

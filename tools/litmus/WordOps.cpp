#include "WordOps.h"

#include "OpParser.h"
#include "Text.h"

namespace scopesan::litmus {

namespace {

/// Words that say nothing about memory.
bool parseSilent(ThreadBuilder &t, std::string_view op) {
  for (std::string_view w : {"avdevice", "visdevice", "shfl.sync", "vote.sync", "match.sync",
                             "redux.sync", "activemask", "elect.sync", "not participating",
                             "never arrives", "yield", "none"})
    if (op == w)
      return true;
  return false;
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
    if (!id || parts.size() > 2 || (parts.size() == 2 && !count))
      return false;
    i.barrier = *id;
    i.allThreads = parts.size() == 1;
    i.othersArrive = true;
    if (count)
      i.count = Expr::constant(*count % 32 ? *count : *count / 32);
  }
  t.thread().code.push_back(i);
  return true;
}

bool parseWarpBarrier(ThreadBuilder &t, std::string_view op) {
  Cursor c(op);
  if (!c.acceptWord("bar.warp.sync") && !c.acceptWord("__syncwarp"))
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
  return parseSilent(t, op) || parseWarpBarrier(t, op) || parseBarrierWord(t, op);
}

} // namespace scopesan::litmus

#include "TensorCode.h"

#include "AsyncCode.h"
#include "Needs.h"
#include "Text.h"

namespace scopesan::litmus {

namespace {

/// D += A x B, both factors of core matrices (8 rows of 16 bytes) that are all the same one.
void multiply(ThreadText &t, const Instr &i) {
  if (i.async.source == None)
    return t.fail("a wgmma that reads no shared memory");
  t.line(
      "asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\"); "
      "asm volatile(\"{ .reg .pred p; setp.ne.b32 p, %5, 0; "
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, p, 1, 1, 0, 0; "
      "}\" : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3]) : \"l\"(oneCoreMatrix(" +
      t.window(i.async.source) + ")), \"r\"(0) : \"memory\"); " + t.note("0", true));
}

void multiplyInTensorMemory(ThreadText &t) {
  t.line("asm volatile(\"{ .reg .pred p; setp.ne.b32 p, %0, 0; tcgen05.mma.cta_group::1.kind::f16 "
         "[%0], %1, %1, %0, p; }\" :: \"r\"(0), \"l\"(oneCoreMatrix(window(s))) : \"memory\"); " +
         t.note("0", true));
}

/// What the thread's tcgen05.commit arrives on.
uint32_t committedTo(const ThreadText &t) {
  for (const Instr &i : t.Code)
    if (i.text.starts_with("tcgen05.mma") && i.async.mbarrier != None)
      return i.async.mbarrier;
  return None;
}

void tensorMemory(ThreadText &t, const Instr &i) {
  if (i.verb == Verb::Load)
    return t.line("{ int v; asm volatile(\"tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];\" : "
                  "\"=r\"(v) : \"r\"(0) : \"memory\"); " +
                  t.took(i, "v") + " }");
  t.instruction("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1}", {{'r', "0"}, {'r', "1"}}, true);
}

void multimem(ThreadText &t, const Instr &i) {
  std::string address = t.generic(i.location), sem = ptxOrder(i.order);
  if (i.isStrong())
    sem += ptxScope(i.scope);
  if (i.verb == Verb::Load)
    return t.line("{ int v; asm volatile(\"multimem.ld_reduce" + sem +
                  ".global.add.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(" + address +
                  ") : \"memory\"); " + t.took(i, "v") + " }");
  std::string name = i.verb == Verb::Store ? "multimem.st" + sem + ".global.u32"
                                           : "multimem.red" + sem + ".global.add.u32";
  t.instruction(name + " [%0], %1", {{'l', address}, {'r', "1"}}, true);
}

/// A tensor copy of CopyBytes that is waited for: it is about the map that it uses.
void useTensorMap(ThreadText &t, const Instr &i) {
  auto shared = [](uint32_t at) { return "window(s + " + std::to_string(at) + ")"; };
  std::string m = shared(t.At.scratchMbarrier);
  t.line("{ arriveExpecting(s + " + std::to_string(t.At.scratchMbarrier) + ", " +
         std::to_string(CopyBytes) +
         "); asm volatile(\"cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::"
         "bytes [%0], [%1, {%2}], [%3];\" :: \"r\"(" +
         shared(t.At.scratchShared) + "), \"l\"(" + t.generic(i.location) + "), \"r\"(0), \"r\"(" +
         m + ") : \"memory\"); " + waitForPhase(m, 0, ".acquire.cta") + " " + t.note("0", false) +
         " }");
}

void tensorMapFence(ThreadText &t, const Instr &i) {
  std::string name = "fence.proxy.tensormap::generic." +
                     std::string(i.order == MemoryOrder::Release ? "release" : "acquire") +
                     ptxScope(i.scope);
  if (i.order == MemoryOrder::Release)
    return t.instruction(name);
  for (uint32_t l = 0; l < t.P.locations.size(); ++l)
    if (isTensorMap(t.P, l)) // "[g]"
      return t.instruction(name + " [%0], 128", {{'l', t.generic(l)}}, false);
  t.fail("a fence of no tensor map");
}

} // namespace

bool isByWarpgroup(const Instr &i) {
  return i.verb == Verb::AsyncCopy || i.verb == Verb::AsyncCommit || i.verb == Verb::AsyncWait;
}

bool emitMatrixOperation(ThreadText &t, const Instr &i) {
  if (contains(i.text, "tcgen05.mma")) {
    multiplyInTensorMemory(t);
    return true;
  }
  if (!isWarpgroup(t.P.threads[t.T]))
    return false;
  if (i.verb == Verb::AsyncCopy && !i.text.starts_with("wgmma"))
    t.fail("other asynchronous operations beside wgmma");
  else if (i.verb == Verb::AsyncCopy)
    multiply(t, i);
  else if (i.verb == Verb::AsyncCommit)
    t.instruction("wgmma.commit_group.sync.aligned");
  else
    t.instruction("wgmma.wait_group.sync.aligned " +
                  std::to_string(i.async.groups == None ? 0 : i.async.groups));
  return true;
}

bool emitTensorAccess(ThreadText &t, const Instr &i) {
  uint32_t m = i.verb == Verb::Nop && contains(i.text, "commit ") ? committedTo(t) : None;
  if (m != None)
    t.instruction("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0]",
                  {{'r', t.window(m)}}, false);
  else if (i.text.starts_with("tcgen05.fence::after"))
    t.instruction("tcgen05.fence::after_thread_sync");
  else if (i.text == "tcgen05.ld" || i.text == "tcgen05.st")
    tensorMemory(t, i);
  else if (contains(i.text, "multimem"))
    multimem(t, i);
  else if (i.verb == Verb::ProxyFence && i.proxy == Proxy::TensorMap && !i.aliasFence)
    tensorMapFence(t, i);
  else if (i.verb == Verb::Load && i.proxy == Proxy::TensorMap)
    useTensorMap(t, i);
  else if (i.writes() && isTensorMap(t.P, i.location) && i.order == MemoryOrder::Weak)
    t.instruction(
        "tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1",
        {{'l', t.generic(i.location)}, {'l', "m + " + std::to_string(t.At.scratchGlobal)}}, true);
  else
    return false;
  return true;
}

} // namespace scopesan::litmus

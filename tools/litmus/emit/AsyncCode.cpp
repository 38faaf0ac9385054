#include "AsyncCode.h"

#include "TensorCode.h"
#include "Text.h"

namespace scopesan::litmus {

namespace {

using Operands = ThreadText::Operands;

uint32_t expectedBytes(const Program &p, uint32_t mbarrier) {
  uint32_t bytes = 0;
  for (const ThreadCode &t : p.threads)
    for (const Instr &c : t.code)
      if (c.verb == Verb::AsyncCopy && c.async.mbarrier == mbarrier)
        bytes += copyBytes(c);
  return bytes;
}

bool bulk(const Instr &i) { return i.async.kind == AsyncKind::Bulk; }

class CopyWriter {
public:
  CopyWriter(ThreadText &t, const Instr &i) : X(t), I(i), A(i.async) {}

  void run() {
    if (A.generic)
      return remoteOperation();
    if (A.kind == AsyncKind::CpAsync)
      return X.instruction("cp.async.ca.shared.global [%0], [%1], " + size(),
                           {{'r', X.window(A.destination)}, {'l', globalSource()}}, true);
    if (A.destination != None && X.At.of[A.destination].space == Space::Shared)
      return intoShared();
    intoGlobal();
  }

private:
  std::string size() const { return std::to_string(copyBytes(I)); }
  std::string shared(uint32_t offset) const { return "window(s + " + std::to_string(offset) + ")"; }
  std::string mbarrier() {
    if (A.mbarrier != None)
      return X.window(A.mbarrier);
    return X.At.scratchMbarrier != None ? shared(X.At.scratchMbarrier) : "";
  }
  std::string globalSource() {
    bool named = A.source != None && X.At.of[A.source].space == Space::Global;
    return named ? X.generic(A.source) : "m + " + std::to_string(X.At.scratchGlobal);
  }

  /// st.async, red.async
  void remoteOperation() {
    Operands operands = {{'r', X.window(A.destination)}, {'r', mbarrier()}};
    if (A.reduces)
      return X.instruction("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."
                           "add.u32 [%0], 1, [%1]",
                           operands, true);
    X.instruction("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], "
                  "{1, 1, 1, 1}, [%1]",
                  operands, true);
  }
  void intoShared() {
    bool multicast = contains(I.text, "multicast");
    std::string to = multicast ? X.ownWindow(A.destination) : X.window(A.destination);
    std::string m = multicast ? X.ownWindow(A.mbarrier) : mbarrier();
    X.instruction("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes" +
                      std::string(multicast ? ".multicast::cluster" : "") + " [%0], [%1], " +
                      size() + ", [%2]" + (multicast ? ", 3" : ""),
                  {{'r', to}, {'l', globalSource()}, {'r', m}}, true);
  }
  void intoGlobal() {
    bool named = A.source != None && X.At.of[A.source].space == Space::Shared;
    std::string from = named ? X.window(A.source) : shared(X.At.scratchShared);
    if (A.destination == None)
      return X.fail("a copy without a destination");
    X.instruction(std::string(A.reduces ? "cp.reduce.async.bulk" : "cp.async.bulk") +
                      ".global.shared::cta.bulk_group" + (A.reduces ? ".add.u32" : "") +
                      " [%0], [%1], " + size(),
                  {{'l', X.generic(A.destination)}, {'r', from}}, true);
  }

  ThreadText &X;
  const Instr &I;
  const AsyncPart &A;
};

void emitWait(ThreadText &t, const Instr &i) {
  if (i.async.groups == None && !bulk(i))
    return t.instruction("cp.async.wait_all");
  std::string n = std::to_string(i.async.groups == None ? 0 : i.async.groups);
  std::string read = i.async.readOnly ? ".read " : " ";
  t.instruction(bulk(i) ? "cp.async.bulk.wait_group" + read + n : "cp.async.wait_group " + n);
}

} // namespace

uint32_t copyBytes(const Instr &i) { return i.async.generic && i.async.reduces ? 4 : CopyBytes; }

std::string waitForPhase(const std::string &m, uint32_t parity, const std::string &sem) {
  return "unsigned done; do asm volatile(\"{ .reg .pred p; mbarrier.try_wait.parity" + sem +
         ".shared::cta.b64 p, [%1], " + std::to_string(parity & 1) +
         "; selp.u32 %0, 1, 0, p; }\" : \"=r\"(done) : \"r\"(" + m +
         ") : \"memory\"); while (!done);";
}

void emitMbarrier(ThreadText &t, const Instr &i) {
  std::string m = t.window(i.location), sem = std::string(ptxOrder(i.order)) + ptxScope(i.scope);
  auto on = [&](const std::string &ptx) {
    t.line("asm volatile(\"" + ptx + "\" :: \"r\"(" + m + ") : \"memory\"); " + t.note("0", false));
  };
  if (i.verb == Verb::MbarInit)
    return on("mbarrier.init.shared::cta.b64 [%0], " +
              std::to_string(t.P.locations[i.location].mbarrier.arrivals) + ";");
  if (i.verb == Verb::MbarWait)
    return t.line("{ " + waitForPhase(m, i.async.parity, sem) + " " + t.note("0", false) + " }");
  if (i.async.ofCopies)
    return on("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];");
  bool peer = t.isPeer(i.location), bytes = i.async.expectsBytes;
  on("{ .reg .b64 state; mbarrier.arrive" + std::string(bytes ? ".expect_tx" : "") + sem +
     (peer ? ".shared::cluster.b64 _" : ".shared::cta.b64 state") + ", [%0]" +
     (bytes ? ", " + std::to_string(expectedBytes(t.P, i.location)) : "") + "; }");
}

void emitAsync(ThreadText &t, const Instr &i) {
  if (emitMatrixOperation(t, i))
    return;
  if (i.verb == Verb::AsyncCopy)
    return CopyWriter(t, i).run();
  if (i.verb == Verb::AsyncCommit)
    return t.instruction(bulk(i) ? "cp.async.bulk.commit_group" : "cp.async.commit_group");
  emitWait(t, i);
}

} // namespace scopesan::litmus

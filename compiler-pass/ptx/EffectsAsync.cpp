// Effects that are calls of one entry point each: cluster barriers (S9), mbarriers (S10), copies
// (S12), proxies (S13), dependent launches (S14). PTX ISA 9.7.9.25, 9.7.13.
#include "EffectBuilder.h"

#include <bit>

namespace scopesan::ptx {

using abi::AccessKind;
using abi::MemoryOrder;
using abi::Scope;
using abi::Space;

Effect entry(std::string_view Name) {
  Effect E;
  E.Kind = EffectKind::Entry;
  E.Name = Name;
  return E;
}

EntryArgument constant(int64_t V) {
  EntryArgument A;
  A.Value = ValueRef::constant(V);
  return A;
}

EntryArgument null() {
  EntryArgument A = constant(0);
  A.Kind = ArgumentKind::Address;
  A.Place.Value = A.Value;
  return A;
}

namespace {

constexpr const char CompletesOnMbarrier[] = "mbarrier::complete_tx::bytes";

/// An entry point that is called after the statement.
Effect entryAfter(std::string_view Name) {
  Effect E = entry(Name);
  E.After = true;
  return E;
}

/// A wait for other threads.
Effect blockingWait(std::string_view Name) {
  Effect E = entryAfter(Name);
  E.Blocks = true;
  return E;
}

/// An operation that others may observe.
Effect publishing(std::string_view Name) {
  Effect E = entry(Name);
  E.Publishes = true;
  return E;
}

Effect announcing(std::string_view Name, bool Publishes = true) {
  Effect E = entry(Name);
  E.Publishes = Publishes;
  E.Announces = true;
  return E;
}

bool isShared(std::optional<Space> S) {
  return !S || *S == Space::Shared || *S == Space::SharedCluster;
}

abi::Op withElement(abi::Op Op, unsigned Bytes) {
  return Op.withElementLog2(uint32_t(std::countr_zero(Bytes)));
}

} // namespace

EntryArgument EffectBuilder::number(const Statement &S, unsigned Operand, unsigned At) {
  EntryArgument A;
  if (Operand < S.Operands.size())
    A.Value = Values.input(S.Operands[Operand], At);
  return A;
}

EntryArgument EffectBuilder::address(const Statement &S, unsigned Operand, Space In, unsigned At) {
  EntryArgument A;
  A.Kind = ArgumentKind::Address;
  if (Operand < S.Operands.size() && S.Operands[Operand].is(OperandKind::Memory))
    A.Place = Values.address(S.Operands[Operand], In, At);
  return A;
}

/// barrier.cluster.arrive{.release|.relaxed}{.aligned}, barrier.cluster.wait{.acquire}{.aligned}
void EffectBuilder::clusterBarrier(unsigned At) {
  const Statement &S = Prog.Statements[At];
  bool Arrive = hasPart(S, "arrive"), Wait = hasPart(S, "wait");
  Modifiers M = decodeModifiers(S, {"cluster", "arrive", "wait", "aligned"});
  if (Arrive == Wait || !M.Unknown.empty() || M.Scope || !S.Operands.empty())
    return unmodelled(At, "unknown form of cluster barrier");
  MemoryOrder Order = M.Order.value_or(Arrive ? MemoryOrder::Release : MemoryOrder::Acquire);
  if (Wait && Order == MemoryOrder::Acquire)
    return push(blockingWait("__scopesan_cluster_wait"), At);
  if (Wait || (Order != MemoryOrder::Release && Order != MemoryOrder::Relaxed))
    return unmodelled(At, "unknown form of cluster barrier");
  Effect E = publishing("__scopesan_cluster_arrive");
  E.Arguments = {constant(Order == MemoryOrder::Relaxed)};
  push(std::move(E), At);
}

void EffectBuilder::griddep(unsigned At) {
  const Statement &S = Prog.Statements[At];
  if (S.Opcode == "griddepcontrol.wait")
    return push(blockingWait("__scopesan_griddep_wait"), At);
  if (S.Opcode == "griddepcontrol.launch_dependents")
    return push(publishing("__scopesan_griddep_launch"), At);
  unmodelled(At, "unknown form of griddepcontrol");
}

/// {fence|membar}.proxy.{alias|async{.space}}, and the one-way forms.
void EffectBuilder::proxyFence(unsigned At) {
  const Statement &S = Prog.Statements[At];
  std::string_view Kind = S.Parts.size() > 2 ? std::string_view(S.Parts[2]) : "";
  if (Kind == "tensormap::generic" || Kind == "async::generic")
    return oneWayProxyFence(At, Kind == "async::generic");
  Modifiers M = decodeModifiers(S, {"proxy", Kind});
  bool Async = Kind == "async", Alias = Kind == "alias";
  bool Space = !M.Space || (Async && !M.SecondSpace &&
                            (*M.Space == Space::Global || *M.Space == Space::Shared ||
                             *M.Space == Space::SharedCluster));
  if ((!Async && !Alias) || !Space || !M.Unknown.empty() || M.Order || M.Scope)
    return unmodelled(At, "unknown form of proxy fence");
  Effect E = entry("__scopesan_proxy_fence");
  E.Arguments = {constant(int64_t(Async ? abi::ProxyFence::Async : abi::ProxyFence::Alias)),
                 constant(int64_t(M.Space.value_or(abi::Space::Generic)))};
  push(std::move(E), At);
}

/// fence.proxy.tensormap::generic.{release|acquire}.scope {[map], 128}
/// fence.proxy.async::generic.{release|acquire}.sync_restrict::space.cluster: a thread fence with a
/// proxy fence on its inner side.
void EffectBuilder::oneWayProxyFence(unsigned At, unsigned Async) {
  const Statement &S = Prog.Statements[At];
  bool Acquire = hasPart(S, "acquire");
  std::string_view Restrict =
      Acquire ? "sync_restrict::shared::cluster" : "sync_restrict::shared::cta";
  Modifiers M = Async ? decodeModifiers(S, {"proxy", "async::generic", Restrict})
                      : decodeModifiers(S, {"proxy", "tensormap::generic"});
  MemoryOrder Order = Acquire ? MemoryOrder::Acquire : MemoryOrder::Release;
  if (!M.Unknown.empty() || M.Order != Order || !M.Scope || M.Space)
    return unmodelled(At, "unknown form of proxy fence");
  if (!Async) {
    if (S.Operands.size() != (Acquire ? 2u : 0u))
      return unmodelled(At, "malformed proxy fence");
    Effect E = entry("__scopesan_tensormap_fence");
    E.Op = abi::Op(AccessKind::Fence, Order, *M.Scope);
    E.Arguments = {Acquire ? address(S, 0, Space::Generic, At) : null(),
                   Acquire ? number(S, 1, At) : constant(0)};
    return push(std::move(E), At);
  }
  if (!hasPart(S, Restrict) || *M.Scope != Scope::Cluster)
    return unmodelled(At, "unknown form of proxy fence");
  Space In = Acquire ? Space::SharedCluster : Space::Shared;
  Effect Thread, Proxy = entry("__scopesan_proxy_fence");
  Thread.Kind = EffectKind::Fence;
  Thread.Op = abi::Op(AccessKind::Fence, Order, Scope::Cluster, In);
  Proxy.Arguments = {constant(int64_t(abi::ProxyFence::Async)), constant(int64_t(In))};
  push(Acquire ? Thread : Proxy, At);
  push(Acquire ? Proxy : Thread, At);
}

/// mbarrier.{init,inval,expect_tx,complete_tx,arrive,arrive_drop,test_wait,try_wait}
void EffectBuilder::mbarrier(unsigned At) {
  const Statement &S = Prog.Statements[At];
  std::string_view Kind = S.Parts.size() > 1 ? std::string_view(S.Parts[1]) : "";
  bool Arrive = Kind == "arrive" || Kind == "arrive_drop";
  bool Wait = Kind == "test_wait" || Kind == "try_wait";
  bool Tx = Kind == "expect_tx" || Kind == "complete_tx";
  Modifiers M = Arrive ? decodeModifiers(S, {Kind, "expect_tx", "noComplete"})
                : Wait ? decodeModifiers(S, {Kind, "parity"})
                       : decodeModifiers(S, {Kind});
  unsigned Memory = memoryOperand(S);
  if (!M.Unknown.empty() || !isShared(M.Space) || M.TypeBytes != 8 || Memory == NoIndex)
    return unmodelled(At, "unknown form of mbarrier operation");
  MemoryOrder Default = Arrive ? MemoryOrder::Release
                        : Wait ? MemoryOrder::Acquire
                               : MemoryOrder::Relaxed;
  MemoryOrder Order = M.Order.value_or(Default);
  Scope Sc = M.Scope.value_or(Scope::Block);
  if ((Order != Default && Order != MemoryOrder::Relaxed) || Sc > Scope::Cluster)
    return unmodelled(At, "unknown form of mbarrier operation");
  Effect E = Arrive                  ? publishing("__scopesan_mbarrier_arrive")
             : Wait                  ? blockingWait("__scopesan_mbarrier_wait")
             : Kind == "expect_tx"   ? publishing("__scopesan_mbarrier_expect_tx")
             : Kind == "complete_tx" ? publishing("__scopesan_mbarrier_complete_tx")
             : Kind == "inval"       ? publishing("__scopesan_mbarrier_inval")
                                     : publishing("__scopesan_mbarrier_init");
  if (Arrive || Wait || Tx)
    E.Op = withElement(abi::Op(Wait ? AccessKind::Load : AccessKind::Rmw, Order, Sc,
                               M.Space.value_or(Space::Generic)),
                       M.TypeBytes)
               .with(hasPart(S, "noComplete") ? abi::Op::NoCompleteBit : 0);
  else if ((Kind != "init" && Kind != "inval") || M.Order || M.Scope)
    return unmodelled(At, "unknown form of mbarrier operation");
  E.Arguments = {address(S, Memory, M.Space.value_or(Space::Generic), At)};
  if (Arrive)
    return mbarrierArrive(std::move(E), At, Memory);
  if (Wait)
    return mbarrierWait(std::move(E), At);
  if (Memory != 0 || S.Operands.size() != (Kind == "inval" ? 1u : 2u))
    return unmodelled(At, "malformed mbarrier operation");
  if (Kind != "inval")
    E.Arguments.push_back(number(S, 1, At));
  push(std::move(E), At);
}

/// {state | _}, [barrier] {, count}, with expect_tx [barrier], bytes
void EffectBuilder::mbarrierArrive(Effect E, unsigned At, unsigned Memory) {
  const Statement &S = Prog.Statements[At];
  bool Expect = hasPart(S, "expect_tx"), HasNumber = S.Operands.size() == Memory + 2;
  if (Memory != 1 || S.Operands.size() > Memory + 2 || (Expect && !HasNumber))
    return unmodelled(At, "malformed mbarrier operation");
  EntryArgument Given = HasNumber ? number(S, Memory + 1, At) : constant(1);
  E.Arguments.push_back(Expect ? constant(1) : Given);
  E.Arguments.push_back(Expect ? Given : constant(0));
  E.Arguments.push_back(constant(S.Parts[1] == "arrive_drop"));
  push(std::move(E), At);
}

/// done, [barrier], state or parity {, time}
void EffectBuilder::mbarrierWait(Effect E, unsigned At) {
  const Statement &S = Prog.Statements[At];
  if (S.Operands.size() < 3 || S.Operands.size() > 4 || !S.Operands[1].is(OperandKind::Memory))
    return unmodelled(At, "malformed mbarrier operation");
  E.Arguments.push_back(Values.outcome(S.Operands[0], At));
  push(std::move(E), At);
}

/// cp.async.{ca,cg}.shared.global [to], [from], bytes {, source bytes or ignore} {, policy}
void EffectBuilder::cpAsync(unsigned At) {
  const Statement &S = Prog.Statements[At];
  Modifiers M = decodeModifiers(S, {"async"});
  size_t Operands = S.Operands.size() - hasPart(S, "L2::cache_hint");
  if (!M.Unknown.empty() || M.Space != Space::Shared || M.SecondSpace != Space::Global ||
      Operands < 3 || Operands > 4)
    return unmodelled(At, "unknown form of cp.async");
  EntryArgument Bytes = number(S, 2, At), Source = Bytes;
  if (Operands == 4) {
    if (Values.isPredicate(S.Operands[3]))
      Source.ZeroIf = Values.predicate(S.Operands[3], At);
    else
      Source = number(S, 3, At);
  }
  Effect E = announcing("__scopesan_cp_async", /*Publishes=*/false);
  E.Op = abi::Op(AccessKind::AsyncCopy, MemoryOrder::Weak, Scope::Thread, Space::Shared);
  E.Arguments = {address(S, 0, Space::Shared, At), address(S, 1, Space::Global, At), Bytes, Source};
  push(std::move(E), At);
}

/// cp.async.mbarrier.arrive{.noinc}{.shared}.b64 [barrier]
void EffectBuilder::cpAsyncArrive(unsigned At) {
  const Statement &S = Prog.Statements[At];
  Modifiers M = decodeModifiers(S, {"async", "mbarrier", "arrive", "noinc"});
  if (!M.Unknown.empty() || !isShared(M.Space) || M.TypeBytes != 8 || !hasPart(S, "arrive") ||
      S.Operands.size() != 1 || memoryOperand(S) != 0)
    return unmodelled(At, "unknown form of cp.async.mbarrier");
  Effect E = announcing("__scopesan_cp_async_mbarrier_arrive");
  E.Arguments = {address(S, 0, M.Space.value_or(Space::Generic), At),
                 constant(hasPart(S, "noinc"))};
  push(std::move(E), At);
}

/// cp.async{.bulk}.{commit_group,wait_group{.read}} and cp.async.wait_all
void EffectBuilder::copyGroup(unsigned At) {
  const Statement &S = Prog.Statements[At];
  bool Bulk = hasPart(S, "bulk"), Group = hasPart(S, "wait_group"), Read = hasPart(S, "read");
  Modifiers M =
      decodeModifiers(S, {"async", "bulk", "commit_group", "wait_group", "wait_all", "read"});
  if (!M.Unknown.empty() || S.Operands.size() != Group || (Read && !(Bulk && Group)))
    return unmodelled(At, "unknown form of cp.async");
  if (hasPart(S, "commit_group"))
    return push(entry(Bulk ? "__scopesan_bulk_commit" : "__scopesan_cp_async_commit"), At);
  Effect E = entryAfter(Bulk ? "__scopesan_bulk_wait" : "__scopesan_cp_async_wait");
  E.Arguments = {Group ? number(S, 0, At) : constant(abi::WaitAll)};
  if (Bulk)
    E.Arguments.push_back(constant(Read));
  push(std::move(E), At);
}

/// cp{.reduce}.async.bulk.to.from.mechanism... [to], [from], bytes {, [barrier]} {, receivers}
/// {, policy} {, byte mask}
void EffectBuilder::bulkCopy(unsigned At) {
  const Statement &S = Prog.Statements[At];
  bool Reduce = S.Parts[1] == "reduce", Multicast = hasPart(S, "multicast::cluster"),
       Masked = hasPart(S, "cp_mask"), Policy = hasPart(S, "L2::cache_hint"),
       OnMbarrier = hasPart(S, CompletesOnMbarrier), InGroup = hasPart(S, "bulk_group");
  Modifiers M = decodeModifiers(S, {"reduce", "async", "bulk", CompletesOnMbarrier, "bulk_group",
                                    "multicast::cluster", "cp_mask"});
  Space To = M.Space.value_or(Space::Local), From = M.SecondSpace.value_or(Space::Local);
  bool In = From == Space::Global && (To == Space::Shared || To == Space::SharedCluster);
  bool Across = From == Space::Shared && To == Space::SharedCluster;
  bool Away = From == Space::Shared && To == Space::Global;
  size_t Operands = 3 + OnMbarrier + Multicast + Policy + Masked;
  if (!M.Unknown.empty() || OnMbarrier == InGroup || OnMbarrier != (In || Across) ||
      InGroup != Away || (Multicast && !(In && To == Space::SharedCluster)) ||
      (Masked && (!Away || Reduce)) || Operands != S.Operands.size() ||
      (Reduce && (In || !M.Rmw || !M.TypeBytes)) || (!Reduce && (M.Rmw || M.TypeBytes)) ||
      M.Order || M.Scope)
    return unmodelled(At, "unknown form of bulk copy");
  Effect E = announcing("__scopesan_bulk_copy");
  E.Op = Reduce ? withElement(abi::Op(AccessKind::Red, MemoryOrder::Relaxed, Scope::Device, To),
                              M.TypeBytes) // O1
                : abi::Op(AccessKind::AsyncCopy, MemoryOrder::Weak, Scope::Thread, To);
  EntryArgument Masks = constant(0);
  if (Multicast)
    Masks = number(S, 4, At);
  if (Masked) {
    Masks = number(S, unsigned(Operands) - 1, At);
    Masks.Kind = ArgumentKind::LeftOut;
  }
  E.Arguments = {address(S, 0, To, At), address(S, 1, From, At), number(S, 2, At),
                 OnMbarrier ? address(S, 3, To, At) : null(), Masks};
  push(std::move(E), At);
}

/// {st|red}.async{.mmio}.release.{gpu|sys}{.global}{.op}.type [to], value: releases what precedes
/// it and completes at any later time, of which nobody is told.
void EffectBuilder::asyncRelease(unsigned At) {
  const Statement &S = Prog.Statements[At];
  bool Red = S.Parts[0] == "red";
  Modifiers M = decodeModifiers(S, {"async"});
  if (!M.Unknown.empty() || M.Order != MemoryOrder::Release ||
      (M.Scope != Scope::Device && M.Scope != Scope::System) || M.SecondSpace ||
      M.Space.value_or(Space::Global) != Space::Global || !M.TypeBytes || M.Vector != 1 ||
      M.Rmw.has_value() != Red || S.Operands.size() != 2)
    return unmodelled(At, "unknown form of asynchronous store");
  Effect E = announcing("__scopesan_store_async");
  E.CpuOnly = true;
  E.Op = withElement(abi::Op(Red ? AccessKind::Red : AccessKind::Store, MemoryOrder::Release,
                             *M.Scope, Space::Global),
                     M.TypeBytes)
             .with(M.Mmio ? abi::Op::MmioBit : 0);
  E.Arguments = {address(S, 0, Space::Global, At), constant(M.TypeBytes), null()};
  push(std::move(E), At);
  Effect G;
  G.Kind = EffectKind::Unmodelled;
  G.GpuOnly = true;
  G.Reason = "asynchronous store with release semantics, which the CPU backend models";
  push(std::move(G), At);
}

/// st.async{.weak|.cluster}.shared::cluster.mbarrier::complete_tx::bytes{.vec}.type [to], value,
/// [barrier]: relaxed where a scope is named.
/// red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.op.type, likewise
void EffectBuilder::asyncStore(unsigned At) {
  const Statement &S = Prog.Statements[At];
  if (hasPart(S, "release"))
    return asyncRelease(At);
  bool Red = S.Parts[0] == "red";
  Modifiers M = decodeModifiers(S, {"async", CompletesOnMbarrier});
  bool Order = Red ? M.Order.value_or(MemoryOrder::Relaxed) == MemoryOrder::Relaxed &&
                         M.Scope.value_or(Scope::Cluster) == Scope::Cluster && M.Rmw
                   : !M.Rmw && (M.Scope ? M.Scope == Scope::Cluster && !M.Order
                                        : M.Order.value_or(MemoryOrder::Weak) == MemoryOrder::Weak);
  if (!M.Unknown.empty() || !Order || M.Mmio || !M.TypeBytes || !isShared(M.Space) ||
      !hasPart(S, CompletesOnMbarrier) || S.Operands.size() != 3)
    return unmodelled(At, "unknown form of asynchronous store");
  Space In = M.Space.value_or(Space::Generic);
  Effect E = announcing("__scopesan_store_async");
  AccessKind Kind = Red ? AccessKind::Red : AccessKind::Store;
  E.Op = withElement(Red || M.Scope ? abi::Op(Kind, MemoryOrder::Relaxed, Scope::Cluster, In)
                                    : abi::Op(Kind, MemoryOrder::Weak, Scope::Thread, In),
                     M.TypeBytes);
  E.Arguments = {address(S, 0, In, At), constant(int64_t(M.TypeBytes) * M.TypeElements * M.Vector),
                 address(S, 2, In, At)};
  push(std::move(E), At);
}

/// st.bulk{.weak}{.shared::cta} [to], bytes, value    discard{.global}.L2 [to], bytes: a weak write
/// of an indeterminate value (PTX ISA 9.7.9.20).
void EffectBuilder::writeRange(unsigned At) {
  const Statement &S = Prog.Statements[At];
  bool Discard = S.Parts[0] == "discard";
  Modifiers M = Discard ? decodeModifiers(S, {"L2"}) : decodeModifiers(S, {"bulk"});
  if (!M.Unknown.empty() || M.Order.value_or(MemoryOrder::Weak) != MemoryOrder::Weak || M.Scope ||
      S.Operands.size() != (Discard ? 2u : 3u))
    return unmodelled(At, "unknown form of " + S.Parts[0]);
  Effect E = entry("__scopesan_write_range");
  E.Op = abi::Op(AccessKind::Store, MemoryOrder::Weak, Scope::Thread,
                 M.Space.value_or(Space::Generic));
  E.Arguments = {address(S, 0, E.Op.space(), At), number(S, 1, At)};
  push(std::move(E), At);
}

void EffectBuilder::asyncInstruction(unsigned At, OpcodeClass Class) {
  switch (Class) {
  case OpcodeClass::ClusterBarrier:
    return clusterBarrier(At);
  case OpcodeClass::Griddep:
    return griddep(At);
  case OpcodeClass::ProxyFence:
    return proxyFence(At);
  case OpcodeClass::Mbarrier:
    return mbarrier(At);
  case OpcodeClass::CpAsync:
    return cpAsync(At);
  case OpcodeClass::CpAsyncArrive:
    return cpAsyncArrive(At);
  case OpcodeClass::CopyGroup:
    return copyGroup(At);
  case OpcodeClass::BulkCopy:
    return bulkCopy(At);
  case OpcodeClass::AsyncStore:
    return asyncStore(At);
  case OpcodeClass::Matrix:
    return matrix(At);
  case OpcodeClass::Tile:
    return tile(At);
  case OpcodeClass::Warpgroup:
    return warpgroup(At);
  case OpcodeClass::WarpgroupGroup:
    return warpgroupGroup(At);
  case OpcodeClass::TensorCopy:
    return tensorCopy(At);
  case OpcodeClass::TensorMap:
    return tensorMap(At);
  case OpcodeClass::WriteRange:
    return writeRange(At);
  case OpcodeClass::Texture:
    return texture(At);
  default:
    return unmodelled(At, "not modelled yet");
  }
}

} // namespace scopesan::ptx

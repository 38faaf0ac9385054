// What each kind of work does when it runs: launches, copies, fills (O7), host code.
#include "cpu/aliases.h"
#include "cpu/constant_reads.h"
#include "cpu/shim/copies.h"
#include "cpu/shim/graph_memory.h"
#include "cpu/shim/launches.h"
#include "cpu/shim/modules.h"

#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

std::shared_ptr<const Arguments> scopesan::cpu::copyArguments(const Kernel &Code, void **Values) {
  constexpr size_t Alignment = 64;
  auto Result = std::make_shared<Arguments>();
  auto Rounded = [&](uint32_t I) {
    return (Code.paramSizes[I] + Alignment - 1) / Alignment * Alignment;
  };
  size_t Bytes = Alignment;
  for (uint32_t I = 0; I < Code.paramCount; ++I)
    Bytes += Rounded(I);
  Result->Bytes.resize(Bytes);
  auto At = reinterpret_cast<uint64_t>(Result->Bytes.data());
  At = (At + Alignment - 1) / Alignment * Alignment;
  for (uint32_t I = 0; I < Code.paramCount; ++I) {
    auto *P = reinterpret_cast<void *>(At);
    memcpy(P, Values[I], Code.paramSizes[I]);
    Result->Pointers.push_back(P);
    At += Rounded(I);
  }
  return Result;
}

namespace {

uint64_t raw(const void *P) { return reinterpret_cast<uint64_t>(P); }

/// P6: the physical domain of a launch or stream operation. Unset attributes are the defaults.
template <class WorkKind> core::DomainId physicalDomain(const WorkKind &W, uint32_t DomainCount) {
  auto Map = W.DomainMap.value_or(defaultDomainMap(DomainCount));
  bool Remote = W.Domain.value_or(cudaLaunchMemSyncDomainDefault) == cudaLaunchMemSyncDomainRemote;
  return {Remote ? Map.remote : Map.default_};
}

class Describer {
public:
  Describer(Context &C, Operation &Op, const Placement &P) : C(C), Op(Op), P(P), After(P.nodes()) {}

  void operator()(const EmptyWork &) {
    Op.Node = C.Detector->marker(P.Line, After.data(), uint32_t(After.size()));
  }

  void operator()(const KernelWork &W) {
    auto Spec = std::make_unique<LaunchSpec>();
    Spec->Code = W.Function->codeOn(int(P.Origin.device));
    Spec->Device = P.Origin.device;
    Spec->Name = W.Function->Pretty;
    Spec->Grid = W.Grid;
    Spec->BlockDim = W.Block;
    Spec->ClusterDim = W.Cluster;
    Spec->ExplicitCluster = W.ExplicitCluster;
    Spec->Cooperative = W.Cooperative;
    Spec->DynamicShared = uint32_t(W.DynamicShared);
    Spec->Index = ++C.LaunchCount;
    Op.Args = W.Args;
    Spec->Args = const_cast<void **>(Op.Args->Pointers.data());
    Spec->ArgumentsBegin = reinterpret_cast<uint64_t>(Op.Args->Bytes.data());
    Spec->ArgumentsEnd = Spec->ArgumentsBegin + Op.Args->Bytes.size();
    core::LaunchFacts Facts{};
    Facts.grid = W.Grid;
    Facts.block = W.Block;
    Facts.cluster = W.Cluster;
    Facts.cooperative = W.Cooperative;
    Facts.inGraph = P.Origin.graph != 0;
    Facts.device = {uint16_t(P.Origin.device)};
    Facts.domain = physicalDomain(W, C.DomainCount);
    Op.Node = C.Detector->launch(P.Line, After.data(), uint32_t(After.size()), Facts);
    Spec->Node = Op.Node;
    host::launchStarted(record(W, *Spec, Facts.domain));
    if (C.Memory.hostVisible() && !HostThreadTable::isInstrumented())
      host::note("host code is not instrumented: its accesses to managed, mapped and pinned memory "
                 "are not checked, only those of CUDA calls");
    Op.Kernel = std::move(Spec);
  }

  void operator()(const CopyWork &W) {
    actor(W.Api, W.Staged && !W.Async);
    Op.Effect = [&C = C, Node = Op.Node, W] {
      if (W.FromKnown)
        shadow(C, Node, W.From, W.Size, false);
      if (W.ToKnown)
        shadow(C, Node, W.To, W.Size, true);
      Place From = W.From;
      if (W.Staged)
        From = {W.Staged->data(), W.Size.Width, W.Size.Width * W.Size.Height};
      moveBytes(W.To, From, W.Size);
    };
  }

  void operator()(const StageWork &W) {
    actor(W.Api);
    Op.Effect = [&C = C, Node = Op.Node, W] {
      if (W.FromKnown)
        shadow(C, Node, W.From, W.Size, false);
      W.Into->resize(W.Size.Width * W.Size.Height * W.Size.Depth);
      moveBytes({W.Into->data(), W.Size.Width, W.Size.Width * W.Size.Height}, W.From, W.Size);
    };
  }

  void operator()(const FillWork &W) {
    actor(W.Api);
    Op.Effect = [&C = C, Node = Op.Node, W] {
      shadow(C, Node, W.To, W.Size, true);
      forRuns(W.To, W.Size, [&](char *Run, size_t Bytes) {
        if (W.ElementBytes == 1)
          memset(Run, int(W.Value), Bytes);
        else
          for (size_t At = 0; At + W.ElementBytes <= Bytes; At += W.ElementBytes)
            memcpy(Run + At, &W.Value, W.ElementBytes);
      });
    };
  }

  void operator()(const HostWork &W) {
    (*this)(EmptyWork{});
    Op.IsCallback = true;
    C.Hosts.expectFunction();
    if (!HostThreadTable::isInstrumented())
      host::note(
          "host code is not instrumented: what the host does after a host function has begun "
          "counts as ordered after it");
    Op.Effect = [&C = C, Node = Op.Node, From = P.Origin, W] {
      C.Hosts.runFunction(Node, {W.Api, From}, [W] { W.Function(W.Data); });
    };
  }

  void operator()(const ValueWork &W) {
    core::LaunchFacts Facts{};
    Facts.device = {uint16_t(P.Origin.device)};
    Facts.domain = physicalDomain(W, C.DomainCount);
    actor(W.Api, false, Facts);
    if (W.IsWait)
      Op.MayEnd = [W] { return isReached(W); };
    abi::MemoryOrder Order = W.IsWait    ? abi::MemoryOrder::Acquire
                             : W.Relaxed ? abi::MemoryOrder::Relaxed
                                         : abi::MemoryOrder::Release;
    abi::Op Access(W.IsWait ? abi::AccessKind::Load : abi::AccessKind::Store, Order,
                   abi::Scope::System);
    Op.Effect = [&C = C, Node = Op.Node, W, Access] {
      if (!W.IsWait)
        memcpy(reinterpret_cast<void *>(W.Address), &W.Value, W.Bytes);
      C.Detector->nodeAtomic(Node, TheAliases.first(W.Address), W.Bytes, Access);
    };
  }

  void operator()(const AllocWork &W) {
    Op.Node = C.Detector->allocNode(P.Line, After.data(), uint32_t(After.size()));
    host::nodeNamed(Op.Node, W.Api, P.Origin);
    Op.Effect = [&C = C, Node = Op.Node, W, Device = int(P.Origin.device)] {
      C.Detector->allocated(W.Address, W.Bytes, Node);
      if (W.Reservation)
        graphAllocated(W.Address, W.Bytes, Device);
    };
  }

  void operator()(const FreeWork &W) {
    Op.Node = C.Detector->freeNode(P.Line, After.data(), uint32_t(After.size()));
    host::nodeNamed(Op.Node, W.Api, P.Origin);
    Op.Effect = [&C = C, Node = Op.Node, W] {
      graphFreed(W.Address);
      if (W.InGraph) // the address stays the graph's
        C.Detector->freed(W.Address, W.Bytes, Node, false);
      else
        C.Memory.release(W.Address, Node, false);
    };
  }

private:
  /// A node that accesses memory and is named by its API call.
  void actor(const char *Api, bool Staged = false, const core::LaunchFacts &Facts = {}) {
    Op.Node = C.Detector->copyNode(P.Line, After.data(), uint32_t(After.size()), Facts);
    host::Origin From = P.Origin;
    From.staged = Staged;
    host::nodeNamed(Op.Node, Api, From);
  }

  host::LaunchRecord record(const KernelWork &W, const LaunchSpec &Spec, core::DomainId Domain) {
    host::LaunchRecord L;
    L.node = Op.Node;
    L.firstBlock = C.Detector->firstBlock(Op.Node);
    L.kernel = Spec.Name;
    L.grid = W.Grid;
    L.block = W.Block;
    L.cluster = W.Cluster;
    L.dynamicShared = W.DynamicShared;
    L.index = Spec.Index;
    L.cooperative = W.Cooperative;
    L.domain = Domain.value;
    L.origin = P.Origin;
    return L;
  }

  /// Reports the accesses of a copy's one side.
  static void shadow(Context &C, core::NodeId Node, const Place &At, const Box &B, bool Write) {
    if (Write)
      TheConstantReads.written();
    forRuns(At, B, [&](char *Run, size_t Bytes) {
      if (Write)
        C.Detector->nodeWrite(Node, TheAliases.first(raw(Run)), Bytes, core::SiteId{});
      else
        C.Detector->nodeRead(Node, TheAliases.first(raw(Run)), Bytes, core::SiteId{});
    });
  }

  Context &C;
  Operation &Op;
  const Placement &P;
  std::vector<core::NodeId> After;
};

} // namespace

void scopesan::cpu::moveBytes(const Place &To, const Place &From, const Box &B) {
  for (size_t Z = 0; Z < B.Depth; ++Z)
    for (size_t Y = 0; Y < B.Height; ++Y)
      memmove(To.Base + Z * To.Slice + Y * To.Pitch, From.Base + Z * From.Slice + Y * From.Pitch,
              B.Width);
}

void scopesan::cpu::describeWork(Context &C, Operation &Op, const Work &W, const Placement &P) {
  std::visit(Describer(C, Op, P), W);
}

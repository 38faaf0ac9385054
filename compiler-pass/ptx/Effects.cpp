#include "Branches.h"
#include "EffectBuilder.h"

#include <algorithm>
#include <bit>

namespace scopesan::ptx {
namespace {

using abi::AccessKind;
using abi::MemoryOrder;
using abi::Scope;
using abi::Space;

/// O1, O2, O3: order and scope of an access; nothing if the combination is not PTX.
bool decideOrder(OpcodeClass Class, const Modifiers &M, MemoryOrder &Order, Scope &Sc) {
  bool Rmw = Class == OpcodeClass::Atom || Class == OpcodeClass::Red;
  if (M.Volatile) {
    Order = MemoryOrder::Relaxed;
    Sc = Scope::System;
    return !M.Order;
  }
  Order = M.Order.value_or(Rmw ? MemoryOrder::Relaxed : MemoryOrder::Weak); // O1, O3
  Sc = M.Scope.value_or(Order == MemoryOrder::Weak ? Scope::Thread : Scope::Device);
  return Order != MemoryOrder::SeqCst;
}

AccessKind accessKind(OpcodeClass Class, const Modifiers &M) {
  switch (Class) {
  case OpcodeClass::Store:
    return AccessKind::Store;
  case OpcodeClass::Atom:
    return M.Rmw.value_or(AccessKind::Rmw);
  case OpcodeClass::Red:
    return AccessKind::Red; // O5: never acquires
  default:
    return AccessKind::Load;
  }
}

/// Parameters and private memory are never checked (P5).
bool isChecked(const Statement &S, const Modifiers &M) {
  bool Constant = std::find(S.Parts.begin(), S.Parts.end(), "const") != S.Parts.end();
  return M.Space != Space::Local && (M.Space != Space::Const || Constant);
}

/// The value of a vector access, if some of its elements are sinks.
const Operand *vectorWithSinks(const Statement &S) {
  for (const Operand &O : S.Operands)
    if (O.is(OperandKind::Vector))
      for (const Operand &E : O.Elements)
        if (E.is(OperandKind::Sink))
          return &O;
  return nullptr;
}

} // namespace

unsigned memoryOperand(const Statement &S, unsigned From) {
  for (unsigned I = From; I < S.Operands.size(); ++I)
    if (S.Operands[I].is(OperandKind::Memory))
      return I;
  return NoIndex;
}

void EffectBuilder::push(Effect E, unsigned At) {
  E.Statement = At;
  E.Condition = Values.guard(At);
  Out.push_back(std::move(E));
}

void EffectBuilder::unmodelled(unsigned At, std::string Reason) {
  Effect E;
  E.Kind = EffectKind::Unmodelled;
  E.Reason = std::move(Reason);
  push(std::move(E), At);
}

void EffectBuilder::accessValues(Effect &E, const Statement &S, unsigned Memory) {
  const AccessKind Kind = E.Op.kind();
  // Packed types (f16x2) share one register; b128 is two.
  unsigned Parts = 1;
  if (Kind == AccessKind::Load || Kind == AccessKind::Rmw || Kind == AccessKind::Cas)
    for (const Operand &D : S.Operands)
      if (!D.is(OperandKind::Memory)) {
        E.Result = Values.output(D, E.Statement);
        Parts = unsigned(E.Result.size());
        break;
      }
  if (Kind == AccessKind::Cas && Memory + 1 < S.Operands.size()) {
    E.Compare = Values.inputParts(S.Operands[Memory + 1], E.Statement);
    if (E.Compare.size() != E.Result.size())
      E.Compare.clear();
  }
  const unsigned Source = Memory + (Kind == AccessKind::Cas ? 2 : 1);
  if ((Kind == AccessKind::Store || Kind == AccessKind::Rmw || Kind == AccessKind::Cas) &&
      Source < S.Operands.size())
    E.Source = Values.inputParts(S.Operands[Source], E.Statement);
  E.PartBytes = Parts ? E.bytes() / Parts : 0;
}

void EffectBuilder::access(unsigned At, OpcodeClass Class) {
  const Statement &S = Prog.Statements[At];
  Modifiers M = decodeModifiers(S);
  if (!M.Unknown.empty())
    return unmodelled(At, "unknown modifier ." + std::string(M.Unknown));
  if (!isChecked(S, M))
    return;
  Effect E;
  E.Kind = EffectKind::Access;
  E.Statement = At;
  MemoryOrder Order;
  Scope Sc;
  unsigned Memory = memoryOperand(S);
  if (Memory == NoIndex || !M.TypeBytes || !decideOrder(Class, M, Order, Sc))
    return unmodelled(At, "malformed memory instruction");
  E.ElementBytes = M.TypeBytes;
  E.Elements = M.TypeElements * M.Vector;
  E.Op = abi::Op(accessKind(Class, M), Order, Sc, M.Space.value_or(Space::Generic))
             .withElementLog2(uint32_t(std::countr_zero(M.TypeBytes)))
             .with((M.Volatile ? abi::Op::VolatileBit : 0) | (M.Mmio ? abi::Op::MmioBit : 0) |
                   (M.NonCoherent || S.Parts[0] == "ldu" ? abi::Op::NonCoherentBit : 0));
  E.Address = Values.address(S.Operands[Memory], E.Op.space(), At);
  if (const Operand *V = vectorWithSinks(S))
    return accessParts(E, *V, At);
  accessValues(E, S, Memory);
  push(std::move(E), At);
}

/// Elements of a vector that are written as _ are not accessed.
void EffectBuilder::accessParts(const Effect &Whole, const Operand &Vector, unsigned At) {
  unsigned Bytes = Whole.bytes() / unsigned(Vector.Elements.size());
  if (Whole.Op.isStrong() || Bytes * Vector.Elements.size() != Whole.bytes() ||
      Bytes % Whole.ElementBytes)
    return unmodelled(At, "malformed memory instruction");
  for (size_t I = 0; I < Vector.Elements.size(); ++I) {
    if (Vector.Elements[I].is(OperandKind::Sink))
      continue;
    Effect E = Whole;
    E.Elements = Bytes / E.ElementBytes;
    E.Address.Value.Addend += int64_t(I * Bytes);
    push(std::move(E), At);
  }
}

/// O4: membar is fence.sc at its level; a fence without an order is acq_rel.
void EffectBuilder::fence(unsigned At, bool Membar) {
  const Statement &S = Prog.Statements[At];
  if (Membar) {
    std::string_view Level = S.Parts.size() == 2 ? std::string_view(S.Parts[1]) : "";
    if (Level != "cta" && Level != "gl" && Level != "sys")
      return unmodelled(At, "unknown level of membar");
    Scope Sc = Level == "cta" ? Scope::Block : Level == "gl" ? Scope::Device : Scope::System;
    Effect E;
    E.Kind = EffectKind::Fence;
    E.Op = abi::Op(AccessKind::Fence, MemoryOrder::SeqCst, Sc);
    return push(std::move(E), At);
  }
  Modifiers M = decodeModifiers(
      S, {"mbarrier_init", "sync_restrict::shared::cluster", "sync_restrict::shared::cta"});
  MemoryOrder Order = M.Order.value_or(MemoryOrder::AcqRel);
  if (!M.Unknown.empty() || !M.Scope || M.Space || Order == MemoryOrder::Weak ||
      Order == MemoryOrder::Relaxed)
    return unmodelled(At, "unknown form of fence");
  // One-way fences at cluster scope, limited to some objects: their space is what they name.
  Space Restricted = Space::Generic;
  bool Init = hasPart(S, "mbarrier_init"), Out = hasPart(S, "sync_restrict::shared::cta"),
       In = hasPart(S, "sync_restrict::shared::cluster");
  if (Init || Out || In) {
    if (Init + Out + In > 1 || *M.Scope != Scope::Cluster ||
        Order != (In ? MemoryOrder::Acquire : MemoryOrder::Release))
      return unmodelled(At, "unknown form of fence");
    Restricted = In ? Space::SharedCluster : Space::Shared;
  }
  Effect E;
  E.Kind = EffectKind::Fence;
  E.Op = abi::Op(AccessKind::Fence, Order, *M.Scope, Restricted)
             .with(Init ? abi::Op::InitsOnlyBit : 0);
  push(std::move(E), At);
}

void EffectBuilder::blockBarrier(unsigned At) {
  const Statement &S = Prog.Statements[At];
  Effect E;
  E.Kind = EffectKind::BlockBarrier;
  E.Aligned = S.Parts[0] == "bar" || hasPart(S, "aligned");
  bool Named = false;
  for (size_t I = 1; I < S.Parts.size(); ++I) {
    const std::string &P = S.Parts[I];
    if (P == "sync" || P == "arrive" || P == "red") {
      E.Barrier = P == "sync"     ? abi::BarrierKind::Sync
                  : P == "arrive" ? abi::BarrierKind::Arrive
                                  : abi::BarrierKind::Red;
      Named = true;
    } else if (P != "cta" && P != "aligned" && P != "popc" && P != "and" && P != "or" &&
               P != "u32" && P != "pred") {
      return unmodelled(At, "unknown modifier ." + P);
    }
  }
  bool Red = E.Barrier == abi::BarrierKind::Red;
  // red: d, a {, b}, c    others: a {, b}
  size_t Id = Red, Operands = S.Operands.size() - (Red && S.Operands.size() ? 1 : 0);
  if (!Named || Operands < Id + 1 || Operands > Id + 2)
    return unmodelled(At, "malformed barrier");
  E.BarrierId = Values.input(S.Operands[Id], At);
  E.BarrierCount =
      Operands == Id + 2 ? Values.input(S.Operands[Id + 1], At) : ValueRef::constant(0);
  push(std::move(E), At);
}

void EffectBuilder::warpBarrier(unsigned At) {
  const Statement &S = Prog.Statements[At];
  if (S.Operands.size() != 1)
    return unmodelled(At, "malformed warp barrier");
  Effect E;
  E.Kind = EffectKind::WarpBarrier;
  E.Mask = Values.input(S.Operands[0], At);
  push(std::move(E), At);
}

void EffectBuilder::instruction(unsigned At) {
  const Statement &S = Prog.Statements[At];
  auto Class = classify(S);
  if (!Class)
    return unmodelled(At, "unknown instruction");
  switch (*Class) {
  case OpcodeClass::Value:
  case OpcodeClass::WarpValue:
  case OpcodeClass::NoEffect:
  case OpcodeClass::Control:
    return;
  case OpcodeClass::Load:
  case OpcodeClass::Store:
  case OpcodeClass::Atom:
  case OpcodeClass::Red:
    return access(At, *Class);
  case OpcodeClass::Fence:
    return fence(At, /*Membar=*/false);
  case OpcodeClass::Membar:
    return fence(At, /*Membar=*/true);
  case OpcodeClass::BlockBarrier:
    return blockBarrier(At);
  case OpcodeClass::WarpBarrier:
    return warpBarrier(At);
  case OpcodeClass::Unmodelled:
    return unmodelled(At, "not modelled yet");
  default:
    return asyncInstruction(At, *Class);
  }
}

std::vector<Effect> EffectBuilder::run() {
  for (unsigned I = 0; I < Prog.Statements.size(); ++I)
    if (Prog.Statements[I].Kind == StatementKind::Instruction)
      instruction(I);
  return std::move(Out);
}

std::vector<Effect> effects(const Program &P) {
  Program Straight = withoutForwardBranches(P);
  return EffectBuilder(Straight).run();
}

bool isKnownOpcode(const Statement &S) { return classify(S).has_value(); }

} // namespace scopesan::ptx

#include "Semantics.h"

#include "AddressSpaces.h"
#include "NonCoherent.h"
#include "Textures.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace llvm;
using scopesan::abi::AccessKind;
using scopesan::abi::MemoryOrder;
using scopesan::abi::Scope;

namespace scopesan::pass {
namespace {

enum class CallClass : uint8_t {
  Fence,
  BlockBarrier,
  WarpBarrier,
  Atomic,
  NonCoherentLoad,
  None,
  Unmodelled
};

struct CallRow {
  StringLiteral Prefix;
  CallClass Class;
  unsigned A = 0, B = 0;
};

constexpr CallRow CallTable[] = {
#define SCOPESAN_NVVM_FENCE(prefix, order, scope)                                                  \
  {prefix, CallClass::Fence, unsigned(MemoryOrder::order), unsigned(Scope::scope)},
#define SCOPESAN_NVVM_BLOCK_BARRIER(prefix, kind)                                                  \
  {prefix, CallClass::BlockBarrier, unsigned(abi::BarrierKind::kind)},
#define SCOPESAN_NVVM_WARP_BARRIER(prefix) {prefix, CallClass::WarpBarrier},
#define SCOPESAN_NVVM_ATOMIC(prefix) {prefix, CallClass::Atomic},
#define SCOPESAN_NVVM_NONCOHERENT_LOAD(prefix) {prefix, CallClass::NonCoherentLoad},
#define SCOPESAN_NVVM_NONE(prefix) {prefix, CallClass::None},
#define SCOPESAN_NVVM_UNMODELLED(prefix) {prefix, CallClass::Unmodelled},
#include "nvvm.def"
};

const CallRow *findCall(StringRef Name) {
  const CallRow *Best = nullptr;
  for (const CallRow &Row : CallTable)
    if (Name.starts_with(Row.Prefix) && (!Best || Row.Prefix.size() > Best->Prefix.size()))
      Best = &Row;
  return Best;
}

struct PtxRow {
  StringLiteral Name, Text, Otherwise;
  unsigned Flag; ///< argument that chooses between the two texts
};
constexpr unsigned NoFlag = ~0u;

constexpr PtxRow PtxTable[] = {
#define SCOPESAN_NVVM_PTX(name, text) {name, text, "", NoFlag},
#define SCOPESAN_NVVM_PTX_FLAG(name, argument, text, otherwise) {name, text, otherwise, argument},
#include "nvvm_ptx.def"
};

/// The row of an intrinsic, of one for pointers to one address space as well.
const PtxRow *findPtx(StringRef Name) {
  for (const PtxRow &Row : PtxTable) {
    StringRef Rest = Name;
    unsigned AddressSpace;
    if (Rest.consume_front(Row.Name) &&
        (Rest.empty() || (Rest.consume_front(".p") && !Rest.getAsInteger(10, AddressSpace))))
      return &Row;
  }
  return nullptr;
}

/// PTX that the call becomes; empty if the table lacks it.
std::string ptxOf(const CallBase &C, StringRef Name) {
  if (const PtxRow *Row = findPtx(Name)) {
    if (Row->Flag == NoFlag)
      return Row->Text.str();
    auto *Flag = dyn_cast<ConstantInt>(C.getArgOperand(Row->Flag));
    return Flag ? StringRef(Flag->isOne() ? Row->Text : Row->Otherwise).str() : "";
  }
  return Name.consume_front("llvm.nvvm.") ? ptx::textureIntrinsic(Name) : "";
}

std::string printed(const Instruction &I) {
  std::string Text;
  raw_string_ostream OS(Text);
  I.print(OS, /*IsForDebug=*/true);
  return StringRef(Text).ltrim().split(", !").first.str();
}

Operation unmodelled(const Instruction &I) {
  Operation O;
  O.Kind = OperationKind::Unmodelled;
  O.Text = printed(I);
  return O;
}

MemoryOrder toOrder(AtomicOrdering O) {
  switch (O) {
  case AtomicOrdering::NotAtomic:
    return MemoryOrder::Weak;
  case AtomicOrdering::Unordered:
  case AtomicOrdering::Monotonic:
    return MemoryOrder::Relaxed;
  case AtomicOrdering::Acquire:
    return MemoryOrder::Acquire;
  case AtomicOrdering::Release:
    return MemoryOrder::Release;
  case AtomicOrdering::AcquireRelease:
    return MemoryOrder::AcqRel;
  case AtomicOrdering::SequentiallyConsistent:
    return MemoryOrder::SeqCst;
  }
  return MemoryOrder::SeqCst;
}

std::optional<Scope> toScope(const Instruction &I, SyncScope::ID Id) {
  if (Id == SyncScope::System)
    return Scope::System;
  if (Id == SyncScope::SingleThread)
    return Scope::Thread;
  std::optional<StringRef> Name = I.getContext().getSyncScopeName(Id);
  if (Name == "block")
    return Scope::Block;
  if (Name == "cluster")
    return Scope::Cluster;
  if (Name == "device")
    return Scope::Device;
  return std::nullopt;
}

uint32_t elementLog2(const DataLayout &DL, Type *T) {
  uint64_t Bytes = DL.getTypeStoreSize(T->getScalarType()).getFixedValue();
  return T->isAggregateType() || !isPowerOf2_64(Bytes) || Bytes > 16 ? 0 : Log2_64(Bytes);
}

/// O3: order and scope of an access; `Kind` decides what seq_cst becomes after its fence.
Operation access(Instruction &I, Value *Address, Type *T, AccessKind Kind, MemoryOrder Order,
                 Scope Sc, uint32_t Flags) {
  Operation O;
  if (Order == MemoryOrder::SeqCst) {
    O.FenceBefore = true;
    Order = Kind == AccessKind::Load    ? MemoryOrder::Acquire
            : Kind == AccessKind::Store ? MemoryOrder::Release
                                        : MemoryOrder::AcqRel;
  }
  O.Kind = Order == MemoryOrder::Weak ? OperationKind::Weak : OperationKind::Strong;
  O.Address = Address;
  O.ValueType = T;
  O.Op = abi::Op(Kind, Order, Sc, toAbiSpace(Address->getType()->getPointerAddressSpace()))
             .withElementLog2(elementLog2(I.getDataLayout(), T))
             .with(Flags);
  return O;
}

template <typename InstructionT>
Operation loadOrStore(InstructionT &I, Type *T, AccessKind Kind, uint32_t Flags) {
  if (I.isVolatile()) // O2; NVPTX prints volatile for relaxed volatile atomics too
    if (!I.isAtomic() || !isStrongerThanMonotonic(I.getOrdering()))
      return access(I, I.getPointerOperand(), T, Kind, MemoryOrder::Relaxed, Scope::System,
                    Flags | abi::Op::VolatileBit);
  if (!I.isAtomic())
    return access(I, I.getPointerOperand(), T, Kind, MemoryOrder::Weak, Scope::Thread, Flags);
  std::optional<Scope> Sc = toScope(I, I.getSyncScopeID());
  if (!Sc)
    return unmodelled(I);
  return access(I, I.getPointerOperand(), T, Kind, toOrder(I.getOrdering()), *Sc, Flags);
}

Operation readModifyWrite(Instruction &I, Value *Address, Type *T, AccessKind Kind,
                          AtomicOrdering Order, SyncScope::ID Id) {
  std::optional<Scope> Sc = toScope(I, Id);
  if (!Sc)
    return unmodelled(I);
  return access(I, Address, T, Kind, toOrder(Order), *Sc, 0);
}

Operation fence(FenceInst &F) {
  Operation O;
  std::optional<Scope> Sc = toScope(F, F.getSyncScopeID());
  if (!Sc)
    return unmodelled(F);
  if (*Sc == Scope::Thread)
    return O; // orders the compiler only
  O.Kind = OperationKind::Fence;
  O.Op = abi::Op(AccessKind::Fence, toOrder(F.getOrdering()), *Sc);
  return O;
}

Operation blockBarrier(CallBase &C, const CallRow &Row, StringRef Name) {
  Operation O;
  O.Kind = OperationKind::BlockBarrier;
  O.Barrier = abi::BarrierKind(Row.A);
  O.Id = C.getArgOperand(0);
  O.Aligned = Name.contains(".aligned");
  if (Name.ends_with(".count"))
    O.Count = C.getArgOperand(1);
  return O;
}

/// llvm.nvvm.atomic.OP.gen.{i,f}.SCOPE.types(pointer, operands...)
Operation nvvmAtomic(CallBase &C, StringRef Name) {
  SmallVector<StringRef, 12> Parts;
  Name.split(Parts, '.');
  bool Block = is_contained(Parts, "cta"), System = is_contained(Parts, "sys");
  if (Parts.size() < 7 || Block == System)
    return unmodelled(C);
  AccessKind Kind = Parts[3] == "cas" ? AccessKind::Cas : AccessKind::Rmw;
  return access(C, C.getArgOperand(0), C.getType(), Kind, MemoryOrder::Relaxed,
                Block ? Scope::Block : Scope::System, 0);
}

Operation memoryIntrinsic(MemIntrinsic &C) {
  if (C.isVolatile())
    return unmodelled(C);
  Operation O;
  O.Kind = OperationKind::Range;
  O.Address = C.getDest();
  O.Length = C.getLength();
  if (auto *T = dyn_cast<MemTransferInst>(&C)) {
    O.Source = T->getSource();
    O.NonCoherentSource = isNonCoherent(*T);
  }
  return O;
}

Operation namedCall(CallBase &C, const CallRow &Row, StringRef Name) {
  Operation O;
  switch (Row.Class) {
  case CallClass::Fence:
    O.Kind = OperationKind::Fence;
    O.Op = abi::Op(AccessKind::Fence, MemoryOrder(Row.A), Scope(Row.B));
    return O;
  case CallClass::BlockBarrier:
    return blockBarrier(C, Row, Name);
  case CallClass::WarpBarrier:
    O.Kind = OperationKind::WarpBarrier;
    O.Mask = C.getArgOperand(0);
    return O;
  case CallClass::Atomic:
    return nvvmAtomic(C, Name);
  case CallClass::NonCoherentLoad:
    return access(C, C.getArgOperand(0), C.getType(), AccessKind::Load, MemoryOrder::Weak,
                  Scope::Thread, abi::Op::NonCoherentBit);
  case CallClass::None:
    return O;
  case CallClass::Unmodelled:
    return unmodelled(C);
  }
  return unmodelled(C);
}

Operation call(CallBase &C) {
  Operation O;
  if (C.isInlineAsm()) {
    O.Kind = OperationKind::InlineAsm;
    return O;
  }
  if (auto *Mem = dyn_cast<MemIntrinsic>(&C))
    return memoryIntrinsic(*Mem);
  Function *Callee = C.getCalledFunction();
  // Defined functions are instrumented themselves; what other modules lack is known at load time.
  if (!Callee || !Callee->isDeclaration())
    return O;
  if (std::string Text = ptxOf(C, Callee->getName()); !Text.empty()) {
    O.Kind = OperationKind::Ptx;
    O.Ptx = std::move(Text);
    O.Text = printed(C);
    return O;
  }
  if (Callee->isIntrinsic() && C.doesNotAccessMemory())
    return O;
  if (const CallRow *Row = findCall(Callee->getName()))
    return namedCall(C, *Row, Callee->getName());
  return Callee->isIntrinsic() ? unmodelled(C) : O;
}

} // namespace

Operation classify(Instruction &I) {
  if (auto *L = dyn_cast<LoadInst>(&I))
    return loadOrStore(*L, L->getType(), AccessKind::Load,
                       isNonCoherent(*L) ? abi::Op::NonCoherentBit : 0);
  if (auto *S = dyn_cast<StoreInst>(&I))
    return loadOrStore(*S, S->getValueOperand()->getType(), AccessKind::Store, 0);
  if (auto *R = dyn_cast<AtomicRMWInst>(&I))
    return readModifyWrite(I, R->getPointerOperand(), R->getType(), AccessKind::Rmw,
                           R->getOrdering(), R->getSyncScopeID());
  if (auto *C = dyn_cast<AtomicCmpXchgInst>(&I))
    return readModifyWrite(I, C->getPointerOperand(), C->getCompareOperand()->getType(),
                           AccessKind::Cas, C->getMergedOrdering(), C->getSyncScopeID());
  if (auto *F = dyn_cast<FenceInst>(&I))
    return fence(*F);
  if (auto *C = dyn_cast<CallBase>(&I))
    return call(*C);
  return I.mayReadOrWriteMemory() ? unmodelled(I) : Operation();
}

bool isListed(StringRef Name) {
  if (findPtx(Name) || findCall(Name))
    return true;
  return Name.consume_front("llvm.nvvm.") && !ptx::textureIntrinsic(Name).empty();
}

} // namespace scopesan::pass

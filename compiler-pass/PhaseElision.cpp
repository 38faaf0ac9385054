#include "PhaseElision.h"

#include "AddressSpaces.h"
#include "Elide.h"
#include "GpuMode.h"
#include "Semantics.h"

#include "Effects.h"
#include "Parser.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using scopesan::abi::AccessKind;
using scopesan::abi::MemoryOrder;

namespace scopesan::pass {
namespace {

/// What an interval does to shared memory.
enum Kinds : unsigned { Nothing = 0, Reads = 1, Writes = 2, Rmws = 4, All = Reads | Writes | Rmws };

bool mayBeShared(const Value *Address) {
  return Address && !isPrivateOrConstant(Address) && windowOf(Address) != Window::Global;
}

unsigned kindsOfText(StringRef Text) {
  std::string Error;
  std::optional<ptx::Program> P = ptx::parse(Text, Error);
  if (!P)
    return All;
  unsigned Kinds = Nothing;
  for (const ptx::Effect &E : ptx::effects(*P))
    if (E.Kind == ptx::EffectKind::Access && E.Op.space() != abi::Space::Global)
      Kinds |= E.Op.isStrong() ? unsigned(All) : E.Op.isWrite() ? Writes : Reads;
  return Kinds;
}

/// Read-modify-writes that cannot race with each other: relaxed, of the same size in all of the
/// kernel. A kernel with others is mixed.
unsigned kindsOfStrong(const Operation &O) {
  bool IsRmw = O.Op.kind() == AccessKind::Rmw || O.Op.kind() == AccessKind::Red;
  bool IsPlain = IsRmw && !O.FenceBefore && O.Op.order() == MemoryOrder::Relaxed &&
                 !O.Op.isVolatile() && O.Op.scope() >= abi::Scope::Block;
  return IsPlain ? Rmws : All;
}

unsigned kindsOf(Instruction &I, const Operation &O, bool Mixed) {
  switch (O.Kind) {
  case OperationKind::Weak:
    return mayBeShared(O.Address) ? O.Op.isWrite() ? Writes : Reads : Nothing;
  case OperationKind::Range:
    return (mayBeShared(O.Address) ? Writes : Nothing) | (mayBeShared(O.Source) ? Reads : Nothing);
  case OperationKind::Strong:
    return !mayBeShared(O.Address) ? Nothing : Mixed ? unsigned(All) : kindsOfStrong(O);
  case OperationKind::InlineAsm:
    return kindsOfText(cast<InlineAsm>(cast<CallBase>(I).getCalledOperand())->getAsmString());
  case OperationKind::Ptx:
    return kindsOfText(O.Ptx);
  case OperationKind::Unmodelled:
    return All;
  default:
    return Nothing;
  }
}

/// Address of a store: Base + First + strides times the thread's coordinates.
struct Linear {
  const GlobalVariable *Base = nullptr;
  std::array<int64_t, 3> Stride{};
  int64_t Constant = 0;
};

/// Is it the sum of a shared variable's address, constants, and multiples of the thread's
/// coordinates?
class LinearAddress {
public:
  explicit LinearAddress(ScalarEvolution &SE) : SE(SE) {}

  std::optional<Linear> of(Value *Address) {
    Out = Linear();
    if (!SE.isSCEVable(Address->getType()) || !add(SE.getSCEV(Address), 1) || !Out.Base)
      return std::nullopt;
    return Out;
  }

private:
  bool add(const SCEV *S, int64_t Scale) {
    constexpr int64_t Most = int64_t(1) << 40; // no product overflows
    if (Scale > Most || Scale < -Most)
      return false;
    if (auto *C = dyn_cast<SCEVConstant>(S)) {
      if (C->getAPInt().getSignificantBits() > 20)
        return false;
      Out.Constant += Scale * C->getAPInt().getSExtValue();
      return true;
    }
    if (auto *Sum = dyn_cast<SCEVAddExpr>(S))
      return all_of(Sum->operands(), [&](const SCEV *Part) { return add(Part, Scale); });
    if (auto *Product = dyn_cast<SCEVMulExpr>(S)) {
      auto *C = dyn_cast<SCEVConstant>(Product->getOperand(0));
      return C && Product->getNumOperands() == 2 && C->getAPInt().getSignificantBits() <= 20 &&
             add(Product->getOperand(1), Scale * C->getAPInt().getSExtValue());
    }
    if (auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S)) {
      // Coordinates are small: every cast but a narrow truncation keeps their value.
      bool Keeps = !isa<SCEVTruncateExpr>(Cast) || SE.getTypeSizeInBits(Cast->getType()) >= 16;
      return Keeps && coordinate(Cast->getOperand(), Scale);
    }
    if (auto *Pointer = dyn_cast<SCEVPtrToIntExpr>(S))
      return add(Pointer->getOperand(), Scale);
    return coordinate(S, Scale);
  }
  bool coordinate(const SCEV *S, int64_t Scale) {
    auto *U = dyn_cast<SCEVUnknown>(S);
    if (!U)
      return false;
    if (auto *G = dyn_cast<GlobalVariable>(U->getValue()->stripPointerCasts());
        G && G->getAddressSpace() == SharedAddressSpace) {
      bool IsFirst = !Out.Base && Scale == 1;
      Out.Base = G;
      return IsFirst;
    }
    auto *I = dyn_cast<IntrinsicInst>(U->getValue());
    if (!I)
      return false;
    switch (I->getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
      return Out.Stride[0] += Scale, true;
    case Intrinsic::nvvm_read_ptx_sreg_tid_y:
      return Out.Stride[1] += Scale, true;
    case Intrinsic::nvvm_read_ptx_sreg_tid_z:
      return Out.Stride[2] += Scale, true;
    default:
      return false;
    }
  }

  ScalarEvolution &SE;
  Linear Out;
};

class Intervals {
public:
  Intervals(Function &F, ScalarEvolution &SE, bool Mixed) : F(F), Addresses(SE) {
    for (Instruction &I : instructions(F)) {
      Operation O = classify(I);
      if (O.Kind == OperationKind::BlockBarrier)
        Barriers.insert(&I);
      else if (unsigned K = kindsOf(I, O, Mixed))
        Accesses[&I] = {K, std::move(O), {}};
    }
  }
  PhaseElision run() {
    interval(F.getEntryBlock(), F.getEntryBlock().begin());
    for (Instruction *B : Barriers)
      interval(*B->getParent(), std::next(B->getIterator()));
    for (auto &[I, A] : Accesses)
      decide(I, A);
    return std::move(Result);
  }

private:
  struct Access {
    unsigned Kinds = Nothing;
    Operation O;
    SmallVector<unsigned, 4> In; ///< intervals
  };
  struct Interval {
    unsigned Kinds = Nothing;
    SmallVector<Instruction *, 8> Members;
    /// Of an interval of disjoint stores only.
    std::optional<SmallVector<unsigned, 2>> Conditions;
  };

  /// All that a thread may execute from `At` on until its next barrier.
  void interval(BasicBlock &B, BasicBlock::iterator At) {
    Interval V;
    SmallPtrSet<BasicBlock *, 16> Seen;
    SmallVector<BasicBlock *, 16> Work;
    auto Walk = [&](BasicBlock &X, BasicBlock::iterator From) {
      for (Instruction &I : make_range(From, X.end())) {
        if (Barriers.contains(&I))
          return;
        if (auto A = Accesses.find(&I); A != Accesses.end() && !is_contained(V.Members, &I)) {
          V.Kinds |= A->second.Kinds;
          V.Members.push_back(&I);
          A->second.In.push_back(unsigned(Known.size()));
        }
      }
      for (BasicBlock *S : successors(&X))
        if (Seen.insert(S).second)
          Work.push_back(S);
    };
    Walk(B, At);
    while (!Work.empty()) {
      BasicBlock *X = Work.pop_back_val();
      Walk(*X, X->begin());
    }
    if (V.Kinds == Writes)
      V.Conditions = disjoint(V.Members);
    Known.push_back(std::move(V));
  }

  /// May a thread execute `I` again before its next barrier?
  bool repeats(Instruction &I) {
    SmallPtrSet<BasicBlock *, 16> Seen;
    SmallVector<BasicBlock *, 16> Work;
    auto Ends = [&](BasicBlock::iterator From, BasicBlock &X) {
      return any_of(make_range(From, X.end()),
                    [&](Instruction &J) { return Barriers.contains(&J); });
    };
    if (Ends(std::next(I.getIterator()), *I.getParent()))
      return false;
    append_range(Work, successors(I.getParent()));
    while (!Work.empty()) {
      BasicBlock *X = Work.pop_back_val();
      if (!Seen.insert(X).second)
        continue;
      if (X == I.getParent())
        return !any_of(make_range(X->begin(), I.getIterator()),
                       [&](Instruction &J) { return Barriers.contains(&J); });
      if (!Ends(X->begin(), *X))
        append_range(Work, successors(X));
    }
    return false;
  }

  /// Under which conditions are the stores of an interval each to a place of its own?
  std::optional<SmallVector<unsigned, 2>> disjoint(ArrayRef<Instruction *> Stores) {
    struct Family {
      Linear Form;
      uint64_t Bytes = 0;
      SmallVector<int64_t, 4> Constants;
    };
    MapVector<const GlobalVariable *, Family> Families;
    for (Instruction *I : Stores) {
      const Operation &O = Accesses[I].O;
      if (O.Kind != OperationKind::Weak || repeats(*I))
        return std::nullopt;
      std::optional<Linear> L = Addresses.of(O.Address);
      if (!L)
        return std::nullopt;
      uint64_t Bytes = I->getDataLayout().getTypeStoreSize(O.ValueType).getFixedValue();
      auto [At, New] = Families.try_emplace(L->Base, Family{*L, Bytes, {}});
      Family &Same = At->second;
      if (Same.Form.Stride != L->Stride || Same.Bytes != Bytes)
        return std::nullopt;
      Same.Constants.push_back(L->Constant);
    }
    SmallVector<unsigned, 2> Conditions;
    for (auto &[G, Stores] : Families) {
      std::optional<unsigned> C = condition(*G, Stores.Form, Stores.Bytes, Stores.Constants);
      if (!C)
        return std::nullopt;
      Conditions.push_back(*C);
    }
    return Conditions;
  }
  std::optional<unsigned> condition(const GlobalVariable &G, const Linear &L, uint64_t Bytes,
                                    SmallVectorImpl<int64_t> &Constants) {
    if (G.isDeclaration())
      return std::nullopt; // its size is known at the launch
    DisjointStores D;
    D.Bytes = Bytes;
    D.Size = G.getDataLayout().getTypeAllocSize(G.getValueType()).getFixedValue();
    sort(Constants);
    if (Constants.front() < 0)
      return std::nullopt;
    D.First = uint64_t(Constants.front());
    D.Count = Constants.size();
    D.Step = Constants.size() > 1 ? uint64_t(Constants[1] - Constants[0]) : 0;
    for (size_t I = 1; I < Constants.size(); ++I)
      if (Constants[I] - Constants[I - 1] != int64_t(D.Step) || !D.Step)
        return std::nullopt;
    for (unsigned I = 0; I < 3; ++I) {
      if (L.Stride[I] < 0)
        return std::nullopt;
      D.Stride[I] = uint64_t(L.Stride[I]);
    }
    unsigned Index = unsigned(find(Result.Conditions, D) - Result.Conditions.begin());
    if (Index == Result.Conditions.size())
      Result.Conditions.push_back(D);
    return Index;
  }

  void decide(Instruction *I, const Access &A) {
    unsigned Beside = Nothing;
    for (unsigned V : A.In)
      Beside |= Known[V].Kinds;
    const Value *Address = A.O.Address;
    if ((A.O.Kind != OperationKind::Weak && A.O.Kind != OperationKind::Strong) || A.In.empty() ||
        windowOf(Address) != Window::Shared)
      return;
    if ((A.Kinds == Reads && Beside == Reads) || (A.Kinds == Rmws && Beside == Rmws)) {
      Result.Always.insert(I);
      return;
    }
    SmallVector<unsigned, 2> Needed;
    for (unsigned V : A.In) {
      if (!Known[V].Conditions)
        return;
      for (unsigned C : *Known[V].Conditions)
        if (!is_contained(Needed, C))
          Needed.push_back(C);
    }
    Result.If[I] = Needed;
  }

  Function &F;
  LinearAddress Addresses;
  SetVector<Instruction *> Barriers;
  MapVector<Instruction *, Access> Accesses;
  SmallVector<Interval, 8> Known;
  PhaseElision Result;
};

} // namespace

/// Places do not meet if, by size, each stride is at least what the smaller ones span.
Value *areDisjoint(IRBuilderBase &B, const DisjointStores &D) {
  struct Dimension {
    uint64_t Stride;
    Value *Count;
  };
  SmallVector<Dimension, 4> Dimensions;
  constexpr Intrinsic::ID Sizes[] = {Intrinsic::nvvm_read_ptx_sreg_ntid_x,
                                     Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                     Intrinsic::nvvm_read_ptx_sreg_ntid_z};
  for (unsigned I = 0; I < 3; ++I)
    Dimensions.push_back(
        {D.Stride[I], B.CreateZExt(B.CreateIntrinsic(Sizes[I], {}), B.getInt64Ty())});
  Dimensions.push_back({D.Step, B.getInt64(D.Count)});
  stable_sort(Dimensions,
              [](const Dimension &X, const Dimension &Y) { return X.Stride < Y.Stride; });
  Value *Holds = B.getTrue(), *Span = B.getInt64(D.Bytes);
  for (const Dimension &X : Dimensions) {
    Value *One = B.CreateICmpEQ(X.Count, B.getInt64(1));
    Value *Apart = B.CreateICmpUGE(B.getInt64(X.Stride), Span);
    Holds = B.CreateAnd(Holds, B.CreateOr(One, Apart));
    Span =
        B.CreateAdd(Span, B.CreateMul(B.getInt64(X.Stride), B.CreateSub(X.Count, B.getInt64(1))));
  }
  Value *Fits = B.CreateICmpULE(B.CreateAdd(Span, B.getInt64(D.First)), B.getInt64(D.Size));
  return B.CreateAnd(Holds, Fits, "apart");
}

PhaseElision elideByPhases(Function &F, ScalarEvolution &SE, bool Mixed) {
  return Intervals(F, SE, Mixed).run();
}

} // namespace scopesan::pass

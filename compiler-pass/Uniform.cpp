#include "Uniform.h"

#include "AddressSpaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace scopesan::pass {
namespace {

/// Post-dominators among the blocks from which a return is reached (Cooper, Harvey and Kennedy, on
/// the reversed graph). Null stands for the exit.
class PostDominators {
public:
  explicit PostDominators(Function &F) {
    for (BasicBlock &B : F)
      if (isa<ReturnInst>(B.getTerminator()))
        visit(B);
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (BasicBlock *B : reverse(Order))
        Changed |= update(B);
    }
  }
  bool returns(const BasicBlock *B) const { return Number.contains(B); }
  BasicBlock *immediate(BasicBlock *B) const { return Parent.lookup(B); }

private:
  /// Numbers `Exit`, and what leads to it, in post-order.
  void visit(BasicBlock &Exit) {
    SmallVector<std::pair<BasicBlock *, pred_iterator>, 32> Path;
    auto Enter = [&](BasicBlock *B) {
      if (Number.try_emplace(B, 0).second)
        Path.push_back({B, pred_begin(B)});
    };
    for (Enter(&Exit); !Path.empty();) {
      auto &[B, Next] = Path.back();
      if (Next != pred_end(B)) {
        Enter(*Next++);
        continue;
      }
      Order.push_back(B);
      Number[B] = unsigned(Order.size());
      Path.pop_back();
    }
  }
  bool update(BasicBlock *B) {
    bool Known = isa<ReturnInst>(B->getTerminator());
    BasicBlock *Common = nullptr;
    for (BasicBlock *S : successors(B)) {
      if (!Parent.contains(S))
        continue;
      Common = Known ? meet(Common, S) : S;
      Known = true;
    }
    if (!Known)
      return false;
    auto [It, New] = Parent.try_emplace(B, Common);
    bool Changed = New || It->second != Common;
    It->second = Common;
    return Changed;
  }
  /// A block's post-dominator has a greater number; the exit the greatest.
  BasicBlock *meet(BasicBlock *A, BasicBlock *B) const {
    while (A != B) {
      if (!B || (A && Number.lookup(A) < Number.lookup(B)))
        A = Parent.lookup(A);
      else
        B = Parent.lookup(B);
    }
    return A;
  }

  DenseMap<const BasicBlock *, unsigned> Number; ///< of blocks that reach a return
  DenseMap<const BasicBlock *, BasicBlock *> Parent;
  SmallVector<BasicBlock *, 32> Order;
};

/// What may differ between the threads of a block.
class ThreadDependence {
public:
  /// `TrustLoads`: loads from one address give all threads the same value.
  ThreadDependence(Function &F, const PostDominators &Post, bool TrustLoads)
      : Post(Post), TrustLoads(TrustLoads) {
    for (Instruction &I : instructions(F))
      if (isSource(I))
        mark(I);
    while (!Work.empty())
      for (User *U : Work.pop_back_val()->users())
        if (auto *I = dyn_cast<Instruction>(U)) {
          if (I->isTerminator())
            branch(*I->getParent());
          else if (!isSameForBlock(*I))
            mark(*I);
        }
  }
  bool decides(const BasicBlock &B) const { return Branches.contains(&B); }

private:
  void mark(Instruction &I) {
    if (!I.getType()->isVoidTy() && Marked.insert(&I).second)
      Work.push_back(&I);
  }
  /// Threads take different ways: where these meet, values depend on the way, and what a loop left
  /// behind depends on the number of its turns.
  void branch(BasicBlock &B) {
    if (!Branches.insert(&B).second)
      return;
    BasicBlock *Meet = Post.returns(&B) ? Post.immediate(&B) : nullptr;
    SmallVector<BasicBlock *, 8> Ways(successors(&B));
    SmallPtrSet<BasicBlock *, 16> Region;
    while (!Ways.empty()) {
      BasicBlock *X = Ways.pop_back_val();
      for (PHINode &P : X->phis())
        mark(P);
      if (X != Meet && Region.insert(X).second)
        append_range(Ways, successors(X));
    }
    if (!Region.contains(&B))
      return;
    for (BasicBlock *X : Region)
      for (Instruction &I : *X)
        if (any_of(I.users(), [&](User *U) {
              auto *J = dyn_cast<Instruction>(U);
              return J && !Region.contains(J->getParent());
            }))
          mark(I);
  }

  static bool isSameForBlock(const Instruction &I) {
    auto *C = dyn_cast<IntrinsicInst>(&I);
    return C && C->getCalledFunction()->getName().starts_with("llvm.nvvm.barrier.cta.red");
  }
  bool isSource(const Instruction &I) const {
    if (I.isAtomic() || I.isVolatile())
      return true;
    if (auto *L = dyn_cast<LoadInst>(&I); L && !TrustLoads)
      return L->getPointerAddressSpace() != ConstAddressSpace &&
             L->getPointerAddressSpace() != ParamAddressSpace;
    if (auto *L = dyn_cast<LoadInst>(&I))
      return isa<AllocaInst>(getUnderlyingObject(L->getPointerOperand(), 0)) ||
             L->getPointerAddressSpace() == LocalAddressSpace;
    auto *C = dyn_cast<CallBase>(&I);
    if (!C || isSameForBlock(I))
      return false;
    auto *Known = dyn_cast<IntrinsicInst>(C);
    if (!Known)
      return true;
    switch (Known->getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
      return false;
    default: // what only computes depends on its operands
      return !Known->doesNotAccessMemory() || Known->isConvergent() || !Known->arg_size();
    }
  }

  const PostDominators &Post;
  bool TrustLoads;
  SmallPtrSet<const Instruction *, 32> Marked;
  SmallPtrSet<const BasicBlock *, 8> Branches;
  SmallVector<Instruction *, 32> Work;
};

using BlockPredicate = function_ref<bool(const BasicBlock &)>;

/// No block with a barrier lies on a way that a branch of `Decides` may or may not take.
bool isEverywhereAlike(Function &F, const PostDominators &Post, BlockPredicate Decides,
                       BlockPredicate IsBarrier) {
  SmallPtrSet<const BasicBlock *, 8> Barriers;
  for (BasicBlock &B : F)
    if (IsBarrier(B)) {
      if (!Post.returns(&B))
        return false;
      Barriers.insert(&B);
    }
  for (BasicBlock &B : F) {
    if (B.getTerminator()->getNumSuccessors() < 2 || !Post.returns(&B) || !Decides(B))
      continue;
    // What is executed before the ways meet again depends on the branch.
    BasicBlock *Meet = Post.immediate(&B);
    SmallVector<BasicBlock *, 8> Work(successors(&B));
    SmallPtrSet<BasicBlock *, 8> Seen;
    while (!Work.empty()) {
      BasicBlock *X = Work.pop_back_val();
      if (X == Meet || !Post.returns(X) || !Seen.insert(X).second)
        continue;
      if (Barriers.contains(X))
        return false;
      append_range(Work, successors(X));
    }
  }
  return true;
}

} // namespace

bool isUniformlyExecuted(Function &F, UniformityInfo &UI, BlockPredicate IsBarrier) {
  PostDominators Post(F);
  ThreadDependence Dependence(F, Post, /*TrustLoads=*/false);
  auto Differs = [&](const BasicBlock &B) {
    return UI.hasDivergentTerminator(B) && Dependence.decides(B);
  };
  return isEverywhereAlike(F, Post, Differs, IsBarrier);
}

bool isLikelyUniform(Function &F, BlockPredicate IsBarrier) {
  PostDominators Post(F);
  ThreadDependence Dependence(F, Post, /*TrustLoads=*/true);
  return isEverywhereAlike(
      F, Post, [&](const BasicBlock &B) { return Dependence.decides(B); }, IsBarrier);
}

} // namespace scopesan::pass

#include "Uniform.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace scopesan::pass {
namespace {

/// Post-dominators among the blocks from which a return is reached (Cooper, Harvey and Kennedy, on
/// the reversed graph). Null stands for the exit.
class PostDominators {
public:
  explicit PostDominators(Function &F) {
    // Blocks in an order in which successors tend to come first, and which reach a return.
    SmallVector<BasicBlock *, 16> Work;
    for (BasicBlock &B : F)
      if (isa<ReturnInst>(B.getTerminator()) && Returning.insert(&B).second)
        Work.push_back(&B);
    while (!Work.empty())
      for (BasicBlock *P : predecessors(Work.pop_back_val()))
        if (Returning.insert(P).second)
          Work.push_back(P);
    unsigned N = 0;
    for (BasicBlock *B : post_order(&F))
      if (Returning.contains(B)) {
        Number[B] = N++;
        Order.push_back(B);
      }
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (BasicBlock *B : Order)
        Changed |= update(B);
    }
  }
  bool returns(const BasicBlock *B) const { return Returning.contains(B); }
  BasicBlock *immediate(BasicBlock *B) const { return Parent.lookup(B); }

private:
  bool update(BasicBlock *B) {
    bool Known = false;
    BasicBlock *Common = nullptr;
    if (!isa<ReturnInst>(B->getTerminator()))
      for (BasicBlock *S : successors(B)) {
        if (!Returning.contains(S) || !Parent.count(S))
          continue;
        Common = Known ? meet(Common, S) : S;
        Known = true;
      }
    else
      Known = true;
    if (!Known)
      return false;
    auto [It, New] = Parent.try_emplace(B, Common);
    bool Changed = New || It->second != Common;
    It->second = Common;
    return Changed;
  }
  BasicBlock *meet(BasicBlock *A, BasicBlock *B) const {
    while (A != B) {
      // A block's post-dominator has a smaller number; the exit the smallest.
      if (!A || !B)
        return nullptr;
      if (Number.lookup(A) > Number.lookup(B))
        A = climb(A);
      else
        B = climb(B);
    }
    return A;
  }
  BasicBlock *climb(BasicBlock *B) const {
    BasicBlock *P = Parent.lookup(B);
    // In irreducible graphs the order of numbers can fail: give up towards the exit.
    return P && Number.lookup(P) < Number.lookup(B) ? P : nullptr;
  }

  SmallPtrSet<const BasicBlock *, 32> Returning;
  DenseMap<const BasicBlock *, unsigned> Number;
  DenseMap<const BasicBlock *, BasicBlock *> Parent;
  SmallVector<BasicBlock *, 32> Order;
};

} // namespace

bool isUniformlyExecuted(Function &F, UniformityInfo &UI,
                         function_ref<bool(const BasicBlock &)> IsBarrier) {
  SmallPtrSet<const BasicBlock *, 8> Barriers;
  for (BasicBlock &B : F)
    if (IsBarrier(B))
      Barriers.insert(&B);
  if (Barriers.empty())
    return true;
  PostDominators Post(F);
  for (const BasicBlock *B : Barriers)
    if (!Post.returns(B))
      return false;
  for (BasicBlock &B : F) {
    Instruction *T = B.getTerminator();
    if (T->getNumSuccessors() < 2 || !Post.returns(&B) || !UI.hasDivergentTerminator(B))
      continue;
    // What is executed before the ways meet again depends on the branch.
    BasicBlock *Meet = Post.immediate(&B);
    SmallVector<BasicBlock *, 8> Work;
    SmallPtrSet<BasicBlock *, 8> Seen;
    for (BasicBlock *S : successors(&B))
      Work.push_back(S);
    while (!Work.empty()) {
      BasicBlock *X = Work.pop_back_val();
      if (X == Meet || !Post.returns(X) || !Seen.insert(X).second)
        continue;
      if (Barriers.contains(X))
        return false;
      for (BasicBlock *S : successors(X))
        Work.push_back(S);
    }
  }
  return true;
}

} // namespace scopesan::pass

// Shared memory layout.
//
// A variable that a device function uses has one offset in every kernel that reaches the function,
// so that the code needs no indirection: variables interfere when one kernel reaches both, and each
// gets the lowest place free among those it interferes with. Dynamic shared memory begins where the
// kernel's static variables end; kernels that share a function using it agree on the largest end.
#include "Steps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using namespace scopesan;
using namespace scopesan::retarget;

namespace {

constexpr unsigned SharedSpace = 3;
/// Of dynamic shared memory; the engine aligns the block's memory at least as much.
constexpr uint64_t DynamicAlign = 128;

class Layout {
public:
  Layout(Module &M, Engine &E, MutableArrayRef<KernelInfo> Kernels)
      : M(M), E(E), Kernels(Kernels) {}
  void run();

private:
  using FunctionSet = SetVector<Function *>;

  void collectVariables();
  void collectUses();
  FunctionSet reachable(Function *Root);
  void placeStatic();
  void placeDynamic();
  void describe();
  void rewriteUses(GlobalVariable *G);
  uint64_t offsetIn(GlobalVariable *G, Function *F);
  bool isDynamic(GlobalVariable *G) const { return G->isDeclaration(); }
  uint64_t size(GlobalVariable *G) const {
    return M.getDataLayout().getTypeAllocSize(G->getValueType());
  }

  Module &M;
  Engine &E;
  MutableArrayRef<KernelInfo> Kernels;
  SmallVector<GlobalVariable *> Variables;
  DenseMap<Function *, SetVector<GlobalVariable *>> UsedBy;
  FunctionSet AddressTaken;
  /// Per kernel, in the order of Kernels.
  SmallVector<FunctionSet, 0> Reached;
  SmallVector<SetVector<GlobalVariable *>, 0> ReachedVariables;
  DenseMap<GlobalVariable *, uint64_t> Offset;
  /// Start of dynamic shared memory as code in a function sees it.
  DenseMap<Function *, uint64_t> DynamicBase;
};

} // namespace

void Layout::collectVariables() {
  for (GlobalVariable &G : M.globals())
    if (G.getAddressSpace() == SharedSpace)
      Variables.push_back(&G);
  // Addresses of shared variables in initialisers have no meaning.
  SmallVector<Constant *> Constants(Variables.begin(), Variables.end());
  convertUsersOfConstantsToInstructions(Constants);
}

void Layout::collectUses() {
  for (GlobalVariable *G : Variables)
    for (User *U : G->users())
      if (auto *I = dyn_cast<Instruction>(U))
        UsedBy[I->getFunction()].insert(G);
  for (Function &F : M)
    if (!F.isDeclaration() && F.hasAddressTaken())
      AddressTaken.insert(&F);
}

Layout::FunctionSet Layout::reachable(Function *Root) {
  FunctionSet Set;
  Set.insert(Root);
  bool Indirect = false;
  for (size_t Next = 0; Next < Set.size(); ++Next)
    for (Instruction &I : instructions(*Set[Next])) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || Call->isInlineAsm())
        continue;
      if (Function *Callee = Call->getCalledFunction()) {
        if (!Callee->isDeclaration())
          Set.insert(Callee);
      } else if (!Indirect) {
        Indirect = true;
        Set.insert_range(AddressTaken);
      }
    }
  return Set;
}

void Layout::placeStatic() {
  DenseMap<GlobalVariable *, SetVector<GlobalVariable *>> Interferes;
  for (const SetVector<GlobalVariable *> &Group : ReachedVariables)
    for (GlobalVariable *G : Group)
      Interferes[G].insert_range(Group);
  for (GlobalVariable *G : Variables) {
    if (isDynamic(G))
      continue;
    SmallVector<std::pair<uint64_t, uint64_t>> Taken;
    for (GlobalVariable *Other : Interferes[G])
      if (auto It = Offset.find(Other); It != Offset.end())
        Taken.push_back({It->second, It->second + size(Other)});
    llvm::sort(Taken);
    Align A = std::max(G->getAlign().valueOrOne(), Align(16));
    uint64_t Place = alignTo(cpu::ReservedShared, A);
    for (auto [Begin, End] : Taken)
      if (Place < End && Begin < Place + size(G))
        Place = alignTo(End, A);
    Offset[G] = Place;
  }
}

void Layout::placeDynamic() {
  EquivalenceClasses<unsigned> Same;
  DenseMap<Function *, unsigned> FirstUser;
  for (unsigned K = 0; K < Kernels.size(); ++K) {
    Same.insert(K);
    uint64_t End = cpu::ReservedShared;
    for (GlobalVariable *G : ReachedVariables[K])
      if (!isDynamic(G))
        End = std::max(End, Offset[G] + size(G));
    Kernels[K].StaticShared = alignTo(End, DynamicAlign);
    for (Function *F : Reached[K])
      if (any_of(UsedBy.lookup(F), [&](GlobalVariable *G) { return isDynamic(G); })) {
        auto [It, New] = FirstUser.try_emplace(F, K);
        if (!New)
          Same.unionSets(It->second, K);
      }
  }
  SmallVector<uint64_t> Largest(Kernels.size(), 0);
  for (unsigned K = 0; K < Kernels.size(); ++K) {
    uint64_t &End = Largest[Same.getLeaderValue(K)];
    End = std::max(End, Kernels[K].StaticShared);
  }
  for (unsigned K = 0; K < Kernels.size(); ++K)
    Kernels[K].StaticShared = Largest[Same.getLeaderValue(K)];
  for (auto [F, K] : FirstUser)
    DynamicBase[F] = Kernels[K].StaticShared;
}

void Layout::describe() {
  for (unsigned K = 0; K < Kernels.size(); ++K)
    for (GlobalVariable *G : ReachedVariables[K]) {
      bool Dynamic = isDynamic(G);
      uint64_t At = Dynamic ? Kernels[K].StaticShared : Offset[G];
      Kernels[K].SharedVariables.push_back(
          {demangle(G->getName()), uint32_t(At), Dynamic ? 0 : uint32_t(size(G))});
    }
}

uint64_t Layout::offsetIn(GlobalVariable *G, Function *F) {
  // A function that no kernel reaches is dead; any offset will do.
  return isDynamic(G) ? DynamicBase.lookup(F) : Offset.lookup(G);
}

void Layout::rewriteUses(GlobalVariable *G) {
  DenseMap<Function *, Value *> Address;
  for (Use &U : make_early_inc_range(G->uses())) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    if (!I)
      continue;
    Value *&Here = Address[I->getFunction()];
    if (!Here) {
      BasicBlock &Entry = I->getFunction()->getEntryBlock();
      IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
      Value *Flat = B.CreateConstGEP1_64(B.getInt8Ty(), E.sharedBase(B),
                                         offsetIn(G, I->getFunction()), G->getName());
      Here = B.CreateAddrSpaceCast(Flat, G->getType());
    }
    U.set(Here);
  }
  G->replaceAllUsesWith(Constant::getNullValue(G->getType()));
}

void Layout::run() {
  collectVariables();
  collectUses();
  for (KernelInfo &K : Kernels) {
    Reached.push_back(reachable(K.Function));
    SetVector<GlobalVariable *> Group;
    for (Function *F : Reached.back())
      if (auto It = UsedBy.find(F); It != UsedBy.end())
        Group.insert_range(It->second);
    ReachedVariables.push_back(std::move(Group));
  }
  placeStatic();
  placeDynamic();
  describe();
  for (GlobalVariable *G : Variables) {
    rewriteUses(G);
    G->eraseFromParent();
  }
}

void scopesan::retarget::layOutShared(Module &M, Engine &E, MutableArrayRef<KernelInfo> Kernels) {
  Layout(M, E, Kernels).run();
}

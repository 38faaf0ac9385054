#include "KernelAttributes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace scopesan::pass {
namespace {

struct Annotation {
  Function *Kernel;
  StringRef Text;
  SmallVector<uint64_t, 6> Values;
};

/// The integers of an annotation's argument record.
SmallVector<uint64_t, 6> integersOf(Constant *Pointer) {
  SmallVector<uint64_t, 6> Values;
  auto *G = dyn_cast<GlobalVariable>(Pointer->stripPointerCasts());
  if (!G || !G->hasInitializer())
    return Values;
  Constant *Record = G->getInitializer();
  for (unsigned I = 0; Constant *Element = Record->getAggregateElement(I); ++I)
    if (auto *N = dyn_cast<ConstantInt>(Element))
      Values.push_back(N->getZExtValue());
  return Values;
}

StringRef textOf(Constant *Pointer) {
  auto *G = dyn_cast<GlobalVariable>(Pointer->stripPointerCasts());
  auto *Text =
      G && G->hasInitializer() ? dyn_cast<ConstantDataArray>(G->getInitializer()) : nullptr;
  return Text && Text->isCString() ? Text->getAsCString() : StringRef();
}

/// What `__attribute__((annotate))` left: records of (function, text, file, line, arguments).
SmallVector<Annotation> annotationsOf(const Module &M) {
  SmallVector<Annotation> Found;
  const GlobalVariable *All = M.getNamedGlobal("llvm.global.annotations");
  if (!All || !All->hasInitializer())
    return Found;
  for (unsigned I = 0; Constant *Row = All->getInitializer()->getAggregateElement(I); ++I) {
    auto *Kernel = dyn_cast<Function>(Row->getAggregateElement(0u)->stripPointerCasts());
    StringRef Text = textOf(Row->getAggregateElement(1u));
    if (Kernel && Text.starts_with("scopesan."))
      Found.push_back({Kernel, Text, integersOf(Row->getAggregateElement(4u))});
  }
  return Found;
}

/// "x,y,z"; missing parts are 1.
std::string dimensions(ArrayRef<uint64_t> Values) {
  uint64_t Parts[3] = {1, 1, 1};
  copy(Values.take_front(3), Parts);
  return utostr(Parts[0]) + "," + utostr(Parts[1]) + "," + utostr(Parts[2]);
}

/// Where a launch must name the cluster's size, LLVM has no attribute; the launch decides alone.
void apply(const Annotation &A) {
  Function &F = *A.Kernel;
  ArrayRef<uint64_t> Values = A.Values;
  if (A.Text == "scopesan.cluster_dims" && !Values.empty()) {
    F.addFnAttr("nvvm.cluster_dim", dimensions(Values));
  } else if (A.Text == "scopesan.maxnreg" && !Values.empty()) {
    F.addFnAttr("nvvm.maxnreg", utostr(Values[0]));
  } else if (A.Text == "scopesan.block_size" && Values.size() >= 6) {
    F.addFnAttr("nvvm.reqntid", dimensions(Values.take_front(3)));
    F.addFnAttr("nvvm.cluster_dim", dimensions(Values.drop_front(3)));
    F.addFnAttr("nvvm.blocksareclusters");
  }
}

} // namespace

void applyKernelAttributes(Module &M) {
  for (const Annotation &A : annotationsOf(M))
    apply(A);
}

} // namespace scopesan::pass

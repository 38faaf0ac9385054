// Kernel discovery, entry wrappers and the exported table.
#include "Steps.h"

#include "scopesan/unit_suffix.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace scopesan;
using namespace scopesan::retarget;

// Kernels

/// Reads "x,y,z" (later parts default to 1) of a function attribute into `Out`.
static void readDimensions(const Function &F, StringRef Attribute, uint32_t (&Out)[3]) {
  if (!F.hasFnAttribute(Attribute))
    return;
  SmallVector<StringRef, 3> Parts;
  F.getFnAttribute(Attribute).getValueAsString().split(Parts, ',');
  for (unsigned I = 0; I < 3; ++I) {
    Out[I] = 1;
    if (I < Parts.size())
      Parts[I].trim().getAsInteger(10, Out[I]);
  }
}

/// Kernel parameters are read-only unless the kernel writes its copy: without a writer, the host's
/// bytes can be used in place, which spares a copy per thread.
static void dropReadOnlyCopies(Function &F) {
  for (Argument &A : F.args())
    if (A.hasByValAttr() && A.onlyReadsMemory())
      F.removeParamAttr(A.getArgNo(), Attribute::ByVal);
}

SmallVector<KernelInfo, 0> scopesan::retarget::findKernels(Module &M) {
  SmallVector<KernelInfo, 0> Kernels;
  for (Function &F : M) {
    if (F.isDeclaration() || F.getCallingConv() != CallingConv::PTX_Kernel)
      continue;
    KernelInfo &K = Kernels.emplace_back();
    K.Function = &F;
    K.Name = F.getName();
    readDimensions(F, "nvvm.reqntid", K.RequiredThreads);
    readDimensions(F, "nvvm.cluster_dim", K.ClusterDim);
    K.GridInClusters = F.hasFnAttribute("nvvm.blocksareclusters");
    uint32_t Max[3] = {0, 0, 0};
    readDimensions(F, "nvvm.maxntid", Max);
    K.MaxThreads = Max[0] * Max[1] * Max[2];
    for (Argument &A : F.args()) {
      K.ByAddress.push_back(A.hasByValAttr());
      K.ParamSizes.push_back(M.getDataLayout().getTypeAllocSize(
          A.hasByValAttr() ? A.getParamByValType() : A.getType()));
    }
    dropReadOnlyCopies(F);
  }
  return Kernels;
}

/// void entry(ptr args): args[i] points at the i-th parameter.
static Function *createEntry(Module &M, const KernelInfo &K) {
  LLVMContext &C = M.getContext();
  Type *Pointer = PointerType::get(C, 0);
  auto *Type = FunctionType::get(llvm::Type::getVoidTy(C), {Pointer}, false);
  auto *Entry = Function::Create(Type, GlobalValue::InternalLinkage, "entry." + K.Name, M);
  Entry->addFnAttr(Attribute::NoUnwind);
  Entry->addFnAttr("probe-stack", "inline-asm");
  IRBuilder<> B(BasicBlock::Create(C, "", Entry));
  SmallVector<Value *> Args;
  for (Argument &A : K.Function->args()) {
    Value *Slot = B.CreateConstInBoundsGEP1_64(Pointer, Entry->getArg(0), A.getArgNo());
    Value *Address = B.CreateLoad(Pointer, Slot);
    if (K.ByAddress[A.getArgNo()])
      Args.push_back(B.CreateAddrSpaceCast(Address, A.getType()));
    else if (A.getType()->isIntegerTy(1))
      Args.push_back(B.CreateTrunc(B.CreateLoad(B.getInt8Ty(), Address), A.getType()));
    else
      Args.push_back(B.CreateLoad(A.getType(), Address));
  }
  CallInst *Call = B.CreateCall(K.Function, Args);
  AttributeList Attributes;
  for (unsigned I = 0; I < Args.size(); ++I)
    Attributes = Attributes.addParamAttributes(
        C, I, AttrBuilder(C, K.Function->getAttributes().getParamAttrs(I)));
  Call->setAttributes(Attributes);
  B.CreateRetVoid();
  return Entry;
}

// The exported table: constants that mirror the structs of cpu_abi.h

namespace {

class Table {
public:
  explicit Table(Module &M)
      : M(M), C(M.getContext()), Pointer(PointerType::get(C, 0)), I32(Type::getInt32Ty(C)) {}

  Constant *kernel(const KernelInfo &K, Function *Entry);
  Constant *variable(GlobalVariable &G);
  /// Pointer to an internal array of `Elements`; null when empty.
  Constant *array(ArrayRef<Constant *> Elements, const Twine &Name);
  Constant *number(uint32_t V) { return ConstantInt::get(I32, V); }
  Constant *flat(Constant *Address) { return ConstantExpr::getAddrSpaceCast(Address, Pointer); }
  void exportModule(ArrayRef<Constant *> Kernels, ArrayRef<Constant *> Variables,
                    ArrayRef<Constant *> SiteTables);

private:
  Constant *string(StringRef Text);
  Constant *numbers(const uint32_t (&V)[3]) { return ConstantDataArray::get(C, ArrayRef(V)); }
  GlobalVariable *internal(Constant *Init, const Twine &Name) {
    return new GlobalVariable(M, Init->getType(), true, GlobalValue::InternalLinkage, Init, Name);
  }

  Module &M;
  LLVMContext &C;
  PointerType *Pointer;
  Type *I32;
};

} // namespace

Constant *Table::string(StringRef Text) {
  return internal(ConstantDataArray::getString(C, Text), ".name");
}

Constant *Table::array(ArrayRef<Constant *> Elements, const Twine &Name) {
  if (Elements.empty())
    return ConstantPointerNull::get(Pointer);
  auto *Type = ArrayType::get(Elements[0]->getType(), Elements.size());
  return internal(ConstantArray::get(Type, Elements), Name);
}

Constant *Table::kernel(const KernelInfo &K, Function *Entry) {
  static_assert(sizeof(cpu::Kernel) == 80 && sizeof(cpu::SharedVariable) == 16);
  SmallVector<Constant *> Sizes, Shared;
  for (uint32_t Size : K.ParamSizes)
    Sizes.push_back(number(Size));
  for (const KernelInfo::Shared &V : K.SharedVariables)
    Shared.push_back(ConstantStruct::getAnon({string(V.Name), number(V.Offset), number(V.Size)}));
  return ConstantStruct::getAnon({string(K.Name), Entry, number(K.StaticShared),
                                  number(K.ParamSizes.size()), array(Sizes, "param.sizes"),
                                  numbers(K.RequiredThreads), number(K.MaxThreads),
                                  numbers(K.ClusterDim), number(Shared.size()),
                                  array(Shared, "shared.variables"), number(K.GridInClusters)});
}

Constant *Table::variable(GlobalVariable &G) {
  static_assert(sizeof(cpu::Variable) == 40);
  uint64_t Size = M.getDataLayout().getTypeAllocSize(G.getValueType());
  bool IsConstant = G.getAddressSpace() == 4;
  return ConstantStruct::getAnon({string(G.getName()),
                                  string(demangle(withoutUnitSuffix(G.getName()))), flat(&G),
                                  ConstantInt::get(Type::getInt64Ty(C), Size), number(IsConstant),
                                  number(G.hasAttribute(ManagedAttribute))});
}

void Table::exportModule(ArrayRef<Constant *> Kernels, ArrayRef<Constant *> Variables,
                         ArrayRef<Constant *> SiteTables) {
  static_assert(sizeof(cpu::Module) == 40);
  Constant *Init = ConstantStruct::getAnon(
      {number(cpu::CpuAbiVersion), number(Kernels.size()), number(Variables.size()),
       number(SiteTables.size()), array(Kernels, "kernels"), array(Variables, "variables"),
       array(SiteTables, "site.tables")});
  new GlobalVariable(M, Init->getType(), true, GlobalValue::ExternalLinkage, Init,
                     cpu::ModuleExport);
}

/// Variables that the host may address: those of device and constant memory that have a name.
static bool isHostVisible(const GlobalVariable &G) {
  unsigned Space = G.getAddressSpace();
  return !G.isDeclaration() && (Space == 1 || Space == 4) && !G.hasPrivateLinkage() &&
         (G.isExternallyInitialized() || !G.hasLocalLinkage()) &&
         !G.getName().starts_with("llvm.") && !G.getName().starts_with("__scopesan_");
}

/// The pass's table of a translation unit; link() numbers those of several.
static bool isSiteTable(const GlobalVariable &G) {
  StringRef Rest = G.getName();
  return !G.isDeclaration() && Rest.consume_front(abi::ModuleSymbol) &&
         (Rest.empty() || Rest.starts_with("."));
}

/// Definitions get a suffix so that no device function can stand in for a library routine that the
/// code generator calls (memcpy, sinf). Demanglers show such a suffix as "(.dev)".
static void internalise(GlobalValue &G) {
  if (G.isDeclaration() || G.hasPrivateLinkage() || G.getName().starts_with("llvm."))
    return;
  G.setLinkage(GlobalValue::InternalLinkage);
  G.setDSOLocal(true);
  G.setName(G.getName() + ".dev");
}

void scopesan::retarget::addModuleTable(Module &M, MutableArrayRef<KernelInfo> Kernels,
                                        Statistics &S) {
  Table T(M);
  SmallVector<Constant *> KernelTable, VariableTable;
  for (GlobalVariable &G : M.globals()) {
    if (!isHostVisible(G))
      continue;
    G.setConstant(false);
    VariableTable.push_back(T.variable(G));
  }
  S.Variables = VariableTable.size();
  SmallVector<Constant *> SiteTables;
  for (GlobalVariable &G : M.globals())
    if (isSiteTable(G))
      SiteTables.push_back(T.flat(&G));
  for (GlobalVariable &G : M.globals())
    internalise(G);
  for (Function &F : M)
    if (!F.getName().starts_with("__trunc"))
      internalise(F);
  for (KernelInfo &K : Kernels) {
    KernelTable.push_back(T.kernel(K, createEntry(M, K)));
    S.StaticShared = std::max(S.StaticShared, K.StaticShared);
  }
  T.exportModule(KernelTable, VariableTable, SiteTables);
}

#include "SiteTable.h"

#include "AddressSpaces.h"
#include "Options.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace scopesan::pass {
namespace {

constexpr uint32_t NoFrame = ~0u;

Constant *number(LLVMContext &C, uint32_t V) { return ConstantInt::get(Type::getInt32Ty(C), V); }

/// A constant array of structs of i32 fields.
template <typename RecordT, typename FieldsT>
Constant *recordArray(LLVMContext &C, const std::vector<RecordT> &Records, FieldsT Fields) {
  std::vector<Type *> Types(sizeof(RecordT) / sizeof(uint32_t), Type::getInt32Ty(C));
  StructType *Record = StructType::get(C, Types);
  std::vector<Constant *> Rows;
  for (const RecordT &R : Records) {
    SmallVector<Constant *, 5> Row;
    for (uint32_t V : Fields(R))
      Row.push_back(number(C, V));
    Rows.push_back(ConstantStruct::get(Record, Row));
  }
  return ConstantArray::get(ArrayType::get(Record, Rows.size()), Rows);
}

/// Where a module's tables lie: global memory on the device, memory on the host.
unsigned tableSpace(const Module &M) {
  return M.getTargetTriple().isNVPTX() ? GlobalAddressSpace : GenericAddressSpace;
}

/// `G` as a generic pointer.
Constant *generic(GlobalVariable *G) {
  return ConstantExpr::getPointerBitCastOrAddrSpaceCast(
      G, PointerType::get(G->getContext(), GenericAddressSpace));
}

/// A private constant in global memory, as a generic pointer.
Constant *privateConstant(Module &M, Constant *Value) {
  auto *G = new GlobalVariable(M, Value->getType(), /*isConstant=*/true,
                               GlobalValue::InternalLinkage, Value, "__scopesan_table", nullptr,
                               GlobalValue::NotThreadLocal, tableSpace(M));
  G->setAlignment(Align(8));
  return generic(G);
}

} // namespace

bool isToolkitFile(StringRef Path) {
  for (const std::string &Folder : ToolkitFolders)
    if (Path.starts_with(Folder))
      return true;
  return Path.starts_with(SCOPESAN_CUDA_INCLUDE) || Path.contains("/include/cccl/") ||
         Path.contains("/scopesan/compat/") ||
         sys::path::filename(Path).starts_with("__clang_cuda_");
}

SiteTable::SiteTable() { string(""); }

uint32_t SiteTable::string(StringRef Text) {
  auto [It, New] = StringIndex.try_emplace(Text, uint32_t(Strings.size()));
  if (New) {
    Strings.insert(Strings.end(), Text.begin(), Text.end());
    Strings.push_back('\0');
  }
  return It->second;
}

uint32_t SiteTable::frame(const abi::Frame &F) {
  auto [It, New] =
      FrameIndex.try_emplace({F.file, F.func, F.line, F.column, F.parent}, uint32_t(Frames.size()));
  if (New)
    Frames.push_back(F);
  return It->second;
}

uint32_t SiteTable::functionName(const DISubprogram &Function) {
  auto [It, New] = FunctionNames.try_emplace(&Function, 0);
  if (New) {
    StringRef Mangled = Function.getLinkageName();
    It->second = string(Mangled.empty() ? Function.getName().str() : demangle(Mangled));
  }
  return It->second;
}

/// The path as the compiler saw it. Where clang split a common directory off an absolute path, that
/// directory differs from the compilation directory and belongs back in front.
static std::string pathOf(const DIFile *File, const DISubprogram &Function) {
  if (!File)
    return {};
  StringRef Name = File->getFilename(), Directory = File->getDirectory();
  const DICompileUnit *Unit = Function.getUnit();
  if (sys::path::is_absolute(Name) || Directory.empty() ||
      (Unit && Directory == Unit->getDirectory()))
    return Name.str();
  SmallString<256> Path(Directory);
  sys::path::append(Path, Name);
  return std::string(Path);
}

bool isToolkitFunction(const Function &F) {
  const DISubprogram *Subprogram = F.getSubprogram();
  return Subprogram && isToolkitFile(pathOf(Subprogram->getFile(), *Subprogram));
}

uint32_t SiteTable::frameOf(const DILocation &Location) {
  uint32_t Parent = NoFrame;
  if (const DILocation *CallSite = Location.getInlinedAt())
    Parent = frameOf(*CallSite);
  const DISubprogram &Function = *Location.getScope()->getSubprogram();
  return frame({string(pathOf(Location.getFile(), Function)), functionName(Function),
                Location.getLine(), Location.getColumn(), Parent});
}

/// An access that the optimizer merged out of several places has line 0: then the nearest place of
/// the same function that has a line, first one that uses the value, then what surrounds it.
static const DILocation *placeNear(const Instruction &I, const DILocation &Merged) {
  auto fits = [&](const Instruction *Other) -> const DILocation * {
    const DILocation *L = Other ? Other->getDebugLoc().get() : nullptr;
    bool Same = L && L->getLine() && L->getInlinedAt() == Merged.getInlinedAt() &&
                L->getScope()->getSubprogram() == Merged.getScope()->getSubprogram();
    return Same ? L : nullptr;
  };
  for (const User *U : I.users())
    if (const DILocation *L = fits(dyn_cast<Instruction>(U)))
      return L;
  for (const Instruction *N = I.getNextNode(); N; N = N->getNextNode())
    if (const DILocation *L = fits(N))
      return L;
  for (const Instruction *P = I.getPrevNode(); P; P = P->getPrevNode())
    if (const DILocation *L = fits(P))
      return L;
  return &Merged;
}

uint32_t SiteTable::frameOf(const Instruction &I) {
  if (const DILocation *Location = I.getDebugLoc())
    return frameOf(Location->getLine() ? *Location : *placeNear(I, *Location));
  const Function &F = *I.getFunction();
  if (const DISubprogram *S = F.getSubprogram())
    return frame({string(pathOf(S->getFile(), *S)), functionName(*S), S->getLine(), 0, NoFrame});
  return frame({0, string(demangle(F.getName())), 0, 0, NoFrame});
}

uint32_t SiteTable::add(const Instruction &I, abi::Op Op, uint32_t Bytes, StringRef Text) {
  uint32_t F = frameOf(I);
  if (isToolkitFile(&Strings[Frames[F].file]))
    Op = Op.with(abi::Op::ToolkitBit);
  Sites.push_back({F, Op.raw(), Bytes, string(Text)});
  return uint32_t(Sites.size() - 1);
}

void SiteTable::addKernel(StringRef Symbol, gpu::KernelMode Mode, uint32_t FirstSite,
                          uint32_t Flags, uint32_t Elided) {
  Kernels.push_back(
      {string(Symbol), uint32_t(Mode) | Elided << gpu::ElidedShift, FirstSite, Flags});
}

void SiteTable::emit(Module &M, GlobalVariable &SiteBase) const {
  LLVMContext &C = M.getContext();
  using Values = SmallVector<uint32_t, 5>;
  Constant *SiteRows = recordArray(
      C, Sites, [](const abi::Site &S) { return Values{S.frame, S.op, S.bytes, S.text}; });
  Constant *FrameRows = recordArray(C, Frames, [](const abi::Frame &F) {
    return Values{F.file, F.func, F.line, F.column, F.parent};
  });
  Constant *Text =
      ConstantDataArray::getString(C, StringRef(Strings.data(), Strings.size()), /*AddNull=*/false);
  Constant *Fields[] = {number(C, abi::Version),
                        number(C, uint32_t(Sites.size())),
                        number(C, uint32_t(Frames.size())),
                        number(C, uint32_t(Strings.size())),
                        privateConstant(M, SiteRows),
                        privateConstant(M, FrameRows),
                        privateConstant(M, Text),
                        generic(&SiteBase)};
  Constant *Value = ConstantStruct::getAnon(Fields);
  auto *G = new GlobalVariable(M, Value->getType(), /*isConstant=*/true,
                               GlobalValue::ExternalLinkage, Value, abi::ModuleSymbol, nullptr,
                               GlobalValue::NotThreadLocal, tableSpace(M));
  G->setAlignment(Align(8));
}

std::vector<char> SiteTable::serialise() const {
  std::vector<char> Body;
  auto Append = [&](const void *Data, size_t Size) {
    Body.insert(Body.end(), static_cast<const char *>(Data),
                static_cast<const char *>(Data) + Size);
  };
  Append(Sites.data(), Sites.size() * sizeof(abi::Site));
  Append(Frames.data(), Frames.size() * sizeof(abi::Frame));
  Append(Kernels.data(), Kernels.size() * sizeof(gpu::Kernel));
  Append(Strings.data(), Strings.size());

  gpu::SiteBlob Header{};
  std::string Magic = std::string(gpu::SiteMagicHead) + gpu::SiteMagicTail;
  assert(Magic.size() == sizeof(Header.magic));
  std::copy(Magic.begin(), Magic.end(), Header.magic);
  Header.version = abi::Version;
  Header.siteCount = uint32_t(Sites.size());
  Header.frameCount = uint32_t(Frames.size());
  Header.stringBytes = uint32_t(Strings.size());
  Header.kernelCount = uint32_t(Kernels.size());
  Header.flags = Host ? gpu::HostCode : 0;
  Header.size = Body.size();
  Header.hash = fnv1a(StringRef(Body.data(), Body.size()));
  const char *H = reinterpret_cast<const char *>(&Header);
  Body.insert(Body.begin(), H, H + sizeof(Header));
  return Body;
}

uint64_t fnv1a(StringRef Bytes) {
  uint64_t Hash = 0xcbf29ce484222325;
  for (unsigned char C : Bytes)
    Hash = (Hash ^ C) * 0x100000001b3;
  return Hash;
}

} // namespace scopesan::pass

#include "LinkRuntime.h"

#include "AddressSpaces.h"
#include "Options.h"
#include "SiteTable.h"

#include "scopesan/gpu_abi.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <dlfcn.h>

using namespace llvm;

namespace scopesan::pass {
namespace {

/// Clusters exist from compute capability 9.0 on.
bool mayHaveClusters(const Module &M) {
  for (const Function &F : M)
    if (unsigned Version = computeCapability(F))
      return Version >= 90;
  return false;
}

std::string runtimePath(const Module &For) {
  if (!DeviceRuntime.empty())
    return DeviceRuntime;
  Dl_info Info{};
  if (!dladdr(reinterpret_cast<void *>(&linkDeviceRuntime), &Info) || !Info.dli_fname)
    return {};
  SmallString<128> Path = sys::path::parent_path(Info.dli_fname);
  sys::path::append(Path, mayHaveClusters(For) ? "scopesan_device_sm90.bc" : "scopesan_device.bc");
  return Path.str().str();
}

void capRegisters(Module &M) {
  for (Function &F : M)
    if (F.getCallingConv() == CallingConv::PTX_Kernel && !F.hasFnAttribute("nvvm.maxntid") &&
        !F.hasFnAttribute("nvvm.reqntid") && !F.hasFnAttribute("nvvm.maxnreg"))
      F.addFnAttr("nvvm.maxnreg", utostr(GpuRegisters));
}

} // namespace

unsigned computeCapability(const Function &F) {
  StringRef Cpu = F.getFnAttribute("target-cpu").getValueAsString();
  unsigned Version;
  return Cpu.consume_front("sm_") && !Cpu.consumeInteger(10, Version) ? Version : 0;
}

void embedSites(const SiteTable &Sites, GlobalVariable &SiteBase, Module &M) {
  std::vector<char> Bytes = Sites.serialise();
  gpu::SiteBlob Header;
  std::copy_n(Bytes.data(), sizeof(Header), reinterpret_cast<char *>(&Header));
  std::string Suffix = utohexstr(Header.hash, /*LowerCase=*/true, 16);
  SiteBase.setName(Twine(gpu::SiteBasePrefix) + Suffix);
  // Equal tables of several units are one table: both may be merged.
  SiteBase.setLinkage(GlobalValue::WeakODRLinkage);
  Constant *Data = ConstantDataArray::getString(
      M.getContext(), StringRef(Bytes.data(), Bytes.size()), /*AddNull=*/false);
  auto *G = new GlobalVariable(M, Data->getType(), /*isConstant=*/true, GlobalValue::WeakODRLinkage,
                               Data, "__scopesan_gpu_sites_" + Suffix, nullptr,
                               GlobalValue::NotThreadLocal, GlobalAddressSpace);
  G->setAlignment(Align(8));
  appendToUsed(M, {G, &SiteBase});
}

std::unique_ptr<Module> readDeviceRuntime(Module &For, std::string &Problem) {
  std::string Path = runtimePath(For);
  if (Path.empty() || !sys::fs::exists(Path))
    return nullptr;
  SMDiagnostic Error;
  std::unique_ptr<Module> Runtime = parseIRFile(Path, Error, For.getContext());
  if (!Runtime) {
    Problem = "cannot read '" + Path + "': " + Error.getMessage().str();
    return nullptr;
  }
  Runtime->setDataLayout(For.getDataLayout());
  Runtime->setTargetTriple(For.getTargetTriple());
  return Runtime;
}

void linkDeviceRuntime(std::unique_ptr<Module> Runtime, Module &M) {
  SmallVector<std::string, 16> Names;
  for (Function &F : *Runtime)
    if (!F.isDeclaration()) {
      Names.push_back(F.getName().str());
      F.removeFnAttr("target-cpu");
      F.removeFnAttr("target-features");
      F.removeFnAttr("frame-pointer");
    }
  // The program's own module flags and used lists are what counts.
  if (NamedMDNode *Flags = Runtime->getModuleFlagsMetadata())
    Runtime->eraseNamedMetadata(Flags);
  for (const char *List : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *G = Runtime->getNamedGlobal(List))
      G->eraseFromParent();
  if (Linker::linkModules(M, std::move(Runtime), Linker::LinkOnlyNeeded))
    report_fatal_error("ScopeSan: the device runtime cannot be linked; rebuild ScopeSan, or use "
                       "-mllvm -scopesan-gpu=0");
  for (const std::string &Name : Names)
    if (Function *F = M.getFunction(Name); F && !F->isDeclaration())
      F->setLinkage(GlobalValue::InternalLinkage);
  if (GlobalVariable *State = M.getNamedGlobal(gpu::StateSymbol)) {
    State->setLinkage(GlobalValue::WeakODRLinkage);
    appendToUsed(M, {State});
  }
  capRegisters(M);
}

} // namespace scopesan::pass

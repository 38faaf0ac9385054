#include "Compiler.h"
#include "Linker.h"

#include "scopesan/abi.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <chrono>

using namespace llvm;
using namespace scopesan;
using codegen::Compiler;

namespace {

/// Adds the time until its destruction to a field of Timing.
class Stopwatch {
public:
  explicit Stopwatch(double &Milliseconds) : Milliseconds(Milliseconds) {}
  ~Stopwatch() {
    std::chrono::duration<double, std::milli> Elapsed = Clock::now() - Start;
    Milliseconds += Elapsed.count();
  }

private:
  using Clock = std::chrono::steady_clock;
  double &Milliseconds;
  Clock::time_point Start = Clock::now();
};

} // namespace

/// A level, not the exact CPU: results and cache entries are the same on similar machines.
static std::string targetCpu(const Triple &T) {
  if (T.getArch() != Triple::x86_64)
    return "generic";
  StringMap<bool> Has = sys::getHostCPUFeatures();
  bool V3 = Has.lookup("avx2") && Has.lookup("fma") && Has.lookup("bmi2") && Has.lookup("f16c");
  return V3 ? "x86-64-v3" : "x86-64-v2";
}

Expected<Compiler> Compiler::create(unsigned Level) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  Triple Host(sys::getProcessTriple());
  std::string Message;
  const Target *T = TargetRegistry::lookupTarget(Host, Message);
  if (!T)
    return createStringError("LLVM cannot generate code for this machine: " + Message);
  TargetOptions Options;
  Options.TrapUnreachable = true;
  Options.NoTrapAfterNoreturn = true;
  std::unique_ptr<TargetMachine> TM(T->createTargetMachine(
      Host, targetCpu(Host), "", Options, Reloc::PIC_, CodeModel::Small, CodeGenOptLevel::Default));
  return Compiler(std::move(TM), Level);
}

std::string Compiler::identity() const {
  return (TM->getTargetTriple().str() + " " + TM->getTargetCPU() + " O" + Twine(Level) +
          " LLVM " LLVM_VERSION_STRING)
      .str();
}

static Expected<std::unique_ptr<Module>> read(MemoryBufferRef Input, LLVMContext &Context) {
  SMDiagnostic Diagnostic;
  if (std::unique_ptr<Module> M = parseIR(Input, Diagnostic, Context))
    return M;
  return createStringError("'" + Input.getBufferIdentifier() +
                           "' is not readable as device code: " + Diagnostic.getMessage());
}

/// Every unit keeps its own site table and first site.
static void numberSites(Module &M, size_t Unit) {
  for (StringRef Name : {abi::ModuleSymbol, abi::SiteBaseSymbol})
    if (GlobalVariable *G = M.getNamedGlobal(Name))
      G->setName(Name + "." + Twine(Unit));
}

/// LLVM's linker reports through the context, whose default is to end the process.
static void keepMessage(const DiagnosticInfo *Info, void *Text) {
  raw_string_ostream Stream(*static_cast<std::string *>(Text));
  DiagnosticPrinterRawOStream Printer(Stream);
  Info->print(Printer);
}

/// What nvlink does with the units of an image that was compiled with -fgpu-rdc.
static Expected<std::unique_ptr<Module>> readAndLink(ArrayRef<MemoryBufferRef> Inputs,
                                                     LLVMContext &Context) {
  Expected<std::unique_ptr<Module>> First = read(Inputs[0], Context);
  if (!First || Inputs.size() == 1)
    return First;
  numberSites(**First, 0);
  std::string Why;
  Context.setDiagnosticHandlerCallBack(keepMessage, &Why);
  scope_exit Reset([&] { Context.setDiagnosticHandlerCallBack(nullptr, nullptr); });
  Linker Link(**First);
  for (size_t Unit = 1; Unit < Inputs.size(); ++Unit) {
    Expected<std::unique_ptr<Module>> Next = read(Inputs[Unit], Context);
    if (!Next)
      return Next.takeError();
    numberSites(**Next, Unit);
    // Units may differ in what was decided before (fast maths); nothing below reads the flags.
    if (NamedMDNode *Flags = (*Next)->getModuleFlagsMetadata())
      (*Next)->eraseNamedMetadata(Flags);
    std::string Name = (*Next)->getSourceFileName();
    if (Link.linkInModule(std::move(*Next)))
      return createStringError("the device code of '" + Name +
                               "' cannot be linked with the other units of its image: " + Why);
  }
  return First;
}

Expected<std::unique_ptr<Module>> Compiler::retarget(ArrayRef<MemoryBufferRef> Inputs,
                                                     LLVMContext &Context) {
  std::unique_ptr<Module> M;
  {
    Stopwatch Watch(Times.Read);
    Expected<std::unique_ptr<Module>> Linked = readAndLink(Inputs, Context);
    if (!Linked)
      return Linked.takeError();
    M = std::move(*Linked);
  }
  Stopwatch Watch(Times.Retarget);
  retarget::Options O;
  O.Triple = TM->getTargetTriple().str();
  O.DataLayout = TM->createDataLayout().getStringRepresentation();
  O.Cpu = TM->getTargetCPU();
  Expected<retarget::Statistics> S = retarget::retarget(*M, O);
  if (!S)
    return S.takeError();
  Stats = *S;
  if (NamedMDNode *Flags = M->getNamedMetadata("llvm.module.flags"))
    M->eraseNamedMetadata(Flags);
  M->setPICLevel(PICLevel::BigPIC);
  return M;
}

// What most shortens the code: device code arrives optimised, the retargeting adds allocas (inline
// PTX), repeated loads of the thread context and wrappers.
static constexpr StringRef LightPipeline =
    "globaldce,always-inline,function(sroa,early-cse,simplifycfg,"
    "instcombine<no-verify-fixpoint>,simplifycfg),globaldce";

void Compiler::optimise(Module &M) {
  Stopwatch Watch(Times.Optimise);
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB(TM.get());
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  ModulePassManager Passes;
  if (Level == 1)
    cantFail(PB.parsePassPipeline(Passes, LightPipeline));
  else
    Passes = Level == 0 ? PB.buildO0DefaultPipeline(OptimizationLevel::O0)
                        : PB.buildPerModuleDefaultPipeline(OptimizationLevel::O2);
  Passes.run(M, MAM);
}

/// Optimised code generation costs 1 s for 45,000 instructions, six times the fast one. Its code is
/// no faster to run while the detector takes most of the time, but its stack frames are far
/// smaller, so only modules with many kernels go without it.
static constexpr unsigned FastCodeGenFrom = 20000;

static CodeGenOptLevel codeGenLevel(unsigned Level, const Module &M) {
  if (Level == 2)
    return CodeGenOptLevel::Default;
  bool Fast = Level == 0 || M.getInstructionCount() >= FastCodeGenFrom;
  return Fast ? CodeGenOptLevel::None : CodeGenOptLevel::Less;
}

Expected<SmallVector<char, 0>> Compiler::emitObject(Module &M) {
  Stopwatch Watch(Times.Emit);
  TM->setOptLevel(codeGenLevel(Level, M));
  SmallVector<char, 0> Object;
  raw_svector_ostream Stream(Object);
  legacy::PassManager Passes;
  if (TM->addPassesToEmitFile(Passes, Stream, nullptr, CodeGenFileType::ObjectFile))
    return createStringError("LLVM cannot emit object files for " + TM->getTargetTriple().str());
  Passes.run(M);
  return Object;
}

Error Compiler::link(ArrayRef<char> Object, StringRef Output) {
  Stopwatch Watch(Times.Link);
  return linkLibrary(Object, Output);
}

// Entry point of the plugin. In clang: what clang left unfinished and marks at pipeline start,
// everything else at OptimizerLast, which also runs at -O0. In opt: passes scopesan, scopesan-mark,
// scopesan-normalise, scopesan-instrument and scopesan-host for tests.
#include "Externalised.h"
#include "GpuMode.h"
#include "HostCode.h"
#include "Instrument.h"
#include "KernelAttributes.h"
#include "LinkRuntime.h"
#include "Managed.h"
#include "Normalise.h"
#include "Options.h"
#include "Snapshot.h"
#include "ToolkitInline.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace scopesan::pass {
namespace {

bool isOurs(const Module &M) { return Enable && M.getTargetTriple().isNVPTX(); }

bool isHost(const Module &M) { return Enable && M.getTargetTriple().isX86_64(); }

/// clang runs without the verifier. Returns what is wrong with `M`, empty if nothing is.
std::string problemOf(const Module &M) {
  std::string Problem;
  raw_string_ostream OS(Problem);
  verifyModule(M, &OS);
  return Problem;
}

void writeText(const Module &M, StringRef Path) {
  std::error_code Failure;
  raw_fd_ostream OS(Path, Failure, sys::fs::OF_Text);
  if (Failure)
    report_fatal_error("ScopeSan: cannot write '" + Path + "': " + Failure.message());
  M.print(OS, nullptr);
}

struct MarkPass : PassInfoMixin<MarkPass> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (!M.getTargetTriple().isNVPTX()) {
      redirectManagedVariables(M);
      return PreservedAnalyses::none();
    }
    // Not a matter of instrumentation: without these the program means something else.
    joinExternalised(M);
    applyKernelAttributes(M);
    markManagedVariables(M);
    if (isOurs(M)) {
      markWrittenCompareExchanges(M);
      inlineToolkitFunctions(M);
      if (GpuMode == "mixed")
        markGridBarriers(M);
    }
    return PreservedAnalyses::none();
  }
};

struct NormalisePass : PassInfoMixin<NormalisePass> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (!isOurs(M))
      return PreservedAnalyses::all();
    joinExternalised(M);
    markWrittenCompareExchanges(M);
    normaliseCompareExchanges(M);
    normaliseReadModifyWrites(M);
    defineMissingFunctions(M);
    return PreservedAnalyses::none();
  }
};

struct InstrumentPass : PassInfoMixin<InstrumentPass> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (!isOurs(M))
      return PreservedAnalyses::all();
    instrument(M);
    if (std::string Problem = problemOf(M); !Problem.empty())
      report_fatal_error("ScopeSan: broken instrumented module: " + Twine(Problem));
    return PreservedAnalyses::none();
  }
};

struct HostPass : PassInfoMixin<HostPass> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    instrumentHost(M);
    if (std::string Problem = problemOf(M); !Problem.empty())
      report_fatal_error("ScopeSan: broken instrumented module: " + Twine(Problem));
    return PreservedAnalyses::none();
  }
};

/// The module's own code, instrumented for the GPU backend. True when that was done.
bool instrumentOwnCode(Module &M, ModuleAnalysisManager &MAM) {
  if (!Gpu || !Check)
    return false;
  std::string Problem;
  std::unique_ptr<Module> Runtime = readDeviceRuntime(M, Problem);
  if (!Runtime) {
    if (!Problem.empty())
      errs() << M.getSourceFileName()
             << ": warning: ScopeSan: code for the GPU stays plain: " << Problem << '\n';
    return false;
  }
  normaliseReadModifyWrites(M); // the back end emits the same for both forms
  // The runtime for older architectures has no fast form.
  KernelPlans Plans =
      Runtime->getFunction("__scopesan_fast_enter") ? planKernels(M, MAM) : KernelPlans();
  instrumentForGpu(M, Plans);
  linkDeviceRuntime(std::move(Runtime), M);
  finishKernels(M, Plans, MAM);
  if (std::string Broken = problemOf(M); !Broken.empty())
    report_fatal_error("ScopeSan: broken instrumented module (compile with -mllvm "
                       "-scopesan-gpu=0 and please report this): " +
                       Twine(Broken));
  return true;
}

/// The device job: instrumented code for the GPU, and an instrumented copy of the normalised
/// original as a snapshot inside it.
struct ScopeSanPass : PassInfoMixin<ScopeSanPass> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (isHost(M)) {
      Host ? instrumentHost(M) : markPlainHost(M);
      return PreservedAnalyses::none();
    }
    if (!isOurs(M))
      return PreservedAnalyses::all();
    normaliseCompareExchanges(M);
    defineMissingFunctions(M);
    std::unique_ptr<Module> Copy = CloneModule(M);
    normaliseReadModifyWrites(*Copy);
    instrument(*Copy);
    if (!EmitInstrumented.empty())
      writeText(*Copy, EmitInstrumented);
    instrumentOwnCode(M, MAM);
    // A build that works without the plugin works with it: the runtime reports a module without a
    // snapshot as X1.
    if (std::string Problem = problemOf(*Copy); Problem.empty())
      embedSnapshot(*Copy, M);
    else
      errs() << M.getSourceFileName()
             << ": warning: ScopeSan: module left without instrumentation, please report this: "
             << Problem << '\n';
    return PreservedAnalyses::none();
  }
};

/// Where the optimizer merges accesses of two branches it would drop their line; a report needs
/// one. Set as if the option had been given to the back end.
void keepMergedLines() {
  auto &Options = cl::getRegisteredOptions();
  auto It = Options.find("pick-merged-source-locations");
  if (It != Options.end() && It->second->getNumOccurrences() == 0)
    It->second->addOccurrence(0, It->second->ArgStr, "true");
}

void registerPasses(PassBuilder &PB) {
  keepMergedLines();
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(MarkPass()); });
  PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel,
                                        ThinOrFullLTOPhase) { MPM.addPass(ScopeSanPass()); });
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == "scopesan")
          MPM.addPass(ScopeSanPass());
        else if (Name == "scopesan-normalise")
          MPM.addPass(NormalisePass());
        else if (Name == "scopesan-instrument")
          MPM.addPass(InstrumentPass());
        else if (Name == "scopesan-mark")
          MPM.addPass(MarkPass());
        else if (Name == "scopesan-host")
          MPM.addPass(HostPass());
        else
          return false;
        return true;
      });
}

} // namespace
} // namespace scopesan::pass

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "ScopeSan", "0.1.0", scopesan::pass::registerPasses};
}

#include "Retarget.h"
#include "Steps.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace scopesan::retarget;

static Error failure(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

Expected<Statistics> scopesan::retarget::retarget(Module &M, const Options &O) {
  if (!M.getTargetTriple().isNVPTX())
    return failure("'" + M.getModuleIdentifier() + "' is for '" + M.getTargetTriple().str() +
                   "', not for nvptx64: only device bitcode can run on the CPU backend");

  Statistics S;
  Engine E(M);
  // The site table holds what reports need; line tables would only slow code generation.
  StripDebugInfo(M);
  M.setTargetTriple(Triple(O.Triple));
  M.setDataLayout(O.DataLayout);
  SmallVector<KernelInfo, 0> Kernels = findKernels(M);
  normalise(M);
  lowerIntrinsics(M, E, S);
  lowerInlineAsm(M, E, S);
  yieldInEndlessLoops(M, E);
  lowerAtomics(M);
  layOutShared(M, E, Kernels);
  if (Error Err = linkSupport(M))
    return Err;
  closeModule(M, E);
  addModuleTable(M, Kernels, S);
  S.Kernels = Kernels.size();
  S.Unsupported = E.unsupportedCount();
  for (Function &F : M)
    if (!F.isDeclaration())
      F.addFnAttr("target-cpu", O.Cpu);

  std::string Message;
  raw_string_ostream Stream(Message);
  if (verifyModule(M, &Stream))
    return failure("retargeted code of '" + M.getModuleIdentifier() +
                   "' is malformed (a ScopeSan bug): " + Message);
  return S;
}

// Which kernels take a fast form on the GPU (gpu_abi.h, KernelMode), and what makes them ready.
#pragma once

#include "PhaseElision.h"
#include "SharedFrame.h"

#include "scopesan/gpu_abi.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
class Module;
class Value;
} // namespace llvm

namespace scopesan::pass {

struct KernelPlan {
  gpu::KernelMode Mode = gpu::KernelMode::Logged;
  bool CallsHooks = false;     ///< they are not inlined
  uint32_t Flags = 0;          ///< of gpu::Kernel
  bool TrustsBarriers = false; ///< FastTrustsBarriers
  SharedFrame Frame;           ///< of a kernel whose shared memory has its cells beside it
  PhaseElision Elided;
  /// Places that are not checked.
  uint32_t elided() const { return uint32_t(Elided.Always.size() + Elided.If.size()); }
};
using KernelPlans = llvm::DenseMap<llvm::Function *, KernelPlan>;

/// Chooses the mode of every kernel of `M` and inlines all calls of the fast ones, so that what a
/// thread keeps stays in its registers. A kernel that is not in the result is Logged.
KernelPlans planKernels(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);

/// Runs the clean-up that turns the state of fast kernels into registers. After linking the device
/// runtime.
void finishKernels(llvm::Module &M, const KernelPlans &Plans, llvm::ModuleAnalysisManager &MAM);

/// Window that a generic address is known to lie in: global or shared memory, or 0.
using Window = gpu::FastWindow;
Window windowOf(const llvm::Value *Pointer);

} // namespace scopesan::pass

// The steps of retargeting, in the order in which Lower.cpp runs them.
#pragma once

#include "Engine.h"
#include "Retarget.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

namespace scopesan::retarget {

/// A kernel and what the host needs to know about it.
struct KernelInfo {
  llvm::Function *Function;
  std::string Name; ///< as registered
  uint32_t RequiredThreads[3] = {0, 0, 0};
  uint32_t MaxThreads = 0;
  uint32_t ClusterDim[3] = {0, 0, 0};
  bool GridInClusters = false;
  llvm::SmallVector<uint32_t> ParamSizes;
  llvm::SmallVector<bool> ByAddress; ///< parameters that the kernel takes the address of

  struct Shared {
    std::string Name; ///< demangled
    uint32_t Offset;
    uint32_t Size;
  };
  uint64_t StaticShared = 0;
  llvm::SmallVector<Shared, 4> SharedVariables;
};

/// On __managed__ variables after normalise().
inline constexpr const char ManagedAttribute[] = "scopesan-managed";

/// Finds the kernels, reads their launch attributes and settles how parameters are passed. Before
/// normalise(), which drops what this reads.
llvm::SmallVector<KernelInfo, 0> findKernels(llvm::Module &M);

/// Makes the module plain IR but for shared variables, intrinsics and inline PTX: attributes,
/// calling conventions, linkage, comdats, names of the device runtime.
void normalise(llvm::Module &M);

/// Gives every shared variable an offset from the block's shared memory, the same in all kernels
/// that reach it, and rewrites its uses. Fills the kernels' StaticShared and SharedVariables.
void layOutShared(llvm::Module &M, Engine &E, llvm::MutableArrayRef<KernelInfo> Kernels);

/// Loads, stores, fences and read-modify-writes as x86-64 can do them.
void lowerAtomics(llvm::Module &M);

/// Lowers calls of NVVM intrinsics and of the device runtime.
void lowerIntrinsics(llvm::Module &M, Engine &E, Statistics &S);

/// Lowers inline PTX.
void lowerInlineAsm(llvm::Module &M, Engine &E, Statistics &S);

/// Lets other threads run in loops that may never end and switch nowhere else. After the lowering
/// of intrinsics and inline PTX.
void yieldInEndlessLoops(llvm::Module &M, Engine &E);

/// Links the functions of support/ that the module uses.
llvm::Error linkSupport(llvm::Module &M);

/// Gives undefined device functions and variables a body, so that the library always loads.
void closeModule(llvm::Module &M, Engine &E);

/// Adds the entry wrappers and `scopesan_cpu_module`; makes everything else internal.
void addModuleTable(llvm::Module &M, llvm::MutableArrayRef<KernelInfo> Kernels, Statistics &S);

} // namespace scopesan::retarget

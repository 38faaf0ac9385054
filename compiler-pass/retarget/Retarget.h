// Turns an (instrumented) NVPTX module into an x86-64 module for the CPU backend. The contract with
// the engine that loads the result is runtime/cpu/cpu_abi.h.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace scopesan::retarget {

struct Options {
  /// Target triple and data layout of the output.
  std::string Triple;
  std::string DataLayout;
  /// "target-cpu" attribute of every function.
  std::string Cpu;
};

struct Statistics {
  unsigned Kernels = 0;
  unsigned Variables = 0;
  unsigned Intrinsics = 0;   ///< NVVM intrinsic calls lowered
  unsigned InlineAsm = 0;    ///< inline PTX statements lowered
  unsigned Unsupported = 0;  ///< calls of __scopesan_cpu_unsupported emitted
  uint64_t StaticShared = 0; ///< bytes, largest kernel, reserved area included
};

/// Rewrites `M` in place. Operations that the CPU backend cannot execute become calls of
/// __scopesan_cpu_unsupported; they never fail the module. Fails when `M` is no NVPTX module or
/// when the result does not verify.
llvm::Expected<Statistics> retarget(llvm::Module &M, const Options &O);

} // namespace scopesan::retarget

// Emits uses of the CPU engine's contract (runtime/cpu/cpu_abi.h) and of the support library.
#pragma once

#include "cpu_abi.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace scopesan::retarget {

/// Result of a warp rendezvous. `Predicate` is null unless it was asked for.
struct WarpResult {
  llvm::Value *Value;     ///< i64
  llvm::Value *Predicate; ///< i1
};

class Engine {
public:
  explicit Engine(llvm::Module &M) : M(M) {}

  /// Calls the engine function `Name`; the signature follows from the arguments. The caller is
  /// responsible for agreeing with cpu_abi.h.
  llvm::CallInst *call(llvm::IRBuilder<> &B, llvm::StringRef Name, llvm::Type *Result,
                       llvm::ArrayRef<llvm::Value *> Args);
  /// As call(), for the functions that do not return.
  llvm::CallInst *callNoReturn(llvm::IRBuilder<> &B, llvm::StringRef Name,
                               llvm::ArrayRef<llvm::Value *> Args);
  /// Calls a pure function of compiler-pass/retarget/support (name without its prefix).
  llvm::CallInst *support(llvm::IRBuilder<> &B, llvm::StringRef Name, llvm::Type *Result,
                          llvm::ArrayRef<llvm::Value *> Args);
  /// Stops the kernel when this point is reached. Code after it is dead.
  void unsupported(llvm::IRBuilder<> &B, const llvm::Twine &Text);

  /// The start of the block's shared memory.
  llvm::Value *sharedBase(llvm::IRBuilder<> &B);
  /// The value of a PTX special register, `Name` without '%' and with '.' or '_' between words; i32
  /// or i64. Null when there is no such register.
  llvm::Value *specialRegister(llvm::IRBuilder<> &B, llvm::StringRef Name);

  WarpResult warp(llvm::IRBuilder<> &B, cpu::WarpOp Op, llvm::Value *Mask, llvm::Value *V,
                  llvm::Value *Second = nullptr, llvm::Value *Third = nullptr,
                  bool WantPredicate = false);
  /// The lanes that execute this point together.
  llvm::Value *activeMask(llvm::IRBuilder<> &B);
  llvm::Value *barrierSync(llvm::IRBuilder<> &B, llvm::Value *Id, llvm::Value *Count,
                           uint32_t Reduction = 0, llvm::Value *Predicate = nullptr);
  void barrierArrive(llvm::IRBuilder<> &B, llvm::Value *Id, llvm::Value *Count);
  void yield(llvm::IRBuilder<> &B);
  llvm::Value *isSpace(llvm::IRBuilder<> &B, llvm::Value *Pointer, abi::Space S);
  llvm::Value *isParameter(llvm::IRBuilder<> &B, llvm::Value *Pointer);

  unsigned unsupportedCount() const { return Unsupported; }
  llvm::Module &module() { return M; }

private:
  llvm::Value *contextField(llvm::IRBuilder<> &B, uint64_t Offset, llvm::Type *T);
  llvm::Value *laneMask(llvm::IRBuilder<> &B, llvm::StringRef Relation);

  llvm::Module &M;
  unsigned Unsupported = 0;
  uint32_t NextSite = 1;
};

} // namespace scopesan::retarget

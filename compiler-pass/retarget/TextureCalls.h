// Calls of the engine's texture and surface functions.
#pragma once

#include "Arith.h"

#include "scopesan/texture_form.h"

#include "llvm/IR/Instructions.h"

namespace scopesan::retarget {

class TextureCalls {
public:
  TextureCalls(Engine &E, llvm::IRBuilder<> &B, Arith &A) : E(E), B(B), A(A) {}

  /// Type of one value that is read or written.
  llvm::Type *element(const abi::TextureForm &F);
  llvm::SmallVector<llvm::Value *> read(const abi::TextureForm &F, llvm::Value *Object,
                                        llvm::ArrayRef<llvm::Value *> Coordinates);
  void write(const abi::TextureForm &F, llvm::Value *Object,
             llvm::ArrayRef<llvm::Value *> Coordinates, llvm::ArrayRef<llvm::Value *> Values);

private:
  llvm::AllocaInst *slot(llvm::Type *Of, unsigned Count);
  /// The values side by side in memory.
  llvm::Value *pack(llvm::ArrayRef<llvm::Value *> Values, llvm::Type *As);

  Engine &E;
  llvm::IRBuilder<> &B;
  Arith &A;
};

} // namespace scopesan::retarget

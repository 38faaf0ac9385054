// ldmatrix and stmatrix of 8x8 matrices of 16-bit elements (PTX ISA 9.7.15.5.15 and .16).
#pragma once

#include "Engine.h"

namespace scopesan::retarget {

struct MatrixShape {
  unsigned Number = 0; ///< of matrices: 1, 2 or 4
  bool Transposed = false;
};

/// The calling lane's 32-bit fragment of each matrix. Lane 8m + r gives the address of row r of
/// matrix m in `Row` (i64).
llvm::SmallVector<llvm::Value *, 4> loadMatrices(Engine &E, llvm::IRBuilder<> &B, MatrixShape S,
                                                 llvm::Value *Row);
void storeMatrices(Engine &E, llvm::IRBuilder<> &B, MatrixShape S, llvm::Value *Row,
                   llvm::ArrayRef<llvm::Value *> Fragments);

} // namespace scopesan::retarget

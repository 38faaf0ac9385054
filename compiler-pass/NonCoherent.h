// Which loads the back end turns into ld.global.nc (O6).
#pragma once

namespace llvm {
class LoadInst;
class MemTransferInst;
class Value;
} // namespace llvm

namespace scopesan::pass {

/// The rules of NVPTXLowerArgs, InferAddressSpaces, NVPTXTagInvariantLoads and the selection of
/// ldg.
bool isNonCoherent(const llvm::LoadInst &L);

/// Object that the back end knows to lie in global memory, wherever its address is generic.
bool isKnownGlobal(const llvm::Value *Object);

/// Does the loop that the copy becomes read its source so? Short copies stay coherent.
bool isNonCoherent(const llvm::MemTransferInst &C);

} // namespace scopesan::pass

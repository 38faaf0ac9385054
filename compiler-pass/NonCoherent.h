// Which loads the back end turns into ld.global.nc (O6).
#pragma once

namespace llvm {
class LoadInst;
class MemTransferInst;
} // namespace llvm

namespace scopesan::pass {

/// The rules of NVPTXLowerArgs, InferAddressSpaces, NVPTXTagInvariantLoads and the selection of
/// ldg.
bool isNonCoherent(const llvm::LoadInst &L);

/// Does the loop that the copy becomes read its source so? Short copies stay coherent.
bool isNonCoherent(const llvm::MemTransferInst &C);

} // namespace scopesan::pass

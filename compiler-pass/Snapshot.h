// The bitcode snapshot that device code carries (abi::SnapshotHeader).
#pragma once

namespace llvm {
class Module;
}

namespace scopesan::pass {

/// Embeds the bitcode of `Instrumented` in `Target` as `__scopesan_snapshot_<hash>`.
void embedSnapshot(const llvm::Module &Instrumented, llvm::Module &Target);

} // namespace scopesan::pass

// The module's own code for the GPU: its site table and the device runtime.
#pragma once

#include <memory>
#include <string>

namespace llvm {
class Function;
class GlobalVariable;
class Module;
} // namespace llvm

namespace scopesan::pass {

class SiteTable;

/// Embeds the site table where the host finds it (gpu::SiteBlob), and gives the module's site base
/// a name that tells which table it belongs to.
void embedSites(const SiteTable &Sites, llvm::GlobalVariable &SiteBase, llvm::Module &M);

/// That `F` is compiled for, 90 for sm_90 and sm_90a; 0 = not known.
unsigned computeCapability(const llvm::Function &F);

/// Reads the device runtime's bitcode. Null when there is none, with the reason in `Problem` if a
/// file exists but is unusable.
std::unique_ptr<llvm::Module> readDeviceRuntime(llvm::Module &For, std::string &Problem);

/// Links what `M` needs of the runtime. The linked functions stay private to the module; their
/// state variable is one per linked program (-fgpu-rdc).
void linkDeviceRuntime(std::unique_ptr<llvm::Module> Runtime, llvm::Module &M);

} // namespace scopesan::pass

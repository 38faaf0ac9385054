// The site table of one instrumented module: what abi::Module, Site and Frame describe.
#pragma once

#include "scopesan/gpu_abi.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <vector>

namespace llvm {
class DILocation;
class DISubprogram;
class Function;
class GlobalVariable;
class Instruction;
class Module;
} // namespace llvm

namespace scopesan::pass {

class SiteTable {
public:
  SiteTable();

  /// Adds the site of `I` and returns its index. Op gets ToolkitBit where the innermost frame lies
  /// in a toolkit header.
  uint32_t add(const llvm::Instruction &I, abi::Op Op, uint32_t Bytes, llvm::StringRef Text);

  /// Op of site `Index`, as the entry points take it.
  abi::Op op(uint32_t Index) const { return abi::Op(Sites[Index].op); }

  /// Creates ModuleSymbol and what it points to in `M`. `SiteBase` is the SiteBaseSymbol variable.
  void emit(llvm::Module &M, llvm::GlobalVariable &SiteBase) const;

  /// The table as bytes in host order: gpu::SiteBlob and what follows it.
  std::vector<char> serialise() const;

  size_t size() const { return Sites.size(); }

  /// Tells how a kernel was instrumented for the GPU; the blob lists it.
  void addKernel(llvm::StringRef Symbol, gpu::KernelMode Mode, uint32_t FirstSite, uint32_t Flags,
                 uint32_t Elided);

private:
  uint32_t string(llvm::StringRef Text);
  uint32_t frame(const abi::Frame &F);
  uint32_t frameOf(const llvm::Instruction &I);
  uint32_t frameOf(const llvm::DILocation &Location);
  uint32_t functionName(const llvm::DISubprogram &Function);

  std::vector<abi::Site> Sites;
  std::vector<abi::Frame> Frames;
  std::vector<gpu::Kernel> Kernels;
  std::vector<char> Strings;
  llvm::StringMap<uint32_t> StringIndex;
  std::map<std::vector<uint32_t>, uint32_t> FrameIndex;
  llvm::DenseMap<const llvm::DISubprogram *, uint32_t> FunctionNames;
};

/// FNV-1a, 64 bits.
uint64_t fnv1a(llvm::StringRef Bytes);

/// True for files of the CUDA toolkit, CCCL and clang's CUDA wrappers.
bool isToolkitFile(llvm::StringRef Path);
/// The same for the file that defines `F`; false without debug information.
bool isToolkitFunction(const llvm::Function &F);

} // namespace scopesan::pass

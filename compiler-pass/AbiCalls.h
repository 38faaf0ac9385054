// Emits the calls that abi.def declares.
#pragma once

#include "SiteTable.h"

#include "scopesan/gpu_abi.h"

#include "llvm/IR/IRBuilder.h"

namespace scopesan::pass {

struct KernelPlan;

/// An access as the strong entry points take it.
struct StrongAccess {
  llvm::Value *Address; ///< generic pointer
  uint32_t Bytes;
  abi::Op Op;
  uint32_t Site;
};

struct BlockBarrierCall {
  abi::BarrierKind Kind;
  llvm::Value *Id, *Count; ///< i32
  uint32_t Site;
  bool Aligned = false;
  bool Late = false; ///< the arrival is reported after the barrier
};

/// Every call is convergent: two arms of a branch must not merge into one call with a selected
/// site.
class AbiCalls {
public:
  /// `ForGpu`: the module's own code, which the device runtime serves (gpu_abi.def).
  AbiCalls(llvm::Module &M, bool ForGpu);

  /// A weak access; a non-coherent read is one through its own proxy (O6).
  void weak(llvm::IRBuilderBase &B, abi::Op Op, llvm::Value *Address, uint32_t Bytes,
            uint32_t Site);
  void nonCoherentRead(llvm::IRBuilderBase &B, llvm::Value *Address, llvm::Value *Bytes,
                       uint32_t Site);
  /// A read of constant memory that the host may write (O6). Not for the GPU.
  void constantRead(llvm::IRBuilderBase &B, llvm::Value *Address, llvm::Value *Bytes,
                    uint32_t Site);
  void range(llvm::IRBuilderBase &B, bool Write, llvm::Value *Address, llvm::Value *Length,
             uint32_t Site);
  void atomicBefore(llvm::IRBuilderBase &B, const StrongAccess &A);
  /// `Wrote` i32, `Value` i64. `Written` i64 is used for the GPU only; null = unknown.
  void atomicAfter(llvm::IRBuilderBase &B, const StrongAccess &A, llvm::Value *Wrote,
                   llvm::Value *Value, llvm::Value *Written);
  void fence(llvm::IRBuilderBase &B, abi::Op Op, uint32_t Site);
  void blockBarrierBefore(llvm::IRBuilderBase &B, const BlockBarrierCall &C);
  void blockBarrierAfter(llvm::IRBuilderBase &B, const BlockBarrierCall &C);
  void warpBarrierBefore(llvm::IRBuilderBase &B, llvm::Value *Mask, uint32_t Site);
  void warpBarrierAfter(llvm::IRBuilderBase &B, llvm::Value *Mask, uint32_t Site);
  /// Types of an entry point's parameters other than `op` and `site`.
  llvm::SmallVector<llvm::Type *, 7> argumentTypes(llvm::StringRef Name);
  /// Any entry point of abi.def or gpu_abi.def: `Arguments` are the others than its `op` and
  /// `site`.
  void entry(llvm::IRBuilderBase &B, llvm::StringRef Name, llvm::ArrayRef<llvm::Value *> Arguments,
             abi::Op Op, uint32_t Site);
  void unmodelled(llvm::IRBuilderBase &B, uint32_t Site);
  void unmodelledAfter(llvm::IRBuilderBase &B, uint32_t Site);
  /// GPU only: where a variable in shared memory lies.
  void sharedVariable(llvm::IRBuilderBase &B, llvm::Value *Address, uint32_t Bytes, uint32_t Site);
  /// GPU only: a thread of the kernel starts.
  void enterKernel(llvm::Function &F);
  /// GPU only: the thread ends.
  void threadExit(llvm::IRBuilderBase &B);

  /// GPU only: until endKernel, calls are for `F`, a kernel in a fast form. Inserts its state.
  /// `First`: the kernel's first site.
  void beginKernel(llvm::Function &F, const KernelPlan &Plan, uint32_t First);
  void endKernel() { State = nullptr; }
  /// In such a kernel: all threads of the grid have passed a barrier before `I`.
  void gridBarrier(llvm::Instruction &I);

  /// Removes the declarations that nothing uses: their bodies need not be linked.
  void dropUnused();

  bool forGpu() const { return ForGpu; }

  llvm::GlobalVariable &siteBase() { return *SiteBase; }

private:
  void call(llvm::IRBuilderBase &B, llvm::StringRef Name, llvm::ArrayRef<llvm::Value *> Arguments);
  llvm::Value *site(llvm::IRBuilderBase &B, uint32_t Index);
  uint32_t accessFlags() const;
  void fast(llvm::IRBuilderBase &B, gpu::FastAccess Kind, llvm::Value *Address, uint32_t Bytes,
            uint32_t Site);
  void fastSpan(llvm::IRBuilderBase &B, gpu::FastAccess Kind, llvm::Value *Address,
                llvm::Value *Bytes, uint32_t Site);

  llvm::Module &M;
  bool ForGpu;
  llvm::GlobalVariable *SiteBase;
  llvm::Value *State = nullptr; ///< of a fast kernel
  uint32_t Flags = 0, FirstSite = 0;
};

} // namespace scopesan::pass

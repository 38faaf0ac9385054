// Inserts the abstract ABI calls and the site table into a module.
#pragma once

#include "AbiCalls.h"
#include "GpuMode.h"
#include "Semantics.h"
#include "SiteTable.h"
#include "WaitLoops.h"

#include "llvm/ADT/StringSet.h"

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace scopesan::pass {

/// What the parts of the instrumenter share for one module.
struct InstrumentContext {
  InstrumentContext(llvm::Module &M, bool ForGpu) : M(M), Calls(M, ForGpu) {}

  llvm::Module &M;
  AbiCalls Calls;
  SiteTable Sites;
  InstructionSet OnlyWaysOut; ///< of the function at hand
  /// Texts already noted: one note per distinct operation and module.
  llvm::StringSet<> Noted;

  /// The op of a strong access that `I` makes.
  abi::Op strongOp(const llvm::Instruction &I, abi::Op Op) const {
    return OnlyWaysOut.contains(&I) ? Op.with(abi::Op::OnlyWayOutBit) : Op;
  }
  /// X1: emits __scopesan_unmodelled at `B` for `I` and notes it on stderr.
  void unmodelled(llvm::IRBuilderBase &B, const llvm::Instruction &I, llvm::StringRef Text,
                  llvm::StringRef Reason);
};

/// Instruments every function defined in `M`, which must be normalised: the copy for the snapshot.
void instrument(llvm::Module &M);

/// The same for the module's own code, with the entry points of gpu_abi.def and the site table as a
/// blob that the host reads.
void instrumentForGpu(llvm::Module &M, const KernelPlans &Plans);

/// Removes promises that inserted calls break: they read and write the runtime's memory, they wait,
/// and they keep addresses.
void dropBrokenPromises(llvm::Function &F);
void dropBrokenPromises(llvm::CallBase &C);

/// Instruments one inline asm statement.
void instrumentAsm(InstrumentContext &Context, llvm::CallBase &Call);

/// Instruments a call of the intrinsic that becomes the PTX instruction `Text`, whose operands are
/// the call's arguments and, after them, its result. `Reported`: its text where it is unmodelled.
void instrumentIntrinsic(InstrumentContext &Context, llvm::CallBase &Call, llvm::StringRef Text,
                         llvm::StringRef Reported);

/// `V` as the i64 that __scopesan_atomic_after takes: bits of the low 64, zero-extended.
llvm::Value *toValueBits(llvm::IRBuilderBase &B, llvm::Value *V);

/// What atom.add of f32 or f64 leaves in memory (subnormal numbers aside); null for other types.
llvm::Value *roundedSum(llvm::IRBuilderBase &B, llvm::Value *Old, llvm::Value *Operand);

/// Value that an integer read-modify-write named as in PTX leaves in memory; null if unknown.
/// `Old` and `Operand` have the same integer type.
llvm::Value *writtenByRmw(llvm::IRBuilderBase &B, llvm::StringRef Name, bool Signed,
                          llvm::Value *Old, llvm::Value *Operand);

} // namespace scopesan::pass

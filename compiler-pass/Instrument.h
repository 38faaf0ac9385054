// Inserts the abstract ABI calls and the site table into a module.
#pragma once

#include "AbiCalls.h"
#include "Semantics.h"
#include "SiteTable.h"

#include "llvm/ADT/StringSet.h"

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace scopesan::ptx {
struct Effect;
}

namespace scopesan::pass {

/// What the parts of the instrumenter share for one module.
struct InstrumentContext {
  explicit InstrumentContext(llvm::Module &M) : M(M), Calls(M) {}

  llvm::Module &M;
  AbiCalls Calls;
  SiteTable Sites;
  /// Texts already noted: one note per distinct operation and module.
  llvm::StringSet<> Noted;

  /// X1: emits __scopesan_unmodelled at `B` for `I` and notes it on stderr.
  void unmodelled(llvm::IRBuilderBase &B, const llvm::Instruction &I, llvm::StringRef Text,
                  llvm::StringRef Reason);
};

/// Instruments every function defined in `M`, which must be normalised.
void instrument(llvm::Module &M);

/// Instruments one inline asm statement.
void instrumentAsm(InstrumentContext &Context, llvm::CallBase &Call);

/// `V` as the i64 that __scopesan_atomic_after takes: bits of the low 64, zero-extended.
llvm::Value *toValueBits(llvm::IRBuilderBase &B, llvm::Value *V);

} // namespace scopesan::pass

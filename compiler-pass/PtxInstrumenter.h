// Places the calls for the effects of PTX text around the call that it stands for.
#pragma once

#include "Instrument.h"

#include "Effects.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugLoc.h"

#include <optional>

namespace scopesan::pass {

/// One $N of the text.
struct PtxOperand {
  llvm::Value *Input = nullptr; ///< value when the statement starts, null for a pure output
  int Output = -1;              ///< number among the results
};

/// A builder that gives what it creates the location of the statement.
struct LocatedBuilder : llvm::IRBuilder<> {
  LocatedBuilder(llvm::Instruction *At, const llvm::DebugLoc &Location) : IRBuilder<>(At) {
    SetCurrentDebugLocation(Location);
  }
};

/// Calls for the effects of one statement.
///
///   phase    weak access   strong access        fence    barrier                 entry point
///   Before   before        before | after       before   before | after          before, or after
///   After    after         both after           after    both after              after
///
/// The statement starts in Before and turns to After with the first effect that has a second half:
/// a wait that may not return at once also tells the CPU backend its place before the statement;
/// what follows an acquire or a barrier in the text must not be reported ahead of it. The GPU needs
/// an arrival or a copy reported before others can see it: one that comes in After is X1 there. The
/// CPU backend needs copies announced before the statement, in its order: X1 there in After.
class PtxInstrumenter {
public:
  PtxInstrumenter(InstrumentContext &Context, llvm::CallBase &Call)
      : Context(Context), Call(Call), Next(Call.getNextNode()), Location(Call.getDebugLoc()) {}
  void asmStatement();
  void intrinsic(llvm::StringRef Text, llvm::StringRef Reported);

private:
  // InstrumentAsm.cpp
  void readAsmOperands();
  void run(const ptx::Program &P, llvm::StringRef Reported);
  bool effect(const ptx::Statement &S, const ptx::Effect &E);
  void blockBarrier(const ptx::Effect &E);
  void warpBarrier(const ptx::Effect &E);
  bool entry(const ptx::Statement &S, const ptx::Effect &E);
  const char *misplaced(const ptx::Effect &E) const;

  /// Insertion point before or after the statement, under the guard of `E` and for its lanes.
  llvm::Instruction *position(bool AfterStatement, const ptx::Effect &E);
  bool resolvable(const ptx::ValueRef &V) const;
  bool resolvable(const ptx::AddressRef &A) const;
  bool resolvable(const ptx::Guard &G) const;
  bool resolvable(const ptx::EntryArgument &A) const;
  llvm::Value *integer(llvm::IRBuilderBase &B, const ptx::ValueRef &V, unsigned Bits);
  llvm::Value *condition(llvm::IRBuilderBase &B, const ptx::Guard &G);
  llvm::Value *address(llvm::IRBuilderBase &B, const ptx::AddressRef &A);
  llvm::Value *pointer(llvm::IRBuilderBase &B, const ptx::AddressRef &A);
  llvm::Value *argument(llvm::IRBuilderBase &B, const ptx::EntryArgument &A, llvm::Type *T);
  llvm::Value *result(unsigned Index, llvm::IRBuilderBase &B);

  // InstrumentAccess.cpp
  bool access(const ptx::Statement &S, const ptx::Effect &E);
  void constantRead(const ptx::Statement &S, const ptx::Effect &E);
  const llvm::Value *givenAddress(const ptx::AddressRef &A) const;
  bool isUnchecked(const ptx::AddressRef &A) const;
  llvm::Value *part(llvm::IRBuilderBase &B, const ptx::ValueRef &V, unsigned Bytes, bool AtEnd);
  std::pair<llvm::Value *, llvm::Value *> outcome(llvm::IRBuilderBase &B, const ptx::Effect &E);
  llvm::Value *written(llvm::IRBuilderBase &B, const ptx::Statement &S, const ptx::Effect &E,
                       llvm::Value *Read);

  InstrumentContext &Context;
  llvm::CallBase &Call;
  llvm::Instruction *Next;
  llvm::DebugLoc Location;
  llvm::SmallVector<PtxOperand, 8> Operands;
  bool After = false;
};

/// `V` as an integer of its own size.
llvm::Value *bitsOf(llvm::IRBuilderBase &B, llvm::Value *V);

} // namespace scopesan::pass

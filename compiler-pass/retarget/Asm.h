// Lowering of one inline asm statement that holds PTX.
#pragma once

#include "Arith.h"
#include "Parser.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Instructions.h"

namespace scopesan::retarget {

/// What the asm statements of one function share.
struct AsmFunctionState {
  /// The condition code register: programs chain .cc instructions over several statements.
  llvm::AllocaInst *Carry = nullptr;
};

class AsmLowering {
public:
  AsmLowering(Engine &E, llvm::CallInst &Call, AsmFunctionState &State)
      : E(E), Call(Call), State(State), B(&Call), A(E, B) {}

  /// Replaces and erases the call. Instructions that cannot be executed stop the kernel.
  void run();

private:
  using Operand = ptx::Operand;
  using Value = llvm::Value;
  using Type = llvm::Type;

#define SCOPESAN_PTX_HANDLERS(X)                                                                   \
  X(move)                                                                                          \
  X(load) X(store) X(atomic) X(forwardAddress) X(isSpace) X(mapa) X(getctarank) X(zeroResult)      \
      X(drop) X(barrier) X(shuffle) X(vote) X(match) X(redux) X(elect) X(activeMask) X(nanosleep)  \
          X(branch) X(exit) X(trap) X(setPredicate) X(setValue) X(select) X(selectBySign)          \
              X(testProperty) X(logic) X(invert) X(logicalNot) X(logic3) X(shift) X(funnelShift)   \
                  X(bitFieldExtract) X(bitFieldInsert) X(findLeadingOne) X(bitMask) X(extend)      \
                      X(reverse) X(popCount) X(leadingZeros) X(permute) X(findNthSet)              \
                          X(addSubtract) X(multiply) X(fma) X(multiply24) X(divide) X(remainder)   \
                              X(minMax) X(absolute) X(negate) X(copySign) X(sad) X(dotProduct)     \
                                  X(function) X(convert)
  // Each lowers the current instruction; false: this form is unsupported.
#define SCOPESAN_DECLARE(Name) bool Name();
  SCOPESAN_PTX_HANDLERS(SCOPESAN_DECLARE)
#undef SCOPESAN_DECLARE

  // Frame (Asm.cpp)
  bool bindOperands();
  void lowerStatements();
  void lowerInstruction(const ptx::Statement &S);
  bool dispatch();
  void startLabel(llvm::StringRef Name);
  llvm::BasicBlock *labelBlock(llvm::StringRef Name);
  llvm::BasicBlock *newBlock(const llvm::Twine &Name);
  void finish();
  void unsupportedText(llvm::StringRef Why);
  llvm::AllocaInst *slot(Type *T);

  // Operands of the current instruction
  const Operand *operand(unsigned I) const;
  llvm::AllocaInst *variable(const Operand &O);
  Value *read(const Operand &O, Type *T, bool Signed = false);
  Value *readRaw(const Operand &O, Type *Hint);
  /// Operand `I` as the instruction's type, or as `T`.
  Value *in(unsigned I) { return in(I, T.Ty, T.Signed); }
  Value *in(unsigned I, Type *Ty, bool Signed = false);
  Value *in32(unsigned I) { return in(I, B.getInt32Ty()); }
  Value *inPredicate(unsigned I) { return in(I, B.getInt1Ty()); }
  void write(const Operand &O, Value *V, bool Signed = false);
  /// Writes operand 0; false when there is no value.
  bool out(Value *V, bool Signed);
  bool out(Value *V) { return out(V, T.Signed); }
  void outSecond(Value *V);
  Value *address(const Operand &Memory);
  /// Elements of a vector operand, or the operand itself.
  static llvm::ArrayRef<Operand> elements(const Operand &O);

  // Helpers of the handlers
  bool addFloats(llvm::StringRef Op);
  Value *carryIn(Type *Wide);
  void carryOut(Value *WideResult, unsigned Bits);
  Value *compare(llvm::StringRef Cmp, Value *L, Value *R, NumberType Ty);
  Value *combine(Value *Condition);
  Value *readModifyWrite(Value *Address, unsigned FirstSource, unsigned Lane);
  bool convertPacked(llvm::StringRef To, llvm::StringRef From);
  bool unpackVector();
  bool packVector();
  Value *warpMask(unsigned I);

  Engine &E;
  llvm::CallInst &Call;
  AsmFunctionState &State;
  llvm::IRBuilder<> B;
  Arith A;
  ptx::Program Program;
  llvm::SmallVector<llvm::AllocaInst *> Registers, Outputs;
  llvm::SmallVector<Value *> Inputs;
  llvm::StringMap<llvm::BasicBlock *> Labels;
  llvm::BasicBlock *After = nullptr;

  // The current instruction
  const ptx::Statement *Current = nullptr;
  Modifiers Mods;
  NumberType T; ///< its last type; null when it has none
};

} // namespace scopesan::retarget

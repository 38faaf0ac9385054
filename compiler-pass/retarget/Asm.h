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

  // Handlers of ptx_lower.def. Each lowers the current instruction; false: the form is unsupported.
  bool move(), load(), store(), atomic(), forwardAddress(), isSpace(), mapa(), getctarank();
  bool zeroResult(), drop(), mbarrier(), copy(), dependentLaunch(), loadMatrix(), storeMatrix();
  bool moveMatrix();
  bool matrixMultiply(), fragmentOperation(), warpgroupMultiply();
  bool texture();
  bool barrier(), shuffle(), vote(), match(), redux(), elect(), activeMask();
  bool nanosleep(), branch(), exit(), trap();
  bool setPredicate(), setValue(), select(), selectBySign(), testProperty();
  bool logic(), invert(), logicalNot(), logic3(), shift(), funnelShift(), bitFieldExtract();
  bool bitFieldInsert(), findLeadingOne(), bitMask(), extend(), reverse(), popCount();
  bool leadingZeros(), permute(), findNthSet();
  bool addSubtract(), multiply(), fma(), multiply24(), divide(), remainder(), minMax();
  bool absolute(), negate(), copySign(), sad(), dotProduct(), simd(), function();
  bool convert();

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
  bool mbarrierArrive(bool Drop);
  bool mbarrierWait();
  unsigned operandsButPolicy();
  bool copyAsync();
  bool copyBulk();
  bool copyTensor();
  bool copyGroup();
  bool storeAsync();
  bool tensorMap();
  llvm::AllocaInst *fragment(unsigned I, unsigned Registers, unsigned Bits);
  bool writeFragment(const Operand &O, llvm::AllocaInst *From, unsigned Registers, unsigned Bits);
  bool wmmaMemory();

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

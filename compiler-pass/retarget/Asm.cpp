// Inline PTX: operands, control flow and dispatch. Registers become allocas, which sroa removes.
#include "Asm.h"
#include "Steps.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace scopesan::retarget;
namespace ptx = scopesan::ptx;
using scopesan::ptx::OperandKind;
using scopesan::ptx::Statement;
using scopesan::ptx::StatementKind;

AllocaInst *AsmLowering::slot(Type *T) {
  BasicBlock &Entry = Call.getFunction()->getEntryBlock();
  IRBuilder<> Top(&Entry, Entry.begin());
  return Top.CreateAlloca(T);
}

BasicBlock *AsmLowering::newBlock(const Twine &Name) {
  return BasicBlock::Create(B.getContext(), Name, After->getParent(), After);
}

/// Outputs get a slot each; inputs keep their value; a tied input initialises its output.
bool AsmLowering::bindOperands() {
  auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
  SmallVector<Type *> ResultTypes;
  if (auto *Struct = dyn_cast<StructType>(Call.getType()))
    ResultTypes.append(Struct->element_begin(), Struct->element_end());
  else if (!Call.getType()->isVoidTy())
    ResultTypes.push_back(Call.getType());
  SmallVector<std::pair<unsigned, Value *>> Tied;
  unsigned NextArgument = 0;
  for (const InlineAsm::ConstraintInfo &C : Asm->ParseConstraints()) {
    if (C.Type == InlineAsm::isClobber)
      continue;
    if (C.isIndirect || C.Type == InlineAsm::isLabel)
      return false;
    if (C.Type == InlineAsm::isOutput) {
      Outputs.push_back(slot(ResultTypes[Outputs.size()]));
      continue;
    }
    Value *Argument = Call.getArgOperand(NextArgument++);
    Inputs.push_back(Argument);
    unsigned Output;
    if (!C.Codes.empty() && !StringRef(C.Codes[0]).getAsInteger(10, Output))
      Tied.push_back({Output, Argument});
  }
  for (auto [Output, Argument] : Tied)
    if (Output < Outputs.size())
      B.CreateStore(Argument, Outputs[Output]);
  for (const ptx::Register &R : Program.Registers) {
    NumberType Ty = parseNumberType(B.getContext(), R.Type);
    if (!Ty)
      return false;
    Registers.push_back(slot(Ty.Ty));
  }
  return true;
}

void AsmLowering::unsupportedText(StringRef Why) {
  auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
  E.unsupported(B, Why + (Why.empty() ? "" : " in: ") + Asm->getAsmString());
}

void AsmLowering::run() {
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  std::string Error;
  std::optional<ptx::Program> Parsed =
      ptx::parse(cast<InlineAsm>(Call.getCalledOperand())->getAsmString().str(), Error);
  bool Bound = false;
  if (Parsed) {
    Program = std::move(*Parsed);
    Bound = bindOperands();
  }
  if (!Bound) {
    unsupportedText(Error.empty() ? "operand of an unknown kind" : Error);
    if (!Call.getType()->isVoidTy())
      Call.replaceAllUsesWith(PoisonValue::get(Call.getType()));
    Call.eraseFromParent();
    return;
  }
  BasicBlock *Before = Call.getParent();
  After = Before->splitBasicBlock(Call.getIterator(), "ptx.after");
  Before->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Before);
  lowerStatements();
  B.CreateBr(After);
  finish();
}

void AsmLowering::finish() {
  // A label that no statement defines: a branch out of the asm, which has no meaning.
  for (auto &Label : Labels)
    if (BasicBlock *Block = Label.second; Block->empty()) {
      B.SetInsertPoint(Block);
      unsupportedText("branch to an unknown label");
      B.CreateUnreachable();
    }
  B.SetInsertPoint(&Call);
  if (auto *Struct = dyn_cast<StructType>(Call.getType())) {
    Value *Result = PoisonValue::get(Struct);
    for (unsigned I = 0; I < Outputs.size(); ++I) {
      Value *Element = B.CreateLoad(Outputs[I]->getAllocatedType(), Outputs[I]);
      Result = B.CreateInsertValue(Result, Element, I);
    }
    Call.replaceAllUsesWith(Result);
  } else if (!Outputs.empty()) {
    Call.replaceAllUsesWith(B.CreateLoad(Call.getType(), Outputs[0]));
  }
  Call.eraseFromParent();
}

void AsmLowering::lowerStatements() {
  for (const Statement &S : Program.Statements) {
    if (S.Kind == StatementKind::Label)
      startLabel(S.Opcode);
    else if (S.Kind == StatementKind::Instruction)
      lowerInstruction(S);
    else if (S.Kind == StatementKind::Directive && S.Opcode != ".pragma" && S.Opcode != ".loc")
      unsupportedText(S.Opcode);
  }
}

BasicBlock *AsmLowering::labelBlock(StringRef Name) {
  BasicBlock *&Block = Labels[Name];
  if (!Block)
    Block = newBlock(Name);
  return Block;
}

void AsmLowering::startLabel(StringRef Name) {
  BasicBlock *Block = labelBlock(Name);
  B.CreateBr(Block);
  B.SetInsertPoint(Block);
}

void AsmLowering::lowerInstruction(const Statement &S) {
  Current = &S;
  Mods = Modifiers(S.Parts);
  T = {};
  for (size_t I = S.Parts.size(); I-- > 1 && !T;)
    T = parseNumberType(B.getContext(), S.Parts[I]);
  BasicBlock *Next = nullptr;
  if (!S.Guard.empty()) {
    Value *Condition = read(S.Guard[0], B.getInt1Ty());
    BasicBlock *Then = newBlock("ptx.then");
    Next = newBlock("ptx.next");
    B.CreateCondBr(Condition, Then, Next);
    B.SetInsertPoint(Then);
  }
  if (!dispatch())
    unsupportedText(S.Opcode);
  if (Next) {
    B.CreateBr(Next);
    B.SetInsertPoint(Next);
  }
}

bool AsmLowering::dispatch() {
  struct Entry {
    StringRef Opcode;
    bool (AsmLowering::*Handler)();
  };
  static const Entry Table[] = {
#define SCOPESAN_PTX(Opcode, Handler) {Opcode, &AsmLowering::Handler},
#include "ptx_lower.def"
  };
  for (const Entry &Candidate : Table)
    if (Mods[0] == Candidate.Opcode)
      return (this->*Candidate.Handler)();
  return false;
}

// Operands

const ptx::Operand *AsmLowering::operand(unsigned I) const {
  return I < Current->Operands.size() ? &Current->Operands[I] : nullptr;
}

ArrayRef<ptx::Operand> AsmLowering::elements(const Operand &O) {
  return O.is(OperandKind::Vector) ? ArrayRef(O.Elements) : ArrayRef(O);
}

AllocaInst *AsmLowering::variable(const Operand &O) {
  if (O.is(OperandKind::Asm) && O.Index < Outputs.size())
    return Outputs[O.Index];
  if (O.is(OperandKind::Register) && O.Index < Registers.size())
    return Registers[O.Index];
  return nullptr;
}

static Constant *floatImmediate(LLVMContext &C, const ptx::Operand &O, Type *Hint) {
  Type *Own = O.FloatBits == 64 ? Type::getDoubleTy(C) : Type::getFloatTy(C);
  APFloat V(Own->getFltSemantics(), APInt(O.FloatBits == 64 ? 64 : 32, O.Bits));
  if (!Hint->isFPOrFPVectorTy())
    return ConstantFP::get(Own, V);
  bool Inexact;
  V.convert(Hint->getScalarType()->getFltSemantics(), APFloat::rmNearestTiesToEven, &Inexact);
  return ConstantFP::get(Hint, V);
}

/// The operand in a type of its own; null when it has no value.
Value *AsmLowering::readRaw(const Operand &O, Type *Hint) {
  if (AllocaInst *V = variable(O))
    return B.CreateLoad(V->getAllocatedType(), V);
  switch (O.Kind) {
  case OperandKind::Asm: {
    unsigned Input = O.Index - Outputs.size();
    return Input < Inputs.size() ? Inputs[Input] : nullptr;
  }
  case OperandKind::Integer: {
    unsigned Bits = std::max(1u, unsigned(Hint->getPrimitiveSizeInBits()));
    return ConstantInt::get(B.getIntNTy(Hint->isPointerTy() ? 64 : Bits),
                            APInt(64, O.Bits).sextOrTrunc(Hint->isPointerTy() ? 64 : Bits));
  }
  case OperandKind::Float:
    return floatImmediate(B.getContext(), O, Hint);
  case OperandKind::Special:
    return E.specialRegister(B, StringRef(O.Name).drop_front());
  case OperandKind::Symbol:
    if (O.Name == "WARP_SZ")
      return B.getInt32(32);
    return E.module().getNamedValue(O.Name);
  default:
    return nullptr;
  }
}

Value *AsmLowering::read(const Operand &O, Type *Ty, bool Signed) {
  Value *V = readRaw(O, Ty);
  if (!V) {
    unsupportedText("operand of " + Current->Opcode);
    return PoisonValue::get(Ty);
  }
  if (Ty->isIntegerTy(1) && V->getType()->isIntegerTy() && !V->getType()->isIntegerTy(1))
    V = B.CreateICmpNE(V, Constant::getNullValue(V->getType()));
  else
    V = A.asType(V, Ty, Signed);
  return O.Negated ? B.CreateNot(V) : V;
}

Value *AsmLowering::in(unsigned I, Type *Ty, bool Signed) {
  if (const Operand *O = operand(I))
    return read(*O, Ty ? Ty : B.getInt32Ty(), Signed);
  unsupportedText("missing operand of " + Current->Opcode);
  return PoisonValue::get(Ty ? Ty : B.getInt32Ty());
}

void AsmLowering::write(const Operand &O, Value *V, bool Signed) {
  if (O.is(OperandKind::Sink))
    return;
  AllocaInst *Target = variable(O);
  if (!Target)
    return unsupportedText("result of " + Current->Opcode);
  B.CreateStore(A.asType(V, Target->getAllocatedType(), Signed), Target);
}

bool AsmLowering::out(Value *V, bool Signed) {
  if (!V || !operand(0))
    return false;
  write(*operand(0), V, Signed);
  return true;
}

void AsmLowering::outSecond(Value *V) {
  if (operand(0) && !operand(0)->Second.empty())
    write(operand(0)->Second[0], V);
}

Value *AsmLowering::address(const Operand &Memory) {
  if (!Memory.is(OperandKind::Memory) || Memory.Elements.empty()) {
    unsupportedText("address of " + Current->Opcode);
    return PoisonValue::get(B.getPtrTy());
  }
  Value *Base = read(Memory.Elements[0], B.getInt64Ty());
  if (Memory.Offset)
    Base = B.CreateAdd(Base, ConstantInt::getSigned(B.getInt64Ty(), Memory.Offset));
  for (const Operand &Offset : Memory.OffsetOperands)
    Base = B.CreateAdd(Base, read(Offset, B.getInt64Ty(), true));
  return B.CreateIntToPtr(Base, B.getPtrTy());
}

// The pass over the module

void scopesan::retarget::lowerInlineAsm(Module &M, Engine &E, Statistics &S) {
  for (Function &F : M) {
    SmallVector<CallInst *> Calls;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm())
        Calls.push_back(Call);
    AsmFunctionState State;
    for (CallInst *Call : Calls)
      AsmLowering(E, *Call, State).run();
    S.InlineAsm += Calls.size();
  }
}

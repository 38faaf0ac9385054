// mma, wmma and wgmma: fragments are packed into memory of the lane, the engine does the rest.
#include "Asm.h"
#include "Intrinsics.h"
#include "MatrixForms.h"

#include "llvm/IR/Constants.h"

using namespace llvm;
using namespace scopesan::retarget;
using scopesan::cpu::MatrixForm;
using scopesan::cpu::MatrixType;
using scopesan::ptx::OperandKind;

// ------------------------------------------------------------------ inline PTX

/// The registers of vector operand `I`, stored one after the other; null when there are others.
AllocaInst *AsmLowering::fragment(unsigned I, unsigned Registers, unsigned Bits) {
  if (!operand(I) || elements(*operand(I)).size() != Registers)
    return nullptr;
  Type *Word = B.getIntNTy(Bits);
  AllocaInst *To = slot(ArrayType::get(Word, Registers));
  for (unsigned R = 0; R < Registers; ++R)
    B.CreateStore(read(elements(*operand(I))[R], Word), B.CreateConstGEP1_64(Word, To, R));
  return To;
}

bool AsmLowering::writeFragment(const Operand &O, AllocaInst *From, unsigned Registers,
                                unsigned Bits) {
  if (elements(O).size() != Registers)
    return false;
  Type *Word = B.getIntNTy(Bits);
  for (unsigned R = 0; R < Registers; ++R)
    write(elements(O)[R], B.CreateLoad(Word, B.CreateConstGEP1_64(Word, From, R)));
  return true;
}

/// mma.sync.aligned.shape.row.col{.satfinite}.types d, a, b, c, and wmma.mma likewise
bool AsmLowering::matrixMultiply() {
  std::optional<MatrixForm> F = Mods[0] == "mma" ? mmaForm(Mods) : wmmaForm(Mods);
  if (!F || Current->Operands.size() != 4)
    return false;
  AllocaInst *In[3];
  for (unsigned I = 0; I < 3; ++I) {
    auto [Registers, Bits] = fragmentShape(*F, I);
    In[I] = fragment(I + 1, Registers, Bits);
    if (!In[I])
      return false;
  }
  auto [Registers, Bits] = fragmentShape(*F, 3);
  AllocaInst *D = slot(ArrayType::get(B.getIntNTy(Bits), Registers));
  E.call(B, "__scopesan_cpu_mma", B.getVoidTy(), {B.getInt64(F->raw()), D, In[0], In[1], In[2]});
  return writeFragment(*operand(0), D, Registers, Bits);
}

bool AsmLowering::fragmentOperation() { return Mods[1] == "mma" ? matrixMultiply() : wmmaMemory(); }

/// wmma.load.{a,b,c}.sync.aligned.layout.shape{.space}.type r, [p] {, stride}
/// wmma.store.d.sync.aligned.layout.shape{.space}.type [p], r {, stride}
bool AsmLowering::wmmaMemory() {
  unsigned Which;
  std::optional<MatrixForm> F = wmmaMemoryForm(Mods, Which);
  bool Store = Mods[1] == "store", Column = Mods.has("col");
  unsigned At = Store ? 0 : 1;
  if (!F || !operand(1) || !operand(At)->is(OperandKind::Memory))
    return false;
  unsigned Rows = Which == 1 ? F->K : F->M, Columns = Which == 0 ? F->K : F->N;
  Value *Stride = operand(2) ? in32(2) : B.getInt32(Column ? Rows : Columns);
  auto [Registers, Bits] = fragmentShape(*F, Which);
  Value *Memory = address(*operand(At)), *Form = B.getInt64(F->raw());
  if (Store) {
    AllocaInst *From = fragment(1, Registers, Bits);
    if (!From)
      return false;
    E.call(B, "__scopesan_cpu_wmma_store", B.getVoidTy(),
           {Form, From, Memory, Stride, B.getInt32(Column)});
    return true;
  }
  AllocaInst *To = slot(ArrayType::get(B.getIntNTy(Bits), Registers));
  E.call(B, "__scopesan_cpu_wmma_load", B.getVoidTy(),
         {Form, B.getInt32(Which), To, Memory, Stride, B.getInt32(Column)});
  return writeFragment(*operand(0), To, Registers, Bits);
}

/// wgmma.mma_async.sync.aligned.shape.types d, a, b, scale-d {, scale-a, scale-b} {, trans-a,
/// trans-b}; wgmma.{fence,commit_group,wait_group n}
bool AsmLowering::warpgroupMultiply() {
  Type *Void = B.getVoidTy();
  if (Mods[1] == "fence")
    return true; // registers are ready where one thread runs at a time
  if (Mods[1] == "commit_group") {
    E.call(B, "__scopesan_cpu_wgmma_commit", Void, {});
    return true;
  }
  if (Mods[1] == "wait_group") {
    E.call(B, "__scopesan_cpu_wgmma_wait", Void, {in32(0)});
    return true;
  }
  std::optional<MatrixForm> F = wgmmaForm(Mods);
  if (!F || Current->Operands.size() < 4)
    return false;
  F->SharedA = !operand(1)->is(OperandKind::Vector);
  bool Integers = F->D == MatrixType::S32;
  bool Halves = F->A == MatrixType::F16 || F->A == MatrixType::BF16;
  unsigned Next = 4, Flags = (Integers ? 0 : 2) + (Halves ? (F->SharedA ? 2 : 1) : 0);
  if (Current->Operands.size() != Next + Flags)
    return false;
  // Immediates: constraint "n" leaves them as asm operands that are constants.
  auto Immediate = [&](unsigned I, int64_t &V) {
    auto *C = dyn_cast<ConstantInt>(in32(I));
    V = C ? C->getSExtValue() : 0;
    return C != nullptr;
  };
  int64_t ScaleA = 1, ScaleB = 1, TransA = 0, TransB = 0;
  if (!Integers && (!Immediate(Next, ScaleA) || !Immediate(Next + 1, ScaleB)))
    return false;
  Next += Integers ? 0 : 2;
  if (Halves && ((F->SharedA && !Immediate(Next++, TransA)) || !Immediate(Next, TransB)))
    return false;
  F->NegatedA = ScaleA < 0, F->NegatedB = ScaleB < 0;
  F->TransposedA = TransA != 0, F->TransposedB = TransB != 0;
  auto [Registers, Bits] = fragmentShape(*F, 3);
  AllocaInst *D = fragment(0, Registers, Bits);
  Value *A = ConstantPointerNull::get(B.getPtrTy()), *AMatrix = B.getInt64(0);
  if (F->SharedA)
    AMatrix = in(1, B.getInt64Ty());
  else
    A = fragment(1, fragmentShape(*F, 0).Registers, 32);
  if (!D || !A)
    return false;
  Value *ScaleD = B.CreateZExt(inPredicate(3), B.getInt32Ty());
  E.call(B, "__scopesan_cpu_wgmma", Void,
         {B.getInt64(F->raw()), D, A, AMatrix, in(2, B.getInt64Ty()), ScaleD});
  return writeFragment(*operand(0), D, Registers, Bits);
}

// ------------------------------------------------------------------ intrinsics

/// Arguments `First`, ... of the call, stored one after the other.
AllocaInst *IntrinsicLowering::fragment(unsigned First, unsigned Registers, unsigned Bits) {
  if (First + Registers > Call.arg_size())
    return nullptr;
  Type *Word = B.getIntNTy(Bits);
  IRBuilder<> Entry(&*Call.getFunction()->getEntryBlock().begin());
  AllocaInst *To = Entry.CreateAlloca(ArrayType::get(Word, Registers));
  for (unsigned R = 0; R < Registers; ++R) {
    if (arg(First + R)->getType()->getPrimitiveSizeInBits() != Bits)
      return nullptr;
    B.CreateStore(B.CreateBitCast(arg(First + R), Word), B.CreateConstGEP1_64(Word, To, R));
  }
  return To;
}

Value *IntrinsicLowering::unpackFragment(AllocaInst *From) {
  auto *Struct = dyn_cast<StructType>(T);
  auto Load = [&](Type *Part, unsigned I) {
    return B.CreateLoad(Part, B.CreateConstGEP1_64(Part, From, I));
  };
  if (!Struct)
    return Load(T, 0);
  Value *Result = PoisonValue::get(T);
  for (unsigned I = 0; I < Struct->getNumElements(); ++I)
    Result = B.CreateInsertValue(Result, Load(Struct->getElementType(I), I), I);
  return Result;
}

/// {mma,wmma}.shape...types(a..., b..., c...)
std::optional<Value *> IntrinsicLowering::matrixMultiply() {
  std::optional<MatrixForm> F = Mods[0] == "mma" ? mmaForm(Mods) : wmmaForm(Mods);
  if (!F)
    return std::nullopt;
  AllocaInst *In[3];
  unsigned Next = 0;
  for (unsigned I = 0; I < 3; ++I) {
    auto [Registers, Bits] = fragmentShape(*F, I);
    In[I] = fragment(Next, Registers, Bits);
    if (!In[I])
      return std::nullopt;
    Next += Registers;
  }
  auto [Registers, Bits] = fragmentShape(*F, 3);
  auto *Struct = dyn_cast<StructType>(T);
  if (Next != Call.arg_size() || (Struct ? Struct->getNumElements() : 1) != Registers)
    return std::nullopt;
  IRBuilder<> Entry(&*Call.getFunction()->getEntryBlock().begin());
  AllocaInst *D = Entry.CreateAlloca(ArrayType::get(B.getIntNTy(Bits), Registers));
  E.call(B, "__scopesan_cpu_mma", B.getVoidTy(), {B.getInt64(F->raw()), D, In[0], In[1], In[2]});
  return unpackFragment(D);
}

/// wmma.shape.load.{a,b,c}.layout{.stride}.type.pN(p {, stride})
/// wmma.shape.store.d.layout{.stride}.type.pN(p, r... {, stride})
std::optional<Value *> IntrinsicLowering::fragmentOperation() {
  if (Mods.has("mma"))
    return matrixMultiply();
  unsigned Which;
  std::optional<MatrixForm> F = wmmaMemoryForm(Mods, Which);
  if (!F)
    return std::nullopt;
  bool Store = Mods.has("store"), Column = Mods.has("col");
  unsigned Rows = Which == 1 ? F->K : F->M, Columns = Which == 0 ? F->K : F->N;
  Value *Stride = Mods.has("stride") ? B.CreateZExtOrTrunc(arg(Call.arg_size() - 1), B.getInt32Ty())
                                     : B.getInt32(Column ? Rows : Columns);
  auto [Registers, Bits] = fragmentShape(*F, Which);
  Value *Form = B.getInt64(F->raw()), *Memory = flat(arg(0));
  if (Store) {
    AllocaInst *From = fragment(1, Registers, Bits);
    if (!From)
      return std::nullopt;
    E.call(B, "__scopesan_cpu_wmma_store", B.getVoidTy(),
           {Form, From, Memory, Stride, B.getInt32(Column)});
    return nullptr;
  }
  auto *Struct = dyn_cast<StructType>(T);
  if ((Struct ? Struct->getNumElements() : 1) != Registers)
    return std::nullopt;
  IRBuilder<> Entry(&*Call.getFunction()->getEntryBlock().begin());
  AllocaInst *To = Entry.CreateAlloca(ArrayType::get(B.getIntNTy(Bits), Registers));
  E.call(B, "__scopesan_cpu_wmma_load", B.getVoidTy(),
         {Form, B.getInt32(Which), To, Memory, Stride, B.getInt32(Column)});
  return unpackFragment(To);
}

/// wgmma.commit_group.sync.aligned(), wgmma.wait_group.sync.aligned(i64 n)
std::optional<Value *> IntrinsicLowering::warpgroup() {
  if (Mods.has("commit_group"))
    E.call(B, "__scopesan_cpu_wgmma_commit", B.getVoidTy(), {});
  else if (Mods.has("wait_group"))
    E.call(B, "__scopesan_cpu_wgmma_wait", B.getVoidTy(), {B.CreateTrunc(arg(0), B.getInt32Ty())});
  else
    return std::nullopt;
  return nullptr;
}

// Texture and surface instructions (PTX ISA 9.7.10, 9.7.11), executed by the engine.
#include "Asm.h"
#include "Intrinsics.h"
#include "TextureCalls.h"
#include "Textures.h"

#include "llvm/IR/Constants.h"

using namespace llvm;
using namespace scopesan;
using namespace scopesan::retarget;
using scopesan::ptx::OperandKind;

AllocaInst *TextureCalls::slot(Type *Of, unsigned Count) {
  BasicBlock &Entry = B.GetInsertBlock()->getParent()->getEntryBlock();
  IRBuilder<> Top(&Entry, Entry.begin());
  return Top.CreateAlloca(ArrayType::get(Of, Count));
}

Value *TextureCalls::pack(ArrayRef<Value *> Values, Type *As) {
  AllocaInst *Slot = slot(As, std::max<size_t>(Values.size(), 1));
  for (unsigned I = 0; I < Values.size(); ++I)
    B.CreateStore(A.asType(Values[I], As), B.CreateConstGEP1_64(As, Slot, I));
  return Slot;
}

Type *TextureCalls::element(const abi::TextureForm &F) {
  return B.getIntNTy(F.isSurface() ? F.ElementBytes * 8 : 32);
}

SmallVector<Value *> TextureCalls::read(const abi::TextureForm &F, Value *Object,
                                        ArrayRef<Value *> Coordinates) {
  Type *T = element(F);
  AllocaInst *Result = slot(T, F.Elements);
  StringRef Name = F.isSurface() ? "__scopesan_cpu_surface_read" : "__scopesan_cpu_texture";
  E.call(B, Name, B.getVoidTy(),
         {A.asType(Object, B.getInt64Ty()), B.getInt32(F.raw()), pack(Coordinates, B.getInt32Ty()),
          Result});
  SmallVector<Value *> Values;
  for (unsigned I = 0; I < F.Elements; ++I)
    Values.push_back(B.CreateLoad(T, B.CreateConstGEP1_64(T, Result, I)));
  return Values;
}

void TextureCalls::write(const abi::TextureForm &F, Value *Object, ArrayRef<Value *> Coordinates,
                         ArrayRef<Value *> Values) {
  E.call(B, "__scopesan_cpu_surface_write", B.getVoidTy(),
         {A.asType(Object, B.getInt64Ty()), B.getInt32(F.raw()), pack(Coordinates, B.getInt32Ty()),
          pack(Values, element(F))});
}

bool AsmLowering::texture() {
  std::string_view Why;
  std::optional<abi::TextureForm> F = ptx::textureForm(*Current, Why);
  if (!F)
    return false;
  bool Write = F->Operation == abi::TextureOperation::SurfaceWrite;
  const Operand &Object = Current->Operands[Write ? 0 : 1];
  SmallVector<Value *> Coordinates, Values;
  for (const Operand &O : ptx::textureCoordinates(*Current, *F)) {
    // A literal must be known for what it is.
    bool Float = F->FloatCoordinates && !(Coordinates.empty() && isArray(F->Geometry));
    Coordinates.push_back(this->read(O, Float ? B.getFloatTy() : B.getInt32Ty()));
  }
  TextureCalls Calls(E, B, A);
  Value *Handle = this->read(Object.Elements[0], B.getInt64Ty());
  const Operand &Data = Current->Operands[Write ? 1 : 0];
  if (Write) {
    for (const Operand &O : elements(Data))
      Values.push_back(this->read(O, Calls.element(*F)));
    Calls.write(*F, Handle, Coordinates, Values);
    return true;
  }
  Values = Calls.read(*F, Handle, Coordinates);
  for (auto [O, V] : zip_equal(elements(Data), Values))
    this->write(O, V);
  if (!Data.Second.empty()) // everything is resident
    this->write(Data.Second[0], B.getTrue());
  return true;
}

std::optional<Value *> IntrinsicLowering::texture() {
  std::string Error;
  std::string_view Why;
  std::optional<ptx::Program> P = ptx::parse(ptx::textureIntrinsic(Name.str()), Error);
  if (!P || P->Statements.empty())
    return std::nullopt;
  const ptx::Statement &S = P->Statements[0];
  std::optional<abi::TextureForm> F = ptx::textureForm(S, Why);
  if (!F)
    return std::nullopt;
  SmallVector<Value *> Coordinates, Values;
  for (const ptx::Operand &O : ptx::textureCoordinates(S, *F))
    Coordinates.push_back(arg(O.Index));
  TextureCalls Calls(E, B, A);
  if (F->Operation == abi::TextureOperation::SurfaceWrite) {
    for (const ptx::Operand &O : S.Operands[1].Elements)
      Values.push_back(arg(O.Index));
    Calls.write(*F, arg(0), Coordinates, Values);
    return nullptr;
  }
  Values = Calls.read(*F, arg(0), Coordinates);
  auto *Struct = dyn_cast<StructType>(T);
  if (!Struct)
    return A.asType(Values[0], T);
  Value *Result = PoisonValue::get(Struct);
  for (unsigned I = 0; I < Values.size(); ++I)
    Result = B.CreateInsertValue(Result, A.asType(Values[I], Struct->getElementType(I)), I);
  return Result;
}

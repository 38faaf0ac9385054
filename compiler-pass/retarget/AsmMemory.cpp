// Data movement, memory and atomics (PTX ISA 9.7.9, 9.7.13).
#include "Asm.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"

using namespace llvm;
using namespace scopesan;
using namespace scopesan::retarget;
using scopesan::ptx::OperandKind;

bool AsmLowering::drop() { return true; }

bool AsmLowering::zeroResult() { return out(B.getInt64(0), false); }

/// mov.b64 {lo, hi}, v
bool AsmLowering::unpackVector() {
  ArrayRef<Operand> Parts = elements(*operand(0));
  unsigned Width = T.bits() / Parts.size();
  Value *V = A.asType(in(1), B.getIntNTy(T.bits()));
  for (unsigned I = 0; I < Parts.size(); ++I)
    write(Parts[I], B.CreateTrunc(B.CreateLShr(V, uint64_t(I) * Width), B.getIntNTy(Width)));
  return true;
}

/// mov.b64 v, {lo, hi}
bool AsmLowering::packVector() {
  ArrayRef<Operand> Parts = elements(*operand(1));
  unsigned Width = T.bits() / Parts.size();
  Type *Whole = B.getIntNTy(T.bits());
  Value *V = ConstantInt::get(Whole, 0);
  for (unsigned I = 0; I < Parts.size(); ++I) {
    Value *Part = B.CreateZExt(read(Parts[I], B.getIntNTy(Width)), Whole);
    V = B.CreateOr(V, B.CreateShl(Part, uint64_t(I) * Width));
  }
  return out(V, false);
}

bool AsmLowering::move() {
  if (!T || Current->Operands.size() < 2)
    return false;
  if (operand(0)->is(OperandKind::Vector))
    return unpackVector();
  if (operand(1)->is(OperandKind::Vector))
    return packVector();
  return out(in(1));
}

static bool isStrong(const Modifiers &Mods) {
  return Mods.hasAny("relaxed", "acquire", "release", "volatile", "mmio");
}

/// Addresses of these spaces are not flat on the CPU, or name other things than memory.
static bool hasUnknownForm(const Modifiers &Mods) {
  return Mods.hasAny("param", "param::entry", "param::func", "async", "bulk");
}

bool AsmLowering::load() {
  if (!T || Current->Operands.size() < 2 || hasUnknownForm(Mods))
    return false;
  Value *Address = address(*operand(1));
  ArrayRef<Operand> Targets = elements(*operand(0));
  // The address register may be among the targets: load everything first.
  SmallVector<Value *, 8> Loaded;
  for (unsigned I = 0; I < Targets.size(); ++I)
    Loaded.push_back(B.CreateLoad(T.Ty, B.CreateConstGEP1_64(T.Ty, Address, I), isStrong(Mods)));
  for (unsigned I = 0; I < Targets.size(); ++I)
    write(Targets[I], Loaded[I], T.Signed);
  return true;
}

bool AsmLowering::store() {
  if (Mods.has("async"))
    return storeAsync();
  if (!T || Current->Operands.size() < 2 || hasUnknownForm(Mods))
    return false;
  Value *Address = address(*operand(0));
  ArrayRef<Operand> Sources = elements(*operand(1));
  for (unsigned I = 0; I < Sources.size(); ++I)
    B.CreateStore(read(Sources[I], T.Ty, T.Signed), B.CreateConstGEP1_64(T.Ty, Address, I),
                  isStrong(Mods));
  return true;
}

static AtomicRMWInst::BinOp atomicOperation(const Modifiers &Mods, NumberType T) {
  bool Float = T.isFloat(), Signed = T.Signed;
  for (StringRef Part : Mods) {
    auto Op = StringSwitch<AtomicRMWInst::BinOp>(Part)
                  .Case("add", Float ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
                  .Case("exch", AtomicRMWInst::Xchg)
                  .Case("and", AtomicRMWInst::And)
                  .Case("or", AtomicRMWInst::Or)
                  .Case("xor", AtomicRMWInst::Xor)
                  .Case("inc", AtomicRMWInst::UIncWrap)
                  .Case("dec", AtomicRMWInst::UDecWrap)
                  .Case("max", Float    ? AtomicRMWInst::FMax
                               : Signed ? AtomicRMWInst::Max
                                        : AtomicRMWInst::UMax)
                  .Case("min", Float    ? AtomicRMWInst::FMin
                               : Signed ? AtomicRMWInst::Min
                                        : AtomicRMWInst::UMin)
                  .Default(AtomicRMWInst::BAD_BINOP);
    if (Op != AtomicRMWInst::BAD_BINOP)
      return Op;
  }
  return AtomicRMWInst::BAD_BINOP;
}

/// One lane of atom or red; null when the operation is unknown.
Value *AsmLowering::readModifyWrite(Value *Address, unsigned FirstSource, unsigned Lane) {
  constexpr AtomicOrdering Relaxed = AtomicOrdering::Monotonic;
  auto source = [&](unsigned I, Type *Ty) {
    const Operand *O = operand(I);
    if (O && O->is(OperandKind::Vector))
      O = Lane < O->Elements.size() ? &O->Elements[Lane] : nullptr;
    return O ? read(*O, Ty, T.Signed) : nullptr;
  };
  if (Mods.has("cas")) {
    Type *Bits = B.getIntNTy(T.bits());
    Value *Expected = source(FirstSource, Bits), *Desired = source(FirstSource + 1, Bits);
    if (!Expected || !Desired)
      return nullptr;
    Value *Pair = B.CreateAtomicCmpXchg(Address, Expected, Desired, MaybeAlign(), Relaxed, Relaxed);
    return B.CreateExtractValue(Pair, 0);
  }
  AtomicRMWInst::BinOp Op = atomicOperation(Mods, T);
  Value *V = source(FirstSource, T.Ty);
  if (Op == AtomicRMWInst::BAD_BINOP || !V)
    return nullptr;
  return B.CreateAtomicRMW(Op, Address, V, MaybeAlign(), Relaxed);
}

/// atom{...}.op.type d, [a], b {, c}; red has no d. A vector is a set of scalars.
bool AsmLowering::atomic() {
  bool HasResult = Mods[0] == "atom";
  if (Mods.has("async"))
    return storeAsync();
  if (!T || Current->Operands.size() < 2u + HasResult)
    return false;
  Value *Address = address(*operand(HasResult));
  ArrayRef<Operand> Targets = elements(*operand(HasResult ? 0 : 1));
  SmallVector<Value *, 8> Old;
  for (unsigned Lane = 0; Lane < Targets.size(); ++Lane) {
    Value *LaneAddress = B.CreateConstGEP1_64(T.Ty, Address, Lane);
    Old.push_back(readModifyWrite(LaneAddress, HasResult + 1, Lane));
    if (!Old.back())
      return false;
  }
  if (HasResult)
    for (unsigned Lane = 0; Lane < Targets.size(); ++Lane)
      write(Targets[Lane], Old[Lane], T.Signed);
  return true;
}

/// Every space is a part of the flat one, and shared memory lies below 4 GiB.
bool AsmLowering::forwardAddress() {
  return !Mods.has("param") && out(in(1, B.getInt64Ty()), false);
}

bool AsmLowering::isSpace() {
  abi::Space S = StringSwitch<abi::Space>(Mods[1])
                     .Case("global", abi::Space::Global)
                     .Cases({"shared", "shared::cta"}, abi::Space::Shared)
                     .Case("shared::cluster", abi::Space::SharedCluster)
                     .Case("const", abi::Space::Const)
                     .Case("local", abi::Space::Local)
                     .Default(abi::Space::Generic);
  Value *Pointer = B.CreateIntToPtr(in(1, B.getInt64Ty()), B.getPtrTy());
  if (Mods[1] == "param" || Mods[1] == "param::entry")
    return out(E.isParameter(B, Pointer), false);
  if (S == abi::Space::Generic)
    return false;
  return out(E.isSpace(B, Pointer, S), false);
}

bool AsmLowering::mapa() {
  Value *Address = in(1, B.getInt64Ty());
  return out(E.call(B, "__scopesan_cpu_mapa", B.getInt64Ty(), {Address, in32(2)}), false);
}

bool AsmLowering::getctarank() {
  Value *Address = in(1, B.getInt64Ty());
  return out(E.call(B, "__scopesan_cpu_getctarank", B.getInt32Ty(), {Address}), false);
}

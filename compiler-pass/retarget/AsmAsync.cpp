// mbarrier and asynchronous copies (PTX ISA 9.7.9.25, 9.7.13.15), executed by the engine.
#include "Asm.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"

using namespace llvm;
using namespace scopesan::retarget;
using scopesan::cpu::ReduceOp;
using scopesan::cpu::ReduceType;
using scopesan::cpu::Reduction;
using scopesan::cpu::TensorMapField;
using scopesan::cpu::WarpOp;
using scopesan::ptx::OperandKind;

/// mbarrier.arrive{_drop}{.expect_tx}{...} {state | _}, [barrier] {, count or bytes}
bool AsmLowering::mbarrierArrive(bool Drop) {
  unsigned At = operand(0) && operand(0)->is(OperandKind::Memory) ? 0 : 1;
  if (!operand(At))
    return false;
  bool Bytes = Mods.has("expect_tx");
  Value *Given = operand(At + 1) ? in32(At + 1) : B.getInt32(Bytes ? 0 : 1);
  // expect_tx arrives once, or as often as a fourth operand says.
  Value *Count = Bytes ? (operand(At + 2) ? in32(At + 2) : B.getInt32(1)) : Given;
  Value *State =
      E.call(B, "__scopesan_cpu_mbarrier_arrive", B.getInt64Ty(),
             {address(*operand(At)), Count, Bytes ? Given : B.getInt32(0), B.getInt32(Drop)});
  return At == 0 || out(State, false);
}

/// mbarrier.{test,try}_wait{.parity} p, [barrier], state {, time}
bool AsmLowering::mbarrierWait() {
  if (!operand(2))
    return false;
  Value *State = in(2, B.getInt64Ty());
  Value *Done =
      E.call(B, "__scopesan_cpu_mbarrier_wait", B.getInt32Ty(), {address(*operand(1)), State});
  return out(B.CreateICmpNE(Done, B.getInt32(0)), false);
}

bool AsmLowering::mbarrier() {
  StringRef Kind = Mods[1];
  if (!operand(0))
    return false;
  if (Kind == "arrive" || Kind == "arrive_drop")
    return mbarrierArrive(Kind == "arrive_drop");
  if (Kind == "test_wait" || Kind == "try_wait")
    return mbarrierWait();
  if (Kind == "pending_count")
    return out(
        E.call(B, "__scopesan_cpu_mbarrier_pending", B.getInt32Ty(), {in(1, B.getInt64Ty())}),
        false);
  if (Kind == "inval")
    return true;
  StringRef Name = StringSwitch<StringRef>(Kind)
                       .Case("init", "__scopesan_cpu_mbarrier_init")
                       .Case("expect_tx", "__scopesan_cpu_mbarrier_expect")
                       .Case("complete_tx", "__scopesan_cpu_mbarrier_complete")
                       .Default("");
  if (Name.empty() || !operand(1))
    return false;
  E.call(B, Name, B.getVoidTy(), {address(*operand(0)), in32(1)});
  return true;
}

/// Operands without the cache policy, which stands last or before a byte mask.
unsigned AsmLowering::operandsButPolicy() {
  return Current->Operands.size() - Mods.has("L2::cache_hint");
}

/// cp.async.{ca,cg}.shared.global [to], [from], bytes {, source bytes or ignore predicate}
bool AsmLowering::copyAsync() {
  if (operandsButPolicy() < 3 || !operand(0)->is(OperandKind::Memory))
    return false;
  Value *Bytes = in32(2), *Source = Bytes;
  if (operandsButPolicy() > 3) {
    AllocaInst *Variable = variable(*operand(3));
    bool Ignore = Variable && Variable->getAllocatedType()->isIntegerTy(1);
    Source = Ignore ? B.CreateSelect(inPredicate(3), B.getInt32(0), Bytes) : in32(3);
  }
  E.call(B, "__scopesan_cpu_cp_async", B.getVoidTy(),
         {address(*operand(0)), address(*operand(1)), Bytes, Source});
  return true;
}

static ReduceOp reduceOp(const Modifiers &Mods) {
  ReduceOp Op = ReduceOp::None;
  for (StringRef Part : Mods) {
    Op = StringSwitch<ReduceOp>(Part)
             .Case("add", ReduceOp::Add)
             .Case("min", ReduceOp::Min)
             .Case("max", ReduceOp::Max)
             .Case("inc", ReduceOp::Inc)
             .Case("dec", ReduceOp::Dec)
             .Case("and", ReduceOp::And)
             .Case("or", ReduceOp::Or)
             .Case("xor", ReduceOp::Xor)
             .Default(Op);
  }
  return Op;
}

static std::optional<Reduction> reduction(const Modifiers &Mods) {
  ReduceOp Op = reduceOp(Mods);
  auto Type = StringSwitch<std::optional<ReduceType>>(Mods.back())
                  .Cases({"u32", "b32"}, ReduceType::U32)
                  .Case("s32", ReduceType::S32)
                  .Cases({"u64", "b64"}, ReduceType::U64)
                  .Case("s64", ReduceType::S64)
                  .Case("f16", ReduceType::F16)
                  .Case("bf16", ReduceType::BF16)
                  .Case("f32", ReduceType::F32)
                  .Case("f64", ReduceType::F64)
                  .Default(std::nullopt);
  if (Op == ReduceOp::None || !Type)
    return std::nullopt;
  return Reduction(Op, *Type);
}

/// cp{.reduce}.async.bulk.* [to], [from], bytes {, [barrier]} {, receivers} {, policy} {, byte
/// mask}
bool AsmLowering::copyBulk() {
  bool Reduces = Mods.has("reduce"), Signals = Mods.has("mbarrier::complete_tx::bytes");
  bool Multicast = Mods.has("multicast::cluster"), Masked = Mods.has("cp_mask");
  if (operandsButPolicy() != 3u + Signals + Multicast + Masked)
    return false;
  std::optional<Reduction> R = Reduces ? reduction(Mods) : Reduction(0);
  if (!R)
    return false;
  Value *Barrier = Signals ? address(*operand(3)) : ConstantPointerNull::get(B.getPtrTy());
  Value *Masks = B.getInt32(0);
  if (Multicast)
    Masks = B.CreateAnd(in32(4), 0xffff);
  else if (Masked) // bits of the bytes that are copied
    Masks = B.CreateShl(B.CreateNot(in32(Current->Operands.size() - 1)), 16);
  E.call(B, "__scopesan_cpu_bulk_copy", B.getVoidTy(),
         {address(*operand(0)), address(*operand(1)), in(2, B.getInt64Ty()), Barrier,
          B.getInt32(R->raw()), Masks});
  return true;
}

/// cp.async.bulk.tensor.dim.shared.global... [to], [map, {coordinates}], [barrier] {, receivers}
/// cp{.reduce}.async.bulk.tensor.dim.global.shared::cta... [map, {coordinates}], [from]
bool AsmLowering::copyTensor() {
  bool Reduces = Mods.has("reduce"), Signals = Mods.has("mbarrier::complete_tx::bytes");
  bool Multicast = Mods.has("multicast::cluster"), Store = !Signals;
  if (Mods.hasAny("im2col", "im2col::w", "im2col::w::128", "im2col_no_offs", "tile::gather4",
                  "tile::scatter4", "cta_group::1", "cta_group::2") ||
      operandsButPolicy() != 2u + Signals + Multicast || (Store && !Mods.has("bulk_group")))
    return false;
  ReduceOp Op = reduceOp(Mods);
  if (Reduces != (Op != ReduceOp::None))
    return false;
  const Operand &Tensor = *operand(Store ? 0 : 1), &Shared = *operand(Store ? 1 : 0);
  if (!Tensor.is(OperandKind::Memory) || Tensor.Elements.size() != 2 ||
      !Shared.is(OperandKind::Memory))
    return false;
  ArrayRef<Operand> Coordinates = elements(Tensor.Elements[1]);
  AllocaInst *Start = slot(ArrayType::get(B.getInt32Ty(), Coordinates.size()));
  for (unsigned I = 0; I < Coordinates.size(); ++I)
    B.CreateStore(read(Coordinates[I], B.getInt32Ty()),
                  B.CreateConstGEP1_64(B.getInt32Ty(), Start, I));
  Value *Barrier = Signals ? address(*operand(2)) : ConstantPointerNull::get(B.getPtrTy());
  Value *Receivers = Multicast ? B.CreateAnd(in32(3), 0xffff) : B.getInt32(0);
  E.call(B, "__scopesan_cpu_tensor_copy", B.getVoidTy(),
         {address(Tensor), address(Shared), Barrier, Start, B.getInt32(Coordinates.size()),
          B.getInt32(Store), B.getInt32(uint32_t(Op)), Receivers});
  return true;
}

static std::optional<TensorMapField> fieldNamed(StringRef Name) {
  return StringSwitch<std::optional<TensorMapField>>(Name)
      .Case("global_address", TensorMapField::Address)
      .Case("rank", TensorMapField::Rank)
      .Case("box_dim", TensorMapField::Box)
      .Case("global_dim", TensorMapField::Size)
      .Case("global_stride", TensorMapField::Stride)
      .Case("element_stride", TensorMapField::Step)
      .Case("elemtype", TensorMapField::Type)
      .Case("interleave_layout", TensorMapField::Interleave)
      .Case("swizzle_mode", TensorMapField::Swizzle)
      .Case("swizzle_atomicity", TensorMapField::Atomicity)
      .Case("fill_mode", TensorMapField::Fill)
      .Default(std::nullopt);
}

/// tensormap.replace.tile.field{.space}.b1024.type [map], {ordinal,} value
/// tensormap.cp_fenceproxy... [to], [from], 128: the lanes copy the same bytes between two
/// meetings.
bool AsmLowering::tensorMap() {
  if (!operand(1) || !operand(0)->is(OperandKind::Memory))
    return false;
  if (Mods[1] == "cp_fenceproxy") {
    Value *All = B.getInt32(~0u);
    E.warp(B, WarpOp::Sync, All, B.getInt32(0));
    B.CreateMemCpy(address(*operand(0)), MaybeAlign(1), address(*operand(1)), MaybeAlign(1), 128);
    E.warp(B, WarpOp::Sync, All, B.getInt32(0));
    return true;
  }
  std::optional<TensorMapField> Field = Mods.size() > 3 ? fieldNamed(Mods[3]) : std::nullopt;
  unsigned Last = Current->Operands.size() - 1;
  if (Mods[1] != "replace" || !Field || Last < 1 || Last > 2)
    return false;
  Value *Index = Last == 2 ? in32(1) : B.getInt32(0);
  Type *Wide = B.getIntNTy(Mods.back() == "b64" ? 64 : 32);
  E.call(B, "__scopesan_cpu_tensormap_replace", B.getVoidTy(),
         {address(*operand(0)), B.getInt32(uint32_t(*Field)), Index,
          B.CreateZExt(in(Last, Wide), B.getInt64Ty())});
  return true;
}

/// cp.async{.bulk}.{commit_group,wait_group{.read} n}, cp.async.wait_all
bool AsmLowering::copyGroup() {
  bool Bulk = Mods.has("bulk");
  Type *Void = B.getVoidTy();
  if (Mods.has("commit_group")) {
    E.call(B, Bulk ? "__scopesan_cpu_bulk_commit" : "__scopesan_cpu_cp_async_commit", Void, {});
    return true;
  }
  Value *Allowed = Mods.has("wait_all") ? B.getInt32(abi::WaitAll) : in32(0);
  if (Bulk)
    E.call(B, "__scopesan_cpu_bulk_wait", Void, {Allowed, B.getInt32(Mods.has("read"))});
  else
    E.call(B, "__scopesan_cpu_cp_async_wait", Void, {Allowed});
  return true;
}

bool AsmLowering::copy() {
  if (Mods[1] != "async" && !(Mods[1] == "reduce" && Mods[2] == "async"))
    return false;
  if (Mods.hasAny("commit_group", "wait_group", "wait_all"))
    return copyGroup();
  if (Mods.has("prefetch"))
    return true;
  if (Mods[2] == "mbarrier") {
    E.call(B, "__scopesan_cpu_cp_async_mbarrier_arrive", B.getVoidTy(),
           {address(*operand(0)), B.getInt32(Mods.has("noinc"))});
    return true;
  }
  if (Mods.has("tensor"))
    return copyTensor();
  return Mods.has("bulk") ? copyBulk() : copyAsync();
}

/// st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes{.vec}.type [a], b, [barrier]
/// red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.op.type, likewise
/// {st|red}.async{.mmio}.release.scope{.global}{.op}.type [a], b
bool AsmLowering::storeAsync() {
  bool Reduces = Mods[0] == "red";
  std::optional<Reduction> R = Reduces ? reduction(Mods) : Reduction(0);
  bool Signals = !Mods.has("release");
  if (!T || !R || Current->Operands.size() != 2u + Signals || (Signals && Mods.has("global")))
    return false;
  ArrayRef<Operand> Sources = elements(*operand(1));
  AllocaInst *Values = slot(ArrayType::get(T.Ty, Sources.size()));
  for (unsigned I = 0; I < Sources.size(); ++I)
    B.CreateStore(read(Sources[I], T.Ty), B.CreateConstGEP1_64(T.Ty, Values, I));
  Value *Bytes = B.getInt32(Sources.size() * T.bits() / 8);
  E.call(B, "__scopesan_cpu_store_async", B.getVoidTy(),
         {address(*operand(0)), Values, Bytes,
          Signals ? address(*operand(2)) : ConstantPointerNull::get(B.getPtrTy()),
          B.getInt32(R->raw())});
  return true;
}

bool AsmLowering::dependentLaunch() {
  bool Wait = Mods.has("wait");
  E.call(B, Wait ? "__scopesan_cpu_griddep_wait" : "__scopesan_cpu_griddep_launch", B.getVoidTy(),
         {});
  return true;
}

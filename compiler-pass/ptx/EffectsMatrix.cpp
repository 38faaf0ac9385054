// Matrices: ldmatrix and stmatrix, wmma loads and stores, wgmma (PTX ISA 9.7.15, 9.7.16), tensor
// copies and tensor maps (9.7.9.27, 9.7.9.28).
#include "EffectBuilder.h"

#include <charconv>

namespace scopesan::ptx {

using abi::AccessKind;
using abi::MemoryOrder;
using abi::Scope;
using abi::Space;

/// {ld,st}matrix.sync.aligned.shape.num{.trans}{.shared}.type: the first lanes give one row each.
/// Which lane moves which bytes is not specified as memory operations: a row is taken as accessed
/// by the lane that gives its address.
void EffectBuilder::matrix(unsigned At) {
  const Statement &S = Prog.Statements[At];
  struct Shape {
    std::string_view Opcode, Name, Type;
    unsigned Rows, RowBytes;
  };
  static constexpr Shape Shapes[] = {
      {"ldmatrix", "m8n8", "b16", 8, 16},          {"ldmatrix", "m16n16", "b8", 16, 16},
      {"ldmatrix", "m16n16", "b6x16_p32", 16, 12}, {"ldmatrix", "m16n16", "b4x16_p64", 16, 8},
      {"ldmatrix", "m8n16", "b6x16_p32", 8, 12},   {"ldmatrix", "m8n16", "b4x16_p64", 8, 8},
      {"stmatrix", "m8n8", "b16", 8, 16},          {"stmatrix", "m16n8", "b8", 8, 16}};
  unsigned Memory = memoryOperand(S), Number = 0;
  for (unsigned N : {1, 2, 4})
    if (hasPart(S, "x" + std::to_string(N)))
      Number = N;
  for (const Shape &Sh : Shapes) {
    if (S.Parts[0] != Sh.Opcode || !hasPart(S, Sh.Name) || S.Parts.back() != Sh.Type)
      continue;
    Modifiers M = decodeModifiers(
        S, {"sync", "aligned", "x1", "x2", "x4", "trans", "b8x16", Sh.Name, Sh.Type});
    if (!M.Unknown.empty() || !Number || Number * Sh.Rows > 32 || Memory == NoIndex ||
        (M.Space && *M.Space != Space::Shared))
      break;
    Effect E;
    E.Kind = EffectKind::Access;
    E.Op = abi::Op(Sh.Opcode == "ldmatrix" ? AccessKind::Load : AccessKind::Store,
                   MemoryOrder::Weak, Scope::Thread, M.Space.value_or(Space::Generic));
    E.ElementBytes = 1;
    E.Elements = Sh.RowBytes;
    E.Lanes = Number * Sh.Rows;
    E.Address = Values.address(S.Operands[Memory], E.Op.space(), At);
    return push(std::move(E), At);
  }
  unmodelled(At, "unknown form of matrix load or store");
}

namespace {

struct TileShape {
  unsigned M = 0, N = 0, K = 0;
};

/// "m16n16k16"
bool readShape(std::string_view Part, TileShape &Shape) {
  const char *At = Part.data(), *End = At + Part.size();
  for (auto [Letter, Number] : {std::pair{'m', &Shape.M}, {'n', &Shape.N}, {'k', &Shape.K}}) {
    if (At == End || *At != Letter)
      return false;
    auto [Next, Error] = std::from_chars(At + 1, End, *Number);
    if (Error != std::errc())
      return false;
    At = Next;
  }
  return At == End;
}

unsigned elementBits(std::string_view Type) {
  constexpr std::pair<std::string_view, unsigned> Types[] = {
      {"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"f32", 32}, {"f64", 64}, {"s32", 32},
      {"s8", 8},   {"u8", 8},    {"s4", 4},    {"u4", 4},   {"b1", 1}};
  for (auto [Name, Bits] : Types)
    if (Name == Type)
      return Bits;
  return 0;
}

} // namespace

/// wmma.load.{a,b,c}.sync.aligned.layout.shape{.space}.type r, [p] {, stride}
/// wmma.store.d.sync.aligned.layout.shape{.space}.type [p], r {, stride}
/// Which lane accesses which element is left open: lane i stands for row (or column) i of memory.
void EffectBuilder::tile(unsigned At) {
  const Statement &S = Prog.Statements[At];
  bool Store = S.Parts[1] == "store", Row = hasPart(S, "row"), Column = hasPart(S, "col");
  TileShape Shape;
  std::string_view ShapePart;
  for (const std::string &Part : S.Parts)
    if (readShape(Part, Shape))
      ShapePart = Part;
  Modifiers M = decodeModifiers(S, {"load", "store", "a", "b", "c", "d", "sync", "aligned", "row",
                                    "col", ShapePart, S.Parts.back()});
  unsigned Memory = memoryOperand(S), Bits = elementBits(S.Parts.back());
  if (!M.Unknown.empty() || ShapePart.empty() || Row == Column || !Bits ||
      Memory != (Store ? 0u : 1u) || S.Operands.size() > 3)
    return unmodelled(At, "unknown form of wmma");
  bool A = hasPart(S, "a"), FactorB = hasPart(S, "b");
  unsigned Rows = FactorB ? Shape.K : Shape.M, Columns = A ? Shape.K : Shape.N;
  unsigned Lines = Row ? Rows : Columns, Length = Row ? Columns : Rows;
  Effect E;
  E.Kind = EffectKind::Access;
  E.Op = abi::Op(Store ? AccessKind::Store : AccessKind::Load, MemoryOrder::Weak, Scope::Thread,
                 M.Space.value_or(Space::Generic));
  E.ElementBytes = 1;
  E.Elements = Length * Bits / 8;
  E.Lanes = Lines;
  E.Address = Values.address(S.Operands[Memory], E.Op.space(), At);
  E.LaneStride =
      S.Operands.size() > 2 ? Values.input(S.Operands[2], At) : ValueRef::constant(Length);
  E.LaneStrideBits = Bits;
  if (Lines > 32)
    return unmodelled(At, "unknown form of wmma");
  push(std::move(E), At);
}

/// wgmma.mma_async: the operation itself tells what it reads.
void EffectBuilder::warpgroup(unsigned At) {
  Effect E;
  E.Kind = EffectKind::Entry;
  E.Name = "__scopesan_wgmma";
  E.Op = abi::Op(AccessKind::Load, MemoryOrder::Weak, Scope::Thread, Space::Shared);
  E.Announces = E.CpuOnly = true;
  push(std::move(E), At);
}

/// cp{.reduce}.async.bulk.tensor.dim.to.from{.op}{.tile}.mechanism{.multicast::cluster}{.hint}: as
/// the tensor map says, which only the operation itself can read.
void EffectBuilder::tensorCopy(unsigned At) {
  const Statement &S = Prog.Statements[At];
  Modifiers M =
      decodeModifiers(S, {"reduce", "async", "bulk", "tensor", "1d", "2d", "3d", "4d", "5d", "tile",
                          "mbarrier::complete_tx::bytes", "bulk_group", "multicast::cluster"});
  if (!M.Unknown.empty())
    return unmodelled(At, "unknown form of tensor copy (." + std::string(M.Unknown) + ")");
  Effect E;
  E.Kind = EffectKind::Entry;
  E.Name = "__scopesan_tensor_copy";
  bool Reduce = S.Parts[1] == "reduce";
  E.Op = abi::Op(Reduce ? AccessKind::Red : AccessKind::AsyncCopy,
                 Reduce ? MemoryOrder::Relaxed : MemoryOrder::Weak,
                 Reduce ? Scope::Device : Scope::Thread, M.Space.value_or(Space::Generic));
  E.Publishes = E.Announces = E.CpuOnly = true;
  push(std::move(E), At);
}

namespace {

constexpr unsigned TensorMapBytes = 128;

Effect mapAccess(AccessKind Kind, AddressRef Address) {
  Effect E;
  E.Kind = EffectKind::Access;
  E.Op = abi::Op(Kind, MemoryOrder::Weak, Scope::Thread, Address.Space);
  E.ElementBytes = 1;
  E.Elements = TensorMapBytes;
  E.Address = std::move(Address);
  return E;
}

} // namespace

/// tensormap.replace.tile.field{.space}.b1024.type [map], {ordinal,} value: a weak operation on the
/// whole object.
void EffectBuilder::tensorMap(unsigned At) {
  const Statement &S = Prog.Statements[At];
  if (hasPart(S, "cp_fenceproxy"))
    return tensorMapCopy(At);
  static constexpr std::string_view Fields[] = {
      "global_address",    "rank",     "elemtype", "interleave_layout", "swizzle_mode",
      "swizzle_atomicity", "fill_mode"};
  static constexpr std::string_view Indexed[] = {"box_dim", "global_dim", "global_stride",
                                                 "element_stride"};
  std::string_view Field = S.Parts.size() > 3 ? std::string_view(S.Parts[3]) : "";
  size_t Operands = 0;
  for (std::string_view Name : Fields)
    Operands = Name == Field ? 2 : Operands;
  for (std::string_view Name : Indexed)
    Operands = Name == Field ? 3 : Operands;
  Modifiers M = decodeModifiers(S, {"replace", "tile", "b1024", Field});
  Space In = M.Space.value_or(Space::Generic);
  if (!M.Unknown.empty() || S.Parts[1] != "replace" || !Operands || Operands != S.Operands.size() ||
      memoryOperand(S) != 0 || M.Order || M.Scope || M.SecondSpace ||
      (In != Space::Generic && In != Space::Global && In != Space::Shared))
    return unmodelled(At, "unknown form of tensormap");
  push(mapAccess(AccessKind::Store, Values.address(S.Operands[0], In, At)), At);
}

/// tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [to],
/// [from], 128: by the whole warp, which meets before and after it. Which lane copies is left open:
/// the first one.
void EffectBuilder::tensorMapCopy(unsigned At) {
  const Statement &S = Prog.Statements[At];
  Modifiers M = decodeModifiers(S, {"cp_fenceproxy", "tensormap::generic", "sync", "aligned"});
  if (!M.Unknown.empty() || M.Space != Space::Global || M.SecondSpace != Space::Shared ||
      M.Order != MemoryOrder::Release || !M.Scope || !hasPart(S, "tensormap::generic") ||
      S.Operands.size() != 3 || !S.Operands[0].is(OperandKind::Memory) ||
      !S.Operands[1].is(OperandKind::Memory))
    return unmodelled(At, "unknown form of tensormap");
  Effect Meet;
  Meet.Kind = EffectKind::WarpBarrier;
  Meet.Mask = ValueRef::constant(0xffffffff);
  Effect Read = mapAccess(AccessKind::Load, Values.address(S.Operands[1], Space::Shared, At));
  Effect Write = mapAccess(AccessKind::Store, Values.address(S.Operands[0], Space::Global, At));
  Read.Lanes = Write.Lanes = 1;
  Effect Fence;
  Fence.Kind = EffectKind::Entry;
  Fence.Name = "__scopesan_tensormap_fence";
  Fence.Op = abi::Op(AccessKind::Fence, MemoryOrder::Release, *M.Scope);
  EntryArgument None;
  None.Kind = ArgumentKind::Address;
  None.Value = None.Place.Value = ValueRef::constant(0);
  Fence.Arguments = {None};
  for (Effect *E : {&Meet, &Read, &Write, &Fence})
    push(*E, At);
}

} // namespace scopesan::ptx

// Matrices: ldmatrix and stmatrix, wmma loads and stores, wgmma (PTX ISA 9.7.15, 9.7.16), tensor
// copies and tensor maps (9.7.9.27, 9.7.9.28).
#include "EffectBuilder.h"

#include "scopesan/gpu_abi.h"

#include <bit>
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

/// Of the factors that wgmma reads from shared memory; 0 if unknown.
unsigned factorBits(std::string_view Type) {
  constexpr std::pair<std::string_view, unsigned> Types[] = {
      {"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"s8", 8}, {"u8", 8}, {"e4m3", 8}, {"e5m2", 8}};
  for (auto [Name, Bits] : Types)
    if (Name == Type)
      return Bits;
  return 0;
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

namespace {

Effect gpuEntry(std::string_view Name, abi::Op Op = {}) {
  Effect E = entry(Name);
  E.Op = Op;
  E.GpuOnly = true;
  return E;
}

} // namespace

/// wgmma.mma_async.sync.aligned.shape.d.a.b d, a, b, scale-d {, scales} {, transpositions}: on the
/// CPU the operation itself tells what it reads.
void EffectBuilder::warpgroup(unsigned At) {
  const Statement &S = Prog.Statements[At];
  size_t Last = S.Parts.size() - 1;
  TileShape Shape;
  bool Known = S.Parts.size() == 8u + hasPart(S, "satfinite") && readShape(S.Parts[4], Shape) &&
               S.Operands.size() >= 4;
  unsigned Bits = Known ? factorBits(S.Parts[Last]) : 0;
  if (!Bits || Bits != factorBits(S.Parts[Last - 1]) || Shape.M != 64 || Shape.N % 8 ||
      Shape.N > 256 || Shape.K * Bits != 256)
    return unmodelled(At, "unknown form of wgmma");
  abi::Op Op(AccessKind::Load, MemoryOrder::Weak, Scope::Thread, Space::Shared);
  Effect E;
  E.Kind = EffectKind::Entry;
  E.Name = "__scopesan_wgmma";
  E.Op = Op;
  E.Announces = E.CpuOnly = true;
  push(std::move(E), At);
  bool SharedA = !S.Operands[1].is(OperandKind::Vector), Halves = Bits == 16;
  // Operands end with the transpositions of A (in shared memory) and of B.
  if (S.Operands.size() < (Halves ? 6u + 1 + SharedA : 4u))
    return unmodelled(At, "unknown form of wgmma");
  auto Operand = unsigned(S.Operands.size());
  Effect G = gpuEntry("__scopesan_gpu_wgmma", Op);
  uint32_t Raw = Shape.N | uint32_t(std::countr_zero(Bits / 8)) << gpu::wgmma::ElementLog2Shift |
                 (SharedA ? gpu::wgmma::SharedABit : 0);
  G.Arguments = {SharedA ? number(S, 1, At) : constant(0), number(S, 2, At), constant(Raw),
                 Halves && SharedA ? number(S, Operand - 2, At) : constant(0),
                 Halves ? number(S, Operand - 1, At) : constant(0)};
  push(std::move(G), At);
}

/// wgmma.commit_group.sync.aligned, wgmma.wait_group.sync.aligned n
void EffectBuilder::warpgroupGroup(unsigned At) {
  const Statement &S = Prog.Statements[At];
  if (hasPart(S, "commit_group"))
    return push(gpuEntry("__scopesan_gpu_wgmma_commit"), At);
  Effect E = gpuEntry("__scopesan_gpu_wgmma_wait");
  E.Arguments = {number(S, 0, At)};
  E.After = true;
  push(std::move(E), At);
}

/// cp{.reduce}.async.bulk.tensor.dim.to.from{.op}{.tile}.mechanism{.multicast::cluster}{.hint}: as
/// the tensor map says. On the CPU the operation itself reads it.
///   [to], [map, {coordinates}], [barrier] {, receivers}        [map, {coordinates}], [from]
void EffectBuilder::tensorCopy(unsigned At) {
  const Statement &S = Prog.Statements[At];
  Modifiers M =
      decodeModifiers(S, {"reduce", "async", "bulk", "tensor", "1d", "2d", "3d", "4d", "5d", "tile",
                          "mbarrier::complete_tx::bytes", "bulk_group", "multicast::cluster"});
  if (!M.Unknown.empty())
    return unmodelled(At, "unknown form of tensor copy (." + std::string(M.Unknown) + ")");
  bool Reduce = S.Parts[1] == "reduce", Multicast = hasPart(S, "multicast::cluster"),
       Store = hasPart(S, "bulk_group");
  const unsigned Map = Store ? 0 : 1, Shared = 1 - Map;
  auto IsMemory = [&](unsigned I) {
    return I < S.Operands.size() && S.Operands[I].is(OperandKind::Memory);
  };
  bool Shape = IsMemory(Map) && IsMemory(Shared) && (Store || IsMemory(2)) && (!Reduce || Store) &&
               S.Operands[Map].Elements.size() == 2 &&
               S.Operands[Map].Elements[1].is(OperandKind::Vector) &&
               (!Multicast || S.Operands.size() > 3);
  size_t Rank = Shape ? S.Operands[Map].Elements[1].Elements.size() : 0;
  if (Rank < 1 || Rank > 5)
    return unmodelled(At, "unknown form of tensor copy");
  Effect E;
  E.Kind = EffectKind::Entry;
  E.Name = "__scopesan_tensor_copy";
  E.Op = abi::Op(Reduce ? AccessKind::Red : AccessKind::AsyncCopy,
                 Reduce ? MemoryOrder::Relaxed : MemoryOrder::Weak,
                 Reduce ? Scope::Device : Scope::Thread, M.Space.value_or(Space::Generic));
  E.Publishes = E.Announces = E.CpuOnly = true;
  push(E, At);

  Space In = (Store ? M.SecondSpace : M.Space).value_or(Space::Shared);
  Operand Object = S.Operands[Map];
  const std::vector<Operand> Start = Object.Elements[1].Elements;
  Object.Elements.resize(1);
  EntryArgument MapAt;
  MapAt.Kind = ArgumentKind::Address;
  MapAt.Place = Values.address(Object, Space::Generic, At);
  EntryArgument Barrier = Store ? null() : address(S, 2, In, At);
  Effect G = gpuEntry("__scopesan_gpu_tensor_copy", E.Op);
  G.Publishes = true;
  G.Arguments = {MapAt, address(S, Shared, In, At), Barrier};
  for (size_t D = 0; D < 5; ++D) {
    EntryArgument X = constant(0);
    if (D < Rank)
      X.Value = Values.input(Start[D], At);
    G.Arguments.push_back(X);
  }
  G.Arguments.push_back(
      constant(int64_t(Rank << gpu::tensor::RankShift | (Store ? gpu::tensor::StoreBit : 0) |
                       (Reduce ? gpu::tensor::ReduceBit : 0))));
  G.Arguments.push_back(Multicast ? number(S, 3, At) : constant(0));
  push(std::move(G), At);
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
  using F = abi::TensorMapField;
  struct FieldRow {
    std::string_view Name;
    F Field;
    size_t Operands;
  };
  static constexpr FieldRow Fields[] = {{"global_address", F::Address, 2},
                                        {"rank", F::Rank, 2},
                                        {"box_dim", F::Box, 3},
                                        {"global_dim", F::Size, 3},
                                        {"global_stride", F::Stride, 3},
                                        {"element_stride", F::Step, 3},
                                        {"elemtype", F::Type, 2},
                                        {"interleave_layout", F::Interleave, 2},
                                        {"swizzle_mode", F::Swizzle, 2},
                                        {"swizzle_atomicity", F::Atomicity, 2},
                                        {"fill_mode", F::Fill, 2}};
  std::string_view Name = S.Parts.size() > 3 ? std::string_view(S.Parts[3]) : "";
  const FieldRow *Row = nullptr;
  for (const FieldRow &R : Fields)
    if (R.Name == Name)
      Row = &R;
  Modifiers M = decodeModifiers(S, {"replace", "tile", "b1024", Name});
  Space In = M.Space.value_or(Space::Generic);
  if (!M.Unknown.empty() || S.Parts[1] != "replace" || !Row || Row->Operands != S.Operands.size() ||
      memoryOperand(S) != 0 || M.Order || M.Scope || M.SecondSpace ||
      (In != Space::Generic && In != Space::Global && In != Space::Shared))
    return unmodelled(At, "unknown form of tensormap");
  push(mapAccess(AccessKind::Store, Values.address(S.Operands[0], In, At)), At);
  tensorMapChange(At, Row->Field, In);
}

/// The GPU learns from the content before and after which map became which.
void EffectBuilder::tensorMapChange(unsigned At, abi::TensorMapField Field, Space In) {
  const Statement &S = Prog.Statements[At];
  auto Last = unsigned(S.Operands.size() - 1);
  Effect Before = gpuEntry("__scopesan_gpu_tensormap_before"),
         After = gpuEntry("__scopesan_gpu_tensormap_after");
  Before.Arguments = {address(S, 0, In, At), constant(int64_t(Field)),
                      Last == 2 ? number(S, 1, At) : constant(0), number(S, Last, At)};
  After.Arguments = {address(S, 0, In, At)};
  After.After = true;
  push(std::move(Before), At);
  push(std::move(After), At);
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
  Effect Fence = entry("__scopesan_tensormap_fence");
  Fence.Op = abi::Op(AccessKind::Fence, MemoryOrder::Release, *M.Scope);
  Fence.Arguments = {null(), constant(0)};
  for (Effect *E : {&Meet, &Read, &Write, &Fence})
    push(*E, At);
}

} // namespace scopesan::ptx

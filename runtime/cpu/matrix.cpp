// Matrix operations, executed by the last lane of a warp that arrives.
#include "cpu/matrix.h"

#include "cpu/collective.h"
#include "cpu/engine.h"
#include "cpu/half.h"

#include "host/shared_matrix.h"

#include <algorithm>
#include <optional>
#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

/// One lane's part in a matrix operation.
struct MatrixCall : CollectiveCall {
  uint64_t Form;
  void *D;
  const void *A, *B, *C;
  uint64_t AMatrix = 0, BMatrix = 0;
  uint32_t Site = 0; ///< of an instrumented wgmma
};

// ------------------------------------------------------------------ elements

template <typename T> T bitsAt(const void *From, uint32_t I) {
  T V;
  memcpy(&V, static_cast<const char *>(From) + I * sizeof(T), sizeof(T));
  return V;
}

/// Element `I` of a packed array. Every type is exact in a double.
double elementAt(MatrixType T, const void *From, uint32_t I) {
  switch (T) {
  case MatrixType::F16:
    return float(Half<false>{bitsAt<uint16_t>(From, I)});
  case MatrixType::BF16:
    return float(Half<true>{bitsAt<uint16_t>(From, I)});
  case MatrixType::TF32: // the low 13 bits are ignored
    return std::bit_cast<float>(bitsAt<uint32_t>(From, I) & ~0x1fffu);
  case MatrixType::F32:
    return bitsAt<float>(From, I);
  case MatrixType::F64:
    return bitsAt<double>(From, I);
  case MatrixType::S8:
    return bitsAt<int8_t>(From, I);
  case MatrixType::U8:
    return bitsAt<uint8_t>(From, I);
  case MatrixType::S32:
    return bitsAt<int32_t>(From, I);
  case MatrixType::E4M3:
    return fromE4M3(bitsAt<uint8_t>(From, I));
  case MatrixType::E5M2:
    return fromE5M2(bitsAt<uint8_t>(From, I));
  case MatrixType::U4:
  case MatrixType::S4: {
    int V = bitsAt<uint8_t>(From, I / 2) >> I % 2 * 4 & 15;
    return T == MatrixType::S4 && V > 7 ? V - 16 : V;
  }
  case MatrixType::B1:
    return bitsAt<uint8_t>(From, I / 8) >> I % 8 & 1;
  case MatrixType::None:
    break;
  }
  return 0;
}

template <typename T> void put(void *To, uint32_t I, T V) {
  memcpy(static_cast<char *>(To) + I * sizeof(T), &V, sizeof(T));
}

/// Results are f16, f32, f64 or s32.
void putElement(MatrixType T, void *To, uint32_t I, double V, bool Saturate) {
  switch (T) {
  case MatrixType::F16:
    return put(To, I, Half<false>::of(float(V)).Bits);
  case MatrixType::F32:
    return put(To, I, float(V));
  case MatrixType::F64:
    return put(To, I, V);
  default:
    if (Saturate)
      V = std::clamp(V, double(INT32_MIN), double(INT32_MAX));
    return put(To, I, uint32_t(int64_t(V)));
  }
}

/// Copies element `From`[I] to `To`[J]; all bits of an array of small elements are written in turn.
void copyElement(MatrixType T, const void *From, uint64_t I, void *To, uint64_t J) {
  uint32_t Bits = bitsOf(T);
  if (Bits >= 8) {
    memcpy(static_cast<char *>(To) + J * (Bits / 8),
           static_cast<const char *>(From) + I * (Bits / 8), Bits / 8);
    return;
  }
  uint32_t PerByte = 8 / Bits, Mask = (1u << Bits) - 1;
  uint32_t V =
      uint32_t(static_cast<const uint8_t *>(From)[I / PerByte]) >> I % PerByte * Bits & Mask;
  uint8_t &Byte = static_cast<uint8_t *>(To)[J / PerByte];
  Byte = uint8_t((Byte & ~(Mask << J % PerByte * Bits)) | V << J % PerByte * Bits);
}

// ------------------------------------------------------------------ multiplication

/// The factors of one operation: A by rows, B by columns, both along K.
struct Factors {
  static constexpr uint32_t MaxRows = 32, MaxColumns = 256, MaxAlong = 256;
  double A[MaxRows][MaxAlong], B[MaxColumns][MaxAlong];
};
Factors TheFactors; // the engine has one thread

void gather(const MatrixForm &F, MatrixOperand O, MatrixCall *const *Lanes, uint32_t Need) {
  for (uint32_t Lane = 0; Lane < 32; ++Lane) {
    if (!(Need >> Lane & 1))
      continue;
    const void *From = O == MatrixOperand::A ? Lanes[Lane]->A : Lanes[Lane]->B;
    for (uint32_t I = 0; I < elementsOf(F, O); ++I) {
      ElementPlace P = placeOf(F, O, Lane, I);
      double V = elementAt(typeOf(F, O), From, I);
      if (O == MatrixOperand::A)
        TheFactors.A[P.Row][P.Column] = V;
      else
        TheFactors.B[P.Column][P.Row] = V;
    }
  }
}

double product(const MatrixForm &F, const ElementPlace &P) {
  const double *A = TheFactors.A[P.Row], *B = TheFactors.B[P.Column];
  double Sum = 0;
  for (uint32_t K = 0; K < F.K; ++K)
    Sum += F.Xor ? double(A[K] != B[K]) : A[K] * B[K];
  return F.NegatedA != F.NegatedB ? -Sum : Sum;
}

void scatter(const MatrixForm &F, MatrixCall *const *Lanes, uint32_t Need) {
  for (uint32_t Lane = 0; Lane < 32; ++Lane) {
    if (!(Need >> Lane & 1))
      continue;
    const MatrixCall &L = *Lanes[Lane];
    for (uint32_t I = 0; I < elementsOf(F, MatrixOperand::C); ++I) {
      double Sum = product(F, placeOf(F, MatrixOperand::C, Lane, I));
      putElement(F.D, L.D, I, L.C ? Sum + elementAt(F.C, L.C, I) : Sum, F.Saturate);
    }
  }
}

void clearFactors(const MatrixForm &F) { // lanes that have exited leave zeros
  for (uint32_t I = 0; I < rowsOf(F, MatrixOperand::A); ++I)
    std::fill_n(TheFactors.A[I], F.K, 0.0);
  for (uint32_t I = 0; I < F.N; ++I)
    std::fill_n(TheFactors.B[I], F.K, 0.0);
}

void multiply(Block &, uint32_t, uint32_t Need, CollectiveCall *const *All) {
  auto Lanes = reinterpret_cast<MatrixCall *const *>(All);
  MatrixForm F = MatrixForm::fromRaw(Lanes[__builtin_ctz(Need)]->Form);
  clearFactors(F);
  gather(F, MatrixOperand::A, Lanes, Need);
  gather(F, MatrixOperand::B, Lanes, Need);
  scatter(F, Lanes, Need);
}

// ------------------------------------------------------------------ wgmma

host::SharedMatrix matrixOf(const Thread &T, uint64_t Descriptor, MatrixType Type, bool Transposed,
                            const char *&Error) {
  return {reinterpret_cast<uint64_t>(T.Owner->Shared),
          T.Owner->Grid->SlotBytes,
          Descriptor,
          {bitsOf(Type) / 8, Transposed},
          Error};
}

void readShared(const host::SharedMatrix &M, const MatrixForm &F, MatrixType T, uint32_t First,
                uint32_t Count, double (*To)[Factors::MaxAlong]) {
  for (uint32_t Across = 0; Across < Count; ++Across)
    for (uint32_t Along = 0; Along < F.K; ++Along)
      To[Across][Along] =
          elementAt(T, reinterpret_cast<const char *>(M.element(First + Across, Along)), 0);
}

void multiplyShared(Block &Owner, uint32_t WarpId, uint32_t Need, CollectiveCall *const *All) {
  auto Lanes = reinterpret_cast<MatrixCall *const *>(All);
  uint32_t First = uint32_t(__builtin_ctz(Need));
  const MatrixCall &Call = *Lanes[First];
  MatrixForm F = MatrixForm::fromRaw(Call.Form);
  Thread &T = Owner.Threads[WarpId * 32 + First];
  const char *Error = nullptr;
  host::SharedMatrix B = matrixOf(T, Call.BMatrix, F.B, F.TransposedB, Error);
  uint32_t Rows = 16, FirstRow = WarpId % 4 * Rows;
  clearFactors(F);
  std::optional<host::SharedMatrix> A;
  if (F.SharedA)
    A.emplace(matrixOf(T, Call.AMatrix, F.A, F.TransposedA, Error));
  if (Error) {
    for (uint32_t L = 0; L < 32; ++L)
      if (Need >> L & 1)
        Lanes[L]->Error = Error;
    return;
  }
  if (Call.Site) {
    // What a warp's part reads (S12, async proxy): it starts when all lanes of the warp have come,
    // and each warp reads its own rows of A and all of B.
    core::BlockId Actor = TheDetector->asyncBegin(*T.Detect, core::Proxy::Async);
    for (uint32_t L = First + 1; L < 32; ++L)
      if (Need >> L & 1)
        TheDetector->asyncAlsoAfter(*Owner.Threads[WarpId * 32 + L].Detect);
    auto Read = [&](uint64_t At) { TheDetector->asyncRead(At, 16, core::SiteId{Call.Site}); };
    if (A)
      A->forUnits(FirstRow, Rows, Read);
    B.forUnits(0, F.N, Read);
    warpgroupOf(T).Parts[WarpId % 4].Open.push_back(Actor);
  }
  if (A)
    readShared(*A, F, F.A, FirstRow, Rows, TheFactors.A);
  else
    gather(F, MatrixOperand::A, Lanes, Need);
  readShared(B, F, F.B, 0, F.N, TheFactors.B);
  scatter(F, Lanes, Need);
}

void commitGroup(Block &Owner, uint32_t WarpId, uint32_t Need, CollectiveCall *const *) {
  Warpgroup::Part &P =
      warpgroupOf(Owner.Threads[WarpId * 32 + uint32_t(__builtin_ctz(Need))]).Parts[WarpId % 4];
  P.Groups.push_back(std::move(P.Open));
  P.Open.clear();
}

} // namespace

Warpgroup &scopesan::cpu::warpgroupOf(Thread &T) {
  std::vector<Warpgroup> &All = T.Owner->Warpgroups;
  if (All.empty())
    All.resize((T.Owner->ThreadCount + 127) / 128);
  return All[T.warpid / 4];
}

extern "C" {
#pragma GCC visibility push(default)

void __scopesan_cpu_mma(uint64_t Form, void *D, const void *A, const void *B, const void *C) {
  MatrixCall Call{{multiply, {}}, Form, D, A, B, C};
  meetWarp(Call, "mma");
}

void __scopesan_cpu_wmma_load(uint64_t Form, uint32_t Operand, void *Fragment, const void *From,
                              uint32_t Stride, uint32_t Column) {
  MatrixForm F = MatrixForm::fromRaw(Form);
  auto O = MatrixOperand(Operand);
  for (uint32_t I = 0; I < elementsOf(F, O); ++I) {
    ElementPlace P = placeOf(F, O, Engine::current()->laneid, I);
    uint64_t At =
        Column ? uint64_t(P.Column) * Stride + P.Row : uint64_t(P.Row) * Stride + P.Column;
    copyElement(typeOf(F, O), From, At, Fragment, I);
  }
}

void __scopesan_cpu_wmma_store(uint64_t Form, const void *Fragment, void *To, uint32_t Stride,
                               uint32_t Column) {
  MatrixForm F = MatrixForm::fromRaw(Form);
  for (uint32_t I = 0; I < elementsOf(F, MatrixOperand::C); ++I) {
    ElementPlace P = placeOf(F, MatrixOperand::C, Engine::current()->laneid, I);
    uint64_t At =
        Column ? uint64_t(P.Column) * Stride + P.Row : uint64_t(P.Row) * Stride + P.Column;
    copyElement(F.C, Fragment, I, To, At);
  }
}

void __scopesan_cpu_wgmma(uint64_t Form, void *D, const void *A, uint64_t AMatrix, uint64_t BMatrix,
                          uint32_t ScaleD) {
  MatrixCall Call{{multiplyShared, {}},
                  Form,
                  D,
                  A,
                  nullptr,
                  ScaleD ? D : nullptr,
                  AMatrix,
                  BMatrix,
                  TheEngine.Copies.announcedSite(*Engine::current())};
  meetWarp(Call, "wgmma");
}

void __scopesan_cpu_wgmma_commit(void) {
  CollectiveCall Call{commitGroup, {}};
  meetWarp(Call, "wgmma.commit_group");
}

/// A group is of the whole warpgroup: it is complete when all its warps' parts are.
void __scopesan_cpu_wgmma_wait(uint32_t Allowed) {
  Thread &T = *Engine::current();
  Warpgroup &G = warpgroupOf(T);
  uint32_t Commits = uint32_t(G.Parts[T.warpid % 4].Groups.size());
  uint32_t Done = Commits > Allowed ? Commits - Allowed : 0;
  uint32_t FirstWarp = T.warpid & ~3u;
  for (uint32_t W = 0; W < 4 && (FirstWarp + W) * 32 < T.Owner->ThreadCount; ++W)
    while (G.Parts[W].Groups.size() < Done && T.Owner->Warps[FirstWarp + W].Live)
      TheEngine.Sched.yield(true);
  for (uint32_t &Known = G.Learned[T.Index % 128]; Known < Done; ++Known)
    for (const Warpgroup::Part &P : G.Parts)
      if (Known < P.Groups.size())
        for (core::BlockId Actor : P.Groups[Known])
          TheDetector->asyncLearn(*T.Detect, Actor);
}

#pragma GCC visibility pop
}

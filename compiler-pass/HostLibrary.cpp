#include "HostLibrary.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <vector>

using namespace llvm;

namespace scopesan::pass {
namespace {

constexpr unsigned RESULT = LibraryEffect::Result;

/// The extents as libc.def writes them.
struct Measure {
  Extent Size;
  unsigned First = 0, Second = 0;
};
constexpr Measure BYTES(unsigned N) { return {Extent::Bytes, N}; }
constexpr Measure ITEMS(unsigned N, unsigned M) { return {Extent::Items, N, M}; }
constexpr Measure GOT{Extent::Got};
constexpr Measure GOT_ITEMS(unsigned N) { return {Extent::GotItems, N}; }
constexpr Measure GOT_AND_NUL{Extent::GotAndNul};
constexpr Measure GOT_AND_NUL_BELOW(unsigned N) { return {Extent::GotAndNulBelow, N}; }
constexpr Measure STRING{Extent::String};
constexpr Measure STRING_BELOW(unsigned N) { return {Extent::StringBelow, N}; }
constexpr Measure COMMON(unsigned M) { return {Extent::Common, M}; }
constexpr Measure COMMON_BELOW(unsigned M, unsigned N) { return {Extent::CommonBelow, M, N}; }
constexpr Measure STREAM{Extent::Stream};

constexpr LibraryEffect effect(bool IsWrite, unsigned Pointer, Measure M) {
  return {IsWrite, Pointer, M.Size, M.First, M.Second};
}

struct Row {
  const char *Name;
  unsigned Arguments;
  std::vector<LibraryEffect> Effects;
};

const std::vector<Row> &rows() {
#define READ(pointer, extent) effect(false, pointer, extent),
#define WRITE(pointer, extent) effect(true, pointer, extent),
#define SCOPESAN_LIBC(name, arguments, effects) {name, arguments, {effects}},
  static const std::vector<Row> Rows = {
#include "libc.def"
  };
#undef READ
#undef WRITE
  return Rows;
}

const StringMap<LibraryFunction> &table() {
  static const StringMap<LibraryFunction> Table = [] {
    StringMap<LibraryFunction> T;
    for (const Row &R : rows())
      T[R.Name] = {R.Name, R.Arguments, R.Effects};
    return T;
  }();
  return Table;
}

/// Do the arguments have the types that the table counts on? A program may have a function of its
/// own by that name.
bool fits(const CallBase &Call, const LibraryFunction &F) {
  if (F.Arguments && Call.arg_size() != F.Arguments)
    return false;
  auto IsInteger = [&](unsigned N) {
    return N < Call.arg_size() && Call.getArgOperand(N)->getType()->isIntegerTy();
  };
  auto IsPointer = [&](unsigned N) {
    Type *T = N == RESULT           ? Call.getType()
              : N < Call.arg_size() ? Call.getArgOperand(N)->getType()
                                    : nullptr;
    return T && T->isPointerTy();
  };
  for (const LibraryEffect &E : F.Effects) {
    bool Fits = IsPointer(E.Pointer);
    switch (E.Size) {
    case Extent::Bytes:
    case Extent::StringBelow:
      Fits &= IsInteger(E.First);
      break;
    case Extent::Items:
      Fits &= IsInteger(E.First) && IsInteger(E.Second);
      break;
    case Extent::GotItems:
    case Extent::GotAndNulBelow:
      Fits &= IsInteger(E.First) && Call.getType()->isIntegerTy();
      break;
    case Extent::Got:
    case Extent::GotAndNul:
      Fits &= Call.getType()->isIntegerTy();
      break;
    case Extent::Common:
      Fits &= IsPointer(E.First);
      break;
    case Extent::CommonBelow:
      Fits &= IsPointer(E.First) && IsInteger(E.Second);
      break;
    case Extent::String:
      break;
    case Extent::Stream:
      Fits &= IsPointer(0);
      break;
    }
    if (!Fits)
      return false;
  }
  return true;
}

} // namespace

const LibraryFunction *libraryFunction(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration() || Callee->isIntrinsic() || isa<CallBrInst>(Call))
    return nullptr;
  auto It = table().find(Callee->getName());
  return It != table().end() && fits(Call, It->second) ? &It->second : nullptr;
}

Value *extentBytes(IRBuilderBase &B, CallBase &Call, const LibraryEffect &E) {
  Type *I64 = B.getInt64Ty();
  auto Argument = [&](unsigned N) { return B.CreateZExtOrTrunc(Call.getArgOperand(N), I64); };
  // Errors are negative.
  auto Got = [&](uint64_t More) -> Value * {
    Value *R = B.CreateSExtOrTrunc(&Call, I64), *Zero = B.getInt64(0);
    return B.CreateSelect(B.CreateICmpSLT(R, Zero), Zero, B.CreateAdd(R, B.getInt64(More)));
  };
  switch (E.Size) {
  case Extent::Bytes:
    return Argument(E.First);
  case Extent::Items:
    return B.CreateMul(Argument(E.First), Argument(E.Second));
  case Extent::Got:
    return Got(0);
  case Extent::GotItems:
    return B.CreateMul(B.CreateZExtOrTrunc(&Call, I64), Argument(E.First));
  case Extent::GotAndNul:
    return Got(1);
  case Extent::GotAndNulBelow:
    return B.CreateBinaryIntrinsic(Intrinsic::umin, Got(1), Argument(E.First));
  case Extent::Stream: { // std::istream: the count follows the table of virtual functions
    Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Call.getArgOperand(0), 8);
    return B.CreateAlignedLoad(I64, At, Align(8));
  }
  case Extent::String:
  case Extent::StringBelow:
  case Extent::Common:
  case Extent::CommonBelow:
    return nullptr;
  }
  return nullptr;
}

} // namespace scopesan::pass

// What calls of the C and C++ libraries do to memory, for host code (libc.def).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"

namespace scopesan::pass {

/// How many bytes from a pointer on; see libc.def.
enum class Extent : uint8_t {
  Bytes,
  Items,
  Got,
  GotItems,
  GotAndNul,
  GotAndNulBelow,
  String,
  StringBelow,
  Common,
  CommonBelow,
  Stream
};

struct LibraryEffect {
  static constexpr unsigned Result = ~0u;
  bool IsWrite = false;
  unsigned Pointer = 0; ///< argument, or Result
  Extent Size{};
  unsigned First = 0, Second = 0; ///< arguments that the extent depends on

  /// Told after the call.
  bool isLate() const {
    return IsWrite || Size == Extent::Got || Size == Extent::GotItems ||
           Size == Extent::GotAndNul || Size == Extent::GotAndNulBelow || Size == Extent::Stream;
  }
};

struct LibraryFunction {
  llvm::StringRef Name;
  unsigned Arguments = 0; ///< 0: any number
  llvm::ArrayRef<LibraryEffect> Effects;
};

/// Null for what is no call of a library function that the table has.
const LibraryFunction *libraryFunction(const llvm::CallBase &Call);
/// The extent as a number, or null where only the running program knows it: strings.
llvm::Value *extentBytes(llvm::IRBuilderBase &B, llvm::CallBase &Call, const LibraryEffect &E);

} // namespace scopesan::pass

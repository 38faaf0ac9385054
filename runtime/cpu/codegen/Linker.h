// Links one object to a shared library with lld.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace scopesan::codegen {

/// Writes the library to `Output`. Symbols of the engine stay undefined; they are bound at dlopen.
llvm::Error linkLibrary(llvm::ArrayRef<char> Object, llvm::StringRef Output);

} // namespace scopesan::codegen

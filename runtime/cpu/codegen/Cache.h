// The directory of generated libraries. Safe for concurrent processes: entries appear by rename,
// and one process builds while the others that want the same entry wait.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace scopesan::codegen {

/// Hex digest of the parts, each delimited.
std::string cacheKey(llvm::ArrayRef<llvm::StringRef> Parts);

/// The path of entry `Key` in `Directory` (created when missing). `Build` is called on a miss and
/// gets the path of a temporary file to write; it is removed again when `Build` fails.
llvm::Expected<std::string> findOrBuild(llvm::StringRef Directory, llvm::StringRef Key,
                                        llvm::function_ref<llvm::Error(llvm::StringRef)> Build);

} // namespace scopesan::codegen

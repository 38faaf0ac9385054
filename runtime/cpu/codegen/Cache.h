// The directory of generated libraries. Safe for concurrent processes: entries appear by rename,
// and one process builds while the others that want the same entry wait. Bounded: whoever adds an
// entry removes those that were not used for longest.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace scopesan::codegen {

/// Hex digest of the parts, each delimited.
std::string cacheKey(llvm::ArrayRef<llvm::StringRef> Parts);

/// The path of entry `Key` in `Directory` (created when missing). `Build` is called on a miss and
/// gets the path of a temporary file to write; it is removed again when `Build` fails. A damaged
/// entry is a miss.
llvm::Expected<std::string> findOrBuild(llvm::StringRef Directory, llvm::StringRef Key,
                                        llvm::function_ref<llvm::Error(llvm::StringRef)> Build);

/// Removes least recently used entries until at most `Bytes` are left, and what processes that
/// died left behind a day ago. `Keep` stays. A process that has loaded an entry is not affected;
/// one that is about to gets a load error and asks again.
void trim(llvm::StringRef Directory, uint64_t Bytes, llvm::StringRef Keep);

} // namespace scopesan::codegen

// Extracts the text of inline asm statements from CUDA headers.
#pragma once

#include <string>
#include <vector>

namespace scopesan::test {

struct AsmString {
  std::string Text; ///< in LLVM's form: $N, $$, % for %%
  unsigned Line;
};

/// All `asm ... ("..." ...)` strings of `File`: adjacent literals joined, escapes and %-operands
/// translated, raw strings included. Empty if the file cannot be read.
std::vector<AsmString> asmStrings(const std::string &File);

} // namespace scopesan::test

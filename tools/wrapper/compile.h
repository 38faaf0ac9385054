// Runs the compiler; when it rejects CUDA code, tries again with patched copies (repair.h).
#pragma once

#include <string>
#include <vector>

namespace scopesan::wrapper {

/// Replaces this process by the program; returns only when that fails.
void execute(const std::string &program, std::vector<std::string> arguments);

/// Runs clang with a command that compiles CUDA code and returns its exit code. Its messages come
/// when it has ended: those of the first run, unless patched files compile.
int compile(const std::string &clang, const std::vector<std::string> &arguments);

} // namespace scopesan::wrapper

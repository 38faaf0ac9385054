// Parser for the text of one inline asm statement.
#pragma once

#include "Ast.h"

#include <optional>
#include <string>
#include <string_view>

namespace scopesan::ptx {

/// Parses `Text`. On failure returns nothing and sets `Error` to what was wrong and where.
std::optional<Program> parse(std::string_view Text, std::string &Error);

} // namespace scopesan::ptx

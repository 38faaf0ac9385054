// Names of functions as people read them.
#pragma once

#include <string>

namespace scopesan::report {

/// A mangled name, or a text that contains some, demangled. What cannot be demangled is shortened
/// to the identifiers in it.
std::string readable(const std::string &text);

/// With parameters and all while it is short, else the short name.
std::string functionName(const std::string &name);

/// Without return type, parameters and versions of inline namespaces; template arguments only while
/// they are short.
std::string shortFunctionName(const std::string &name);

} // namespace scopesan::report

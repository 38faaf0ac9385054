// Names of static kernels and variables in units that are compiled with -fgpu-rdc.
#pragma once

#include <string_view>

namespace scopesan {

/// The symbol without what clang appends to make an internal name unique in a program:
/// "__intern__" or "__static__" and the unit's hash in hexadecimal.
constexpr std::string_view withoutUnitSuffix(std::string_view Symbol) {
  for (std::string_view Mark : {std::string_view("__intern__"), std::string_view("__static__")}) {
    size_t At = Symbol.rfind(Mark);
    if (At == std::string_view::npos || At == 0)
      continue;
    std::string_view Hash = Symbol.substr(At + Mark.size());
    if (!Hash.empty() && Hash.find_first_not_of("0123456789abcdef") == std::string_view::npos)
      return Symbol.substr(0, At);
  }
  return Symbol;
}
static_assert(withoutUnitSuffix("_ZL4samePi__intern__e71286c72a7dab0c") == "_ZL4samePi");
static_assert(withoutUnitSuffix("_ZL1x__static__ab12") == "_ZL1x");
static_assert(withoutUnitSuffix("a__intern__") == "a__intern__");
static_assert(withoutUnitSuffix("a__static__variable") == "a__static__variable");

} // namespace scopesan

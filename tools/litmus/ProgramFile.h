// Programs in files of their own: our text format and Dat3M's (docs/litmus.md).
#pragma once

#include "Program.h"

#include <optional>

namespace scopesan::litmus {

struct ProgramFile {
  Program program;
  std::optional<bool> expectedRace; ///< "expect: race"
  std::string error;                ///< with file and line; empty = none
};

ProgramFile readProgramFile(const std::string &path);
/// `name` is used in errors.
ProgramFile parseProgramText(std::string_view text, const std::string &name);

} // namespace scopesan::litmus

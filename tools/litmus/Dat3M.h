// Litmus tests in Dat3M's PTX format, translated to the neutral notation.
#pragma once

#include "OpLine.h"
#include "Table.h"

namespace scopesan::litmus {

struct Dat3MFile {
  Row row;
  std::vector<OpLine> lines;
  uint32_t guardLine = 0;
  std::string error; ///< empty = none
};

/// True when the first line says "PTX name".
bool looksLikeDat3M(std::string_view text);
Dat3MFile parseDat3M(std::string_view text, const std::string &name);

} // namespace scopesan::litmus

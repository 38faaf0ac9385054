// Writes the rows of a table as CUDA translation units.
#pragma once

#include "Table.h"

namespace scopesan::litmus {

struct EmitOptions {
  std::string folder;                   ///< must exist
  uint32_t rowsPerUnit = 40;            ///< a unit compiles in a few seconds
  uint32_t every = 1;                   ///< 5: each fifth row of a collection only
  std::vector<std::string> collections; ///< empty: all
};

/// Writes `unit_00.cu`, ... and `manifest.tsv`:
///   unit <file> <devices> <flags>                    units in order; flags for the compiler
///   row  <file> <row number> <id>                    a row that is part of it
///   site <file> <line> <row number> <thread> <operation>
///   skip <row number> <id> <reason>                  a row that has no CUDA form
/// Returns what went wrong; empty = nothing.
std::string emitTable(const Table &table, const EmitOptions &options);

} // namespace scopesan::litmus

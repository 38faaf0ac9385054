// The host function of a row: memory, initial values, launches, what the program's host thread
// does.
#pragma once

#include "ThreadCode.h"

namespace scopesan::litmus {

struct HostLine {
  std::string text;
  uint32_t thread = None, instr = None; ///< operation of a host thread that the line is
};

struct HostCode {
  std::vector<HostLine> lines;
  std::string error; ///< why the row has no CUDA form; empty = it has
};

/// `static void <name>() { ... }`.
HostCode emitHost(const Program &p, const Layout &where, const Places &places,
                  const std::string &name);

} // namespace scopesan::litmus

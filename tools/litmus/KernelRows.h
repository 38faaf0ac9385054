// Rows that describe a kernel for all its threads: "lock: ...; body: ...; unlock: ...", roles by
// block and thread, families of generated programs.
#pragma once

#include "Table.h"

#include <optional>

namespace scopesan::litmus {

/// One thread of a row, as text in the notation of a single thread.
struct ThreadText {
  std::string name, ops, position; ///< position: empty = the placement column tells
};

/// The threads of `row` if it describes a kernel; none if it is of another kind.
std::optional<std::vector<ThreadText>> kernelThreads(const Row &row);

} // namespace scopesan::litmus

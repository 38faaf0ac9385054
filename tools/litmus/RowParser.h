// From a row of a table to a program.
#pragma once

#include "Program.h"
#include "Table.h"

namespace scopesan::litmus {

/// Never fails: what cannot be parsed is named in Program::notRunnable.
Program parseRow(const Row &row);

} // namespace scopesan::litmus

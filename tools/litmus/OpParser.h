// Parser of one operation of the neutral notation (docs/litmus.md).
#pragma once

#include "Builder.h"
#include "Text.h"

namespace scopesan::litmus {

/// Appends the code of `op` to `t`. False: the form is unknown and nothing was appended.
bool parseOp(ThreadBuilder &t, std::string_view op);

/// Removes a leading "R", "W", "U" access with all its modifiers from `c`; fills `i` apart from
/// location and values.
bool parseAccessHead(Cursor &c, Instr &i);

} // namespace scopesan::litmus

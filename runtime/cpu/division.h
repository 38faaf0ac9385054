// Integer division as the GPU does it: never a trap.
#pragma once

#include <ucontext.h>

namespace scopesan::cpu {

/// The machine stopped at a div or idiv by zero, or at an overflowing idiv. Writes the result that
/// a GPU gives and steps over the instruction. False when the instruction is something else.
bool completeDivision(ucontext_t &Context);

} // namespace scopesan::cpu

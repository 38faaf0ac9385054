// Where the threads of a row run.
#pragma once

#include "Builder.h"

namespace scopesan::litmus {

/// Fills the positions of all threads of `b` from the text of a placement column and creates their
/// launches. False: the text has an unknown form.
bool parsePlacement(ProgramBuilder &b, std::string_view text);

/// "g0.c1.b2.dom1", "b0", "q0.b1.w0". False: unknown.
bool parsePosition(std::string_view text, Position &out);

/// What the text of the positions leaves out: clusters, warps, and one launch per (device, domain).
void finishPositions(Program &p);

} // namespace scopesan::litmus

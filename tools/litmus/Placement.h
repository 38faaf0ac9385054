// Where the threads of a row run.
#pragma once

#include "Builder.h"

namespace scopesan::litmus {

/// Fills the positions of all threads of `b` from the text of a placement column and creates their
/// launches. False: the text has an unknown form.
bool parsePlacement(ProgramBuilder &b, std::string_view text);

/// "g0.c1.b2.dom1", "b0", "q0.b1.w0". False: unknown.
bool parsePosition(std::string_view text, Position &out);

/// One launch per (device, domain), for programs that name no launches.
void launchesByDevice(Program &p);

} // namespace scopesan::litmus

// The candidate execution that an interleaving defines: reads-from and coherence are the order in
// which its steps took place.
#pragma once

#include "../Machine.h"
#include "Model.h"

namespace scopesan::litmus {

/// None where the execution has more than MaxEvents events. `scFences`: the fence.sc order is the
/// order of their steps; otherwise fence.sc pairs are unordered (S5).
std::optional<Candidate> candidateOf(const Program &p, const State &end, bool scFences);

/// Appends the events of one instruction; `wrote` = an RMW wrote. Program order within the
/// instruction is set, that to other instructions is not.
void appendEvents(Candidate &c, uint32_t thread, uint32_t instr, bool wrote);

/// Launch order (S14) is an edge like that of a barrier.
void addLaunchOrder(Candidate &c);

} // namespace scopesan::litmus

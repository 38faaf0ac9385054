// mbarriers, asynchronous copies and their groups as PTX.
#pragma once

#include "ThreadText.h"

namespace scopesan::litmus {

void emitMbarrier(ThreadText &t, const Instr &i);
/// AsyncCopy, AsyncCommit, AsyncWait.
void emitAsync(ThreadText &t, const Instr &i);

/// Waits until a phase of the mbarrier at `m` in the window is complete; `sem`: ".acquire.cta".
std::string waitForPhase(const std::string &m, uint32_t parity, const std::string &sem);

} // namespace scopesan::litmus

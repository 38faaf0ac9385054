// mbarrier objects in shared memory (S10): execution; the detector keeps its own object.
#pragma once

#include "cpu/mbarrier_object.h"
#include "cpu/state.h"

namespace scopesan::cpu {

inline MbarrierObject &mbarrierAt(void *Barrier) { return *static_cast<MbarrierObject *>(Barrier); }

/// Ends the kernel unless the address is a possible mbarrier of the thread's cluster.
void checkMbarrier(const Thread &T, const void *Barrier);

} // namespace scopesan::cpu

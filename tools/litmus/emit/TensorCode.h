// Tensor cores, tensor memory, tensor maps and multimem memory as PTX.
#pragma once

#include "ThreadText.h"

namespace scopesan::litmus {

/// Operations of wgmma and tcgen05 that are written as asynchronous ones. False: it is none.
bool emitMatrixOperation(ThreadText &t, const Instr &i);
/// Accesses of tensor memory, of tensor maps and of multimem memory, fences of them. False: none.
bool emitTensorAccess(ThreadText &t, const Instr &i);
/// All threads of the warpgroup execute these lines; any other is of one thread.
bool isByWarpgroup(const Instr &i);

} // namespace scopesan::litmus

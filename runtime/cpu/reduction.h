// The operations of reducing copies (cp.reduce.async.bulk, red.async) on memory.
#pragma once

#include "cpu/cpu_abi.h"

namespace scopesan::cpu {

/// Bytes of one element.
uint32_t elementBytes(ReduceType T);

/// Combines each element of `To` with that of `Values`. `Bytes` is a multiple of the element size.
void reduce(Reduction R, void *To, const void *Values, uint64_t Bytes);

} // namespace scopesan::cpu

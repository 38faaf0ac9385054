// Facts of instrumented host code (S15).
#pragma once

#include <stdint.h>

namespace scopesan::cupti {

/// True while the thread is within a call of CUDA: what the driver does there (its locks, its
/// threads) is not the program's.
extern thread_local uint32_t InCuda;

/// Plain accesses of host code to [begin, end) are to be told.
void hostWatches(uint64_t begin, uint64_t end);
/// Are there hooks that the program calls?
bool hostCodeIsHeard();
/// Starts what hooks and callbacks share, once.
void startOnce();

} // namespace scopesan::cupti

// Operations of a whole warp that are more than WarpOp's: the last lane to arrive executes them.
#pragma once

#include "cpu/state.h"

#include <string>

namespace scopesan::cpu {

/// One lane's part; on its stack while it waits.
struct CollectiveCall {
  /// Executes the operation for the lanes of `Need`, whose parts are `Lanes`.
  void (*Run)(Block &, uint32_t WarpId, uint32_t Need, CollectiveCall *const *Lanes) = nullptr;
  std::string Error{}; ///< set by Run: the lane's kernel stops with it
};

/// Meets all lanes of the calling thread's warp.
void meetWarp(CollectiveCall &Call, const char *Name);

} // namespace scopesan::cpu

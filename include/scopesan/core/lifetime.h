// Lifetimes of global memory (D8, P5): memory that was freed, and memory that becomes alive at a
// node of the launch order.
//
//   unknown --freed--> dead --allocated--> unknown, or alive since a node (stream-ordered)
// Memory is asked for only when a word is touched that nobody has touched since, so programs that
// free nothing pay nothing.
#pragma once

#include "scopesan/core/ids.h"
#include "scopesan/core/range_map.h"

namespace scopesan::core {

struct Life {
  NodeId node; ///< that freed it, or since when it is alive
  bool alive = false;
};
using Lifetimes = RangeMap<Life>;

} // namespace scopesan::core

// Operations that the tables write in words ("bar.sync 1,64", "cp.async g->s").
#pragma once

#include "Builder.h"

namespace scopesan::litmus {

/// As parseOp, for the forms in words.
bool parseWordOp(ThreadBuilder &t, std::string_view op);

} // namespace scopesan::litmus

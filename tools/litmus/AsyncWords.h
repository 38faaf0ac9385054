// Operations in words on cluster barriers, mbarriers and asynchronous copies.
#pragma once

#include "Builder.h"
#include "Text.h"

namespace scopesan::litmus {

/// ".relaxed", ".cluster", "@clu", ".expect_tx", ".parity(0)": what follows an operation's name.
bool parseSuffixes(Cursor &c, Instr &i);

bool parseClusterWord(ThreadBuilder &t, std::string_view op);
bool parseMbarrierWord(ThreadBuilder &t, std::string_view op);
bool parseCopyWord(ThreadBuilder &t, std::string_view op);

} // namespace scopesan::litmus

// Operations in words on cluster barriers, mbarriers and asynchronous copies.
#pragma once

#include "Builder.h"

namespace scopesan::litmus {

bool parseClusterWord(ThreadBuilder &t, std::string_view op);
bool parseMbarrierWord(ThreadBuilder &t, std::string_view op);
bool parseCopyWord(ThreadBuilder &t, std::string_view op);

} // namespace scopesan::litmus

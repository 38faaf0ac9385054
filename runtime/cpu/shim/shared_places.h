// Resolver for host::setSharedResolver.
#pragma once

#include "host/collector.h"

namespace scopesan::cpu {
host::SharedPlace resolveShared(uint64_t Address);
} // namespace scopesan::cpu

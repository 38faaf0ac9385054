// Memory that the program maps into reserved addresses itself (cuMemCreate, cuMemMap).
#pragma once

#include <stdint.h>

namespace scopesan::cpu {

/// May the device access what is mapped at `Address`, the beginning of a mapping (cuMemSetAccess)?
/// `Otherwise` where none begins.
bool mappingAllows(uint64_t Address, int Device, bool Otherwise);

} // namespace scopesan::cpu

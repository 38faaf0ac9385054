// What both backends say of a bulk copy whose size PTX does not define.
#pragma once

#include <cstdint>

namespace scopesan::host {

/// PTX ISA 9.7.9.25: the size is a multiple of this. An H200 ends without an error otherwise.
inline constexpr uint64_t BulkSizeUnit = 16;
inline constexpr const char OddBulkSize[] =
    "a bulk copy whose size is not a multiple of 16 bytes: what it copies is undefined";

} // namespace scopesan::host

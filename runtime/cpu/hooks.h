// Declares the entry points of abi.def for the CPU backend.
#pragma once

#include <stdint.h>

#define ptr const void *
#define i32 uint32_t
#define i64 uint64_t
#define SCOPESAN_ABI(name, result, parameters) extern "C" result name parameters;
#include "scopesan/abi.def"
#undef ptr
#undef i32
#undef i64

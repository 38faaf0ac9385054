// The backend that takes host facts.
#pragma once

#include "scopesan/host_abi.h"

/// In threads.cpp and files.cpp, which nothing else asks for by name.
extern "C" const char __scopesan_host_threads, __scopesan_host_files;

namespace scopesan::hostcode {

/// Null when the program runs without a backend that takes them. Looked up at the first call. The
/// backend itself sorts out what it causes (its locks come by here, too).
const abi::HostHooks *backend();

} // namespace scopesan::hostcode

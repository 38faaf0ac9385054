// The host computes without calling the CUDA API while work waits to be run.
#pragma once

#include <stdint.h>
#include <string>

namespace scopesan::host {

/// `seconds` since the host's last call; 0: it has called again. The report tells the last state
/// where the program did not end by itself.
void standstill(const std::string &kernel, uint32_t launch, uint32_t seconds);

} // namespace scopesan::host

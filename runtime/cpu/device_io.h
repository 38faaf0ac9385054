// Output of device code.
#pragma once

namespace scopesan::cpu {

/// Writes what device printf collected to stdout. CUDA does so at synchronization points.
void flushDeviceOutput();

} // namespace scopesan::cpu

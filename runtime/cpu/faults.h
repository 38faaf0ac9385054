// Signals raised by device code: they end the kernel, not the process.
#pragma once

namespace scopesan::cpu {

/// Installs the handlers (once per process) and an alternate stack (once per OS thread). Called by
/// each OS thread before it drives the engine.
void prepareFaultHandling();

/// Set while the runtime itself reads memory on behalf of device code.
extern volatile bool ProbingDeviceAddress;

} // namespace scopesan::cpu

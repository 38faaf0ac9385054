// Signals raised by device code: they end the kernel, not the process.
#pragma once

namespace scopesan::cpu {

/// Installs the handlers (once per process) and an alternate stack (once per OS thread). Called by
/// each OS thread before it drives the engine.
void prepareFaultHandling();

/// A fault in this library's own code is taken for a defect of the tool and kills the process.
/// Tests whose kernels are linked in turn that off.
extern bool OwnCodeIsTool;

/// Set while the runtime itself reads memory on behalf of device code.
extern volatile bool ProbingDeviceAddress;

} // namespace scopesan::cpu

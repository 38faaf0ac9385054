// What launches and kernel nodes of graphs have in common.
#pragma once

#include "cpu/shim/context.h"

namespace scopesan::cpu {

/// Finds the kernel, checks the configuration and copies the arguments. `Args` may be null when
/// the work has its arguments already.
cudaError_t completeLaunch(KernelWork &W, const void *Handle, void **Args);

/// P6: default domain 0, remote domain 1 where the device has more than one.
cudaLaunchMemSyncDomainMap defaultDomainMap(uint32_t DomainCount);
/// Takes over a domain or domain map after checking it; leaves other attributes alone.
cudaError_t applyDomainAttribute(Context &C, KernelWork &W, const cudaLaunchAttribute &A);

/// False, with an X1 entry, when an attribute needs something that the backend lacks.
bool applyAttribute(KernelWork &W, const cudaLaunchAttribute &A);

} // namespace scopesan::cpu

// Functions of the driver, found by name: programs that are not linked with it need no driver to start.
#pragma once

#include "check.h"

#include <cuda.h>

template <typename F> static F driverFunction(const char *name) {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult how;
  CHECK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &how));
  if (!function)
    exit(3);
  return reinterpret_cast<F>(function);
}

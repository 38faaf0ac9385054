// See curand_mtgp32_kernel.h.
#pragma GCC system_header
#include "curand_mtgp32_kernel.h"
#include_next <curand_kernel.h>

// Found before cuRAND's header of this name. clang's start-up header includes it for every unit,
// since in host code it declares the built-in variables again, with types that clang does not give
// them; nvcc does not, and it brings <memory.h> along, which may be a header of the program's. So:
// not at start-up, but by whoever includes cuRAND (the other curand_*.h here), in clang's way.
#pragma GCC system_header
#ifndef SCOPESAN_COMPAT_STARTING
#pragma push_macro("dim3")
#pragma push_macro("uint3")
#define dim3 __cuda_builtin_blockDim_t
#define uint3 __cuda_builtin_threadIdx_t
#include_next <curand_mtgp32_kernel.h>
#pragma pop_macro("dim3")
#pragma pop_macro("uint3")
#endif

// See constructing.h.
#pragma once
#pragma GCC system_header
#include "constructing.h"
#pragma push_macro("_CCCL_CUDA_COMPILER_CLANG")
#undef _CCCL_CUDA_COMPILER_CLANG
#define _CCCL_CUDA_COMPILER_CLANG() (-1, -1) // CCCL's word for: not this compiler
#include_next <thrust/system/cuda/detail/uninitialized_copy.h>
#pragma pop_macro("_CCCL_CUDA_COMPILER_CLANG")

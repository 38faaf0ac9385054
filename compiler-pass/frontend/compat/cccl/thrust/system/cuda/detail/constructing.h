// Thrust's uninitialized_copy and uninitialized_fill construct their elements, and assign to them
// where clang compiles device code, which once had no placement new there: a constructor that does
// more than the assignment gave another result than with nvcc. Around the header, CCCL is told that
// this is not clang.
#pragma GCC system_header
#include <thrust/detail/config.h>
#include <thrust/distance.h>
#include <thrust/system/cuda/detail/execution_policy.h>
#include <thrust/system/cuda/detail/parallel_for.h>
#include <thrust/system/cuda/detail/util.h>

#include <iterator>
#include <new>

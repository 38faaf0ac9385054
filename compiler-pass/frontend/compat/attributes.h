// Specifiers that clang rejects or drops silently. The plugins read what these leave in the
// program.
#pragma once
#pragma GCC system_header

// SharedObjects.cpp: constructors of __shared__ objects are not run, as with nvcc.
#undef __shared__
#define __shared__ __attribute__((shared)) __attribute__((scopesan_shared))

// Managed.cpp: one variable for host and device. A section, since clang keeps it on declarations
// that are defined in other units too.
#undef __managed__
#define __managed__ __attribute__((device)) __attribute__((section("scopesan_managed")))

// KernelAttributes.cpp turns these into what the NVPTX back end reads.
#undef __cluster_dims__
#define __cluster_dims__(...)                                                                      \
  __attribute__((annotate("scopesan.cluster_dims" __VA_OPT__(, ) __VA_ARGS__)))
#undef __maxnreg__
#define __maxnreg__(count) __attribute__((annotate("scopesan.maxnreg", count)))
// One tuple for the block's size, optionally one for the cluster's; missing parts are 1.
#undef __block_size__
#define __block_size__(...) SCOPESAN_BLOCK_SIZE(__VA_ARGS__, (1, 1, 1), )
#define SCOPESAN_BLOCK_SIZE(block, cluster, ...)                                                   \
  __attribute__((annotate("scopesan.block_size", SCOPESAN_THREE block, SCOPESAN_THREE cluster)))
#define SCOPESAN_THREE(...) SCOPESAN_FIRST_THREE(__VA_ARGS__, 1, 1, )
#define SCOPESAN_FIRST_THREE(x, y, z, ...) x, y, z
// With __block_size__ a launch may give the grid only; nvcc declares the same default argument.
extern "C" unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim = 1, size_t sharedMem,
                                                void *stream);

// Concerns device code only; on the host clang warns about the third argument. The arguments may
// hold template arguments, so they cannot be told apart here.
#if !defined(__CUDA_ARCH__)
#undef __launch_bounds__
#define __launch_bounds__(...)
#endif

// Cluster groups of cooperative_groups.h: clang's test for the compiler's intrinsics fails.
#if !defined(_CG_CLUSTER_INTRINSICS_AVAILABLE) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
#define _CG_CLUSTER_INTRINSICS_AVAILABLE
#endif

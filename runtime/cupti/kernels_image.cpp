// The PTX of kernels.cu, embedded by the assembler.
#include "cupti/device_shadow.h"

asm(".section .rodata\n"
    ".balign 16\n"
    "scopesan_cupti_kernels:\n"
    ".incbin \"" SCOPESAN_KERNELS_PTX "\"\n"
    ".byte 0\n"
    ".previous\n");

extern "C" __attribute__((visibility("hidden"))) const char scopesan_cupti_kernels[];

namespace scopesan::cupti {
const char *kernelImage() { return scopesan_cupti_kernels; }
} // namespace scopesan::cupti

// Embeds the bitcode of support/*.c; SCOPESAN_SUPPORT_BITCODE is its path.
__asm__(".section .rodata\n"
        ".global scopesan_support_begin\n"
        ".balign 16\n"
        "scopesan_support_begin:\n"
        ".incbin \"" SCOPESAN_SUPPORT_BITCODE "\"\n"
        ".global scopesan_support_end\n"
        "scopesan_support_end:\n"
        ".byte 0\n"
        ".previous\n");

/* What `nvcc -dlink` makes: refers to a symbol that the linker defines only when scopesan-clang++ links
   the program, and with it the program's device code. */
extern void link_this_program_with_scopesan_clang(void);
void (*const scopesan_device_link)(void) __attribute__((used, visibility("hidden"))) =
    link_this_program_with_scopesan_clang;

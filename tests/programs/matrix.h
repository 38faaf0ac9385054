// mma of one warp, 16 x K by K x 8. A macro, not a function: what it expands to belongs to the line
// of the program that uses it.
#pragma once

/// `a` and `b` are the warp's registers of the factors; `c` is multiplied into.
#define MMA_M16N8(form, c, constraint, a, b)                                                       \
  asm volatile("mma.sync.aligned." form " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, " \
               "%2, %3};"                                                                          \
               : constraint(c[0]), constraint(c[1]), constraint(c[2]), constraint(c[3])            \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

// Shared frame of the CPU backend's benchmarks. Each runs its kernel and the same work as plain C++
// in one process, one after the other, and prints one line of figures:
//
//   BENCH name items=N kernel_cpu=S kernel_wall=S native_cpu=S native_wall=S right=1
//
// Times are seconds from launch to the end of the wait, best of `repeats` after one warm-up (which
// includes code generation). CPU seconds are this process's, so that other work on the machine
// matters little; wall seconds include waits for the code generator.
#pragma once

#include "../../tests/programs/check.h"

#include <algorithm>
#include <time.h>
#include <vector>

struct Seconds {
  double cpu, wall;
};

inline double clockSeconds(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// Best of `repeats` calls, after one that is not counted.
template <class Work> Seconds best(int repeats, Work work) {
  Seconds least{1e30, 1e30};
  work();
  for (int i = 0; i < repeats; ++i) {
    double cpu = clockSeconds(CLOCK_PROCESS_CPUTIME_ID), wall = clockSeconds(CLOCK_MONOTONIC);
    work();
    cpu = clockSeconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = clockSeconds(CLOCK_MONOTONIC) - wall;
    least = {std::min(least.cpu, cpu), std::min(least.wall, wall)};
  }
  return least;
}

inline int finish(const char *name, double items, Seconds kernel, Seconds native, bool right) {
  printf("BENCH %s items=%.0f kernel_cpu=%.6f kernel_wall=%.6f native_cpu=%.6f native_wall=%.6f "
         "right=%d\n",
         name, items, kernel.cpu, kernel.wall, native.cpu, native.wall, int(right));
  return right ? 0 : 1;
}

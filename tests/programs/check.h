// Error checks shared by the test programs: every CUDA call is checked, the first failure ends the
// program with exit code 2.
#pragma once

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) checkCuda((call), #call, __FILE__, __LINE__)

inline void checkCuda(cudaError_t status, const char *what, const char *file, int line) {
  if (status == cudaSuccess)
    return;
  fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, cudaGetErrorString(status));
  exit(2);
}

/// Exit code of a program: 0 if its result is right. A racy variant may compute anything, so only
/// the others insist.
inline int verdict(bool right) {
#ifdef RACY
  if (!right)
    printf("wrong result (expected of a racy program)\n");
  return 0;
#else
  if (!right)
    printf("WRONG RESULT\n");
  return right ? 0 : 1;
#endif
}

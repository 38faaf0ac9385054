// Linked into every instrumented program: lets a bare ./app start the collector itself.
//
// Runs before CUDA initialises and only names the library; the driver loads it. Whoever has decided
// already (`scopesan run`, a profiler, SCOPESAN_BARE=0) is left alone. Without a GPU nothing
// happens: the variable is read by the GPU's driver.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor(101))) static void startCollector() {
  const char *bare = getenv("SCOPESAN_BARE");
  if (getenv("CUDA_INJECTION64_PATH") || getenv("SCOPESAN_JOURNAL") ||
      (bare && strcmp(bare, "0") == 0))
    return;
  const char *const candidates[] = {getenv("SCOPESAN_GPU_LIBRARY"), SCOPESAN_BUILD_LIBRARY,
                                    SCOPESAN_INSTALLED_LIBRARY};
  for (const char *library : candidates)
    if (library && *library && access(library, R_OK) == 0) {
      setenv("CUDA_INJECTION64_PATH", library, 1);
      // Lazy loading deadlocks a kernel that is first launched while another one waits for it.
      setenv("CUDA_MODULE_LOADING", "EAGER", 1);
      return;
    }
}

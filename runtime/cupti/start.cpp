// Linked into every instrumented program: lets a bare ./app start the collector itself.
//
// Runs before CUDA initialises and only names the library; the driver loads it. Whoever has decided
// already (`scopesan run`, a profiler, SCOPESAN_BARE=0) is left alone. Without a GPU nothing
// happens: the variable is read by the GPU's driver.
//
// The library lies in a folder of this object's run path: scopesan.cfg puts its own lib/ there, so
// that build trees and installations of any prefix are found.
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma weak _DYNAMIC // a static program has none

static constexpr const char *Library = "libscopesan_gpu.so";

/// The run path of the object that this is linked into ("/a:/b"); null when it has none.
static const char *runPath() {
  const char *strings = nullptr;
  ElfW(Addr) offset = 0;
  bool found = false;
  const ElfW(Dyn) *volatile dynamic = _DYNAMIC; // may be null, whatever the declaration says
  for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_STRTAB)
      strings = reinterpret_cast<const char *>(d->d_un.d_ptr); // ld.so has made it an address
    if (d->d_tag == DT_RUNPATH || d->d_tag == DT_RPATH) {
      offset = d->d_un.d_val;
      found = true;
    }
  }
  return strings && found ? strings + offset : nullptr;
}

static bool name(const char *library) {
  if (access(library, R_OK) != 0)
    return false;
  setenv("CUDA_INJECTION64_PATH", library, 1);
  // Lazy loading deadlocks a kernel that is first launched while another one waits for it.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  return true;
}

__attribute__((constructor(101))) static void startCollector() {
  const char *bare = getenv("SCOPESAN_BARE");
  if (getenv("CUDA_INJECTION64_PATH") || getenv("SCOPESAN_JOURNAL") ||
      (bare && strcmp(bare, "0") == 0))
    return;
  const char *chosen = getenv("SCOPESAN_GPU_LIBRARY");
  if (chosen && *chosen && name(chosen))
    return;
  for (const char *folder = runPath(); folder && *folder;) {
    size_t length = strcspn(folder, ":");
    char path[4096];
    int size = snprintf(path, sizeof path, "%.*s/%s", int(length), folder, Library);
    if (length && size > 0 && size_t(size) < sizeof path && name(path))
      return;
    folder += length + (folder[length] == ':');
  }
}

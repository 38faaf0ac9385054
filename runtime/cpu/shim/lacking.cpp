// A stub for every function of the CUDA runtime. They are weak: an implementation in another file
// of this folder takes precedence. A stub fails and says which function is missing.
//
// This file must not see the CUDA headers: the stubs have no parameters.
#include "host/collector.h"

#include <stdio.h>
#include <string>

namespace scopesan::cpu {
/// Records the calling thread's last error (errors.cpp).
int recordNotSupported();
} // namespace scopesan::cpu

static int lacking(const char *Name, bool &Said) {
  std::string What = std::string("the CPU backend lacks ") + Name;
  scopesan::host::incomplete(What);
  if (!Said)
    fprintf(stderr, "scopesan: %s; the call fails with cudaErrorNotSupported (801)\n",
            What.c_str());
  Said = true;
  return scopesan::cpu::recordNotSupported();
}

#define SCOPESAN_CUDART(name)                                                                      \
  extern "C" __attribute__((weak, visibility("default"))) int name() {                             \
    static bool Said = false;                                                                      \
    return lacking(#name, Said);                                                                   \
  }
#include "cpu/shim/cudart_symbols.def"

// Error codes, their names and texts, the last error.
#include "cpu/shim/context.h"

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

struct ErrorText {
  int Value;
  const char *Name, *Text;
};
constexpr ErrorText Errors[] = {
#define SCOPESAN_CUDA_ERROR(value, name, text) {value, name, text},
#include "cpu/shim/errors.def"
};

const ErrorText &textOf(cudaError_t E) {
  static constexpr ErrorText Unknown = {-1, "unrecognized error code", "unrecognized error code"};
  for (const ErrorText &T : Errors)
    if (T.Value == int(E))
      return T;
  return Unknown;
}

} // namespace

namespace scopesan::cpu {
int recordNotSupported();
int recordNotSupported() { return int(record(cudaErrorNotSupported)); }
} // namespace scopesan::cpu

const char *cudaGetErrorName(cudaError_t E) { return textOf(E).Name; }
const char *cudaGetErrorString(cudaError_t E) { return textOf(E).Text; }

// An error that killed the device stays; any other is forgotten once read.
static cudaError_t lastErrorOf(bool Forget) {
  Context &C = context();
  std::lock_guard Lock(C.Mutex);
  cudaError_t E = lastError();
  if (Forget)
    lastError() = C.Sticky;
  // A failed device shows only when a call returned its error to this thread.
  return E;
}
cudaError_t cudaGetLastError() { return lastErrorOf(true); }
cudaError_t cudaPeekAtLastError() { return lastErrorOf(false); }

// tensormap.replace (PTX ISA 9.7.9.28): changes a tensor map that cuTensorMapEncodeTiled has made.
#include "cpu/async_copies.h"
#include "cpu/cpu_abi.h"
#include "cpu/engine.h"
#include "cpu/tensor_copies.h"

#include <string.h>
#include <string>

using namespace scopesan;
using namespace scopesan::cpu;

extern "C" {
#pragma GCC visibility push(default)

void __scopesan_cpu_tensormap_replace(void *Map, uint32_t Field, uint32_t Index, uint64_t Value) {
  TensorMap M;
  readDeviceMemory(&M, Map, sizeof M);
  if (!host::replaceField(M, TensorMapField(Field), Index, Value))
    TheEngine.failFromFiber(FailureCode::LaunchFailure,
                            "tensormap.replace: not a tensor map made by cuTensorMapEncodeTiled, "
                            "or a value that the CPU backend does not know,",
                            *Engine::current());
  writeDeviceMemory(Map, &M, sizeof M);
}

#pragma GCC visibility pop
}

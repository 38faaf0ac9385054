// What a made-up program and the made-up driver share.
#pragma once

#include <cuda.h>
#include <cupti.h>
#include <map>
#include <stdint.h>
#include <vector>

struct FakeDriver {
  CUcontext current = nullptr, primary = nullptr;
  std::vector<CUcontext> stack;
  uint64_t handles = 100;
  std::map<CUcontext, uint64_t> state; ///< the module's __scopesan_gpu_state: address of the Log
  uint64_t siteBase = 0;
  bool busy = false;     ///< the active kernel has not ended
  bool noMemory = false; ///< for shadow
  CUpti_CallbackFunc callback = nullptr;
};

__attribute__((visibility("default"))) FakeDriver &fakeDriver();

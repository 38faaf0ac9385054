// libcuda.so.1 for machines without a driver, so that programs linked with -lcuda start. What the
// CPU backend has of the driver API is in its own library (shim/driver_api.cpp), which this one
// depends on; here is the rest, which fails and makes the run incomplete.
//
// This file must not see the CUDA headers: the stubs have no parameters.
extern "C" int scopesan_driver_lacks(const char *Name);

#define SCOPESAN_DRIVER_LACKING(name)                                                              \
  extern "C" __attribute__((visibility("default"))) int name() {                                   \
    return scopesan_driver_lacks(#name);                                                           \
  }
#include "lacking.def"

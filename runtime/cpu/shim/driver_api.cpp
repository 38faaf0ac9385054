// The driver API as far as programs of the runtime API use it beside: devices, contexts, streams,
// events. Handles are the runtime's, and so are the numbers of errors and attributes.
//
// A device's context is its primary one; it stands for the device.
#include "cpu/shim/context.h"

#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

CUresult toDriver(cudaError_t E) { return CUresult(int(E)); }

/// Fails with the runtime's error, which the runtime's last error does not become.
template <typename Function> CUresult driverCall(Function Body) {
  Context &C = context();
  std::lock_guard Lock(C.Mutex);
  C.noteHostThread();
  return C.Sticky == cudaSuccess ? Body(C) : toDriver(C.Sticky);
}

CUcontext contextOf(int Device) { return reinterpret_cast<CUcontext>(uintptr_t(Device) + 1); }
int deviceOf(CUcontext Handle) { return int(reinterpret_cast<uintptr_t>(Handle)) - 1; }

cudaStream_t runtime(CUstream S) { return reinterpret_cast<cudaStream_t>(S); }
cudaEvent_t runtime(CUevent E) { return reinterpret_cast<cudaEvent_t>(E); }

} // namespace

// ---------------------------------------------------------------- start, errors

CUresult cuInit(unsigned Flags) {
  return driverCall([&](Context &) { return Flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; });
}
CUresult cuDriverGetVersion(int *Version) { return toDriver(cudaDriverGetVersion(Version)); }

CUresult cuGetErrorString(CUresult Error, const char **Text) {
  if (!Text)
    return CUDA_ERROR_INVALID_VALUE;
  *Text = cudaGetErrorString(cudaError_t(int(Error)));
  return CUDA_SUCCESS;
}
/// The runtime's names say cudaErrorX.
CUresult cuGetErrorName(CUresult Error, const char **Text) {
  if (!Text)
    return CUDA_ERROR_INVALID_VALUE;
  *Text = Error == CUDA_SUCCESS ? "CUDA_SUCCESS" : cudaGetErrorName(cudaError_t(int(Error)));
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------- devices, contexts

CUresult cuDeviceGetCount(int *Count) { return toDriver(cudaGetDeviceCount(Count)); }
CUresult cuDeviceGet(CUdevice *Result, int Number) {
  return driverCall([&](Context &C) {
    if (!Result)
      return CUDA_ERROR_INVALID_VALUE;
    if (!C.valid(Number))
      return CUDA_ERROR_INVALID_DEVICE;
    *Result = Number;
    return CUDA_SUCCESS;
  });
}
CUresult cuDeviceGetName(char *Name, int Bytes, CUdevice Device) {
  cudaDeviceProp P;
  if (!Name || Bytes < 1)
    return CUDA_ERROR_INVALID_VALUE;
  if (cudaError_t E = cudaGetDeviceProperties(&P, Device); E != cudaSuccess)
    return toDriver(E);
  size_t Used = strnlen(P.name, size_t(Bytes) - 1);
  memcpy(Name, P.name, Used);
  Name[Used] = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *Value, CUdevice_attribute Attribute, CUdevice Device) {
  return toDriver(cudaDeviceGetAttribute(Value, cudaDeviceAttr(int(Attribute)), Device));
}
CUresult cuDeviceCanAccessPeer(int *Can, CUdevice Device, CUdevice Peer) {
  return toDriver(cudaDeviceCanAccessPeer(Can, Device, Peer));
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *Result, CUdevice Device) {
  return driverCall([&](Context &C) {
    if (!Result)
      return CUDA_ERROR_INVALID_VALUE;
    if (!C.valid(Device))
      return CUDA_ERROR_INVALID_DEVICE;
    *Result = contextOf(Device);
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxRelease(CUdevice Device) {
  return driverCall(
      [&](Context &C) { return C.valid(Device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; });
}
CUresult cuCtxGetCurrent(CUcontext *Result) {
  return driverCall([&](Context &) {
    if (!Result)
      return CUDA_ERROR_INVALID_VALUE;
    *Result = contextOf(currentDevice());
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxSetCurrent(CUcontext Handle) {
  return driverCall([&](Context &C) {
    if (!C.valid(deviceOf(Handle)))
      return CUDA_ERROR_INVALID_CONTEXT;
    currentDevice() = deviceOf(Handle);
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxGetDevice(CUdevice *Result) {
  return driverCall([&](Context &) {
    if (!Result)
      return CUDA_ERROR_INVALID_VALUE;
    *Result = currentDevice();
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxSynchronize() { return toDriver(cudaDeviceSynchronize()); }

// ---------------------------------------------------------------- streams, events

CUresult cuStreamCreate(CUstream *Result, unsigned Flags) {
  return toDriver(cudaStreamCreateWithFlags(reinterpret_cast<cudaStream_t *>(Result), Flags));
}
CUresult cuStreamCreateWithPriority(CUstream *Result, unsigned Flags, int Priority) {
  auto *Handle = reinterpret_cast<cudaStream_t *>(Result);
  return toDriver(cudaStreamCreateWithPriority(Handle, Flags, Priority));
}
CUresult cuStreamDestroy(CUstream S) { return toDriver(cudaStreamDestroy(runtime(S))); }
CUresult cuStreamSynchronize(CUstream S) { return toDriver(cudaStreamSynchronize(runtime(S))); }
CUresult cuStreamQuery(CUstream S) { return toDriver(cudaStreamQuery(runtime(S))); }
CUresult cuStreamWaitEvent(CUstream S, CUevent E, unsigned Flags) {
  return toDriver(cudaStreamWaitEvent(runtime(S), runtime(E), Flags));
}
CUresult cuLaunchHostFunc(CUstream S, CUhostFn Function, void *Data) {
  return toDriver(cudaLaunchHostFunc(runtime(S), Function, Data));
}
CUresult cuEventCreate(CUevent *Result, unsigned Flags) {
  return toDriver(cudaEventCreateWithFlags(reinterpret_cast<cudaEvent_t *>(Result), Flags));
}
CUresult cuEventDestroy(CUevent E) { return toDriver(cudaEventDestroy(runtime(E))); }
CUresult cuEventRecord(CUevent E, CUstream S) {
  return toDriver(cudaEventRecord(runtime(E), runtime(S)));
}
CUresult cuEventQuery(CUevent E) { return toDriver(cudaEventQuery(runtime(E))); }
CUresult cuEventSynchronize(CUevent E) { return toDriver(cudaEventSynchronize(runtime(E))); }

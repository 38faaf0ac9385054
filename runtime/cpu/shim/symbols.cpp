// Device variables by their host symbol.
#include "cpu/shim/copies.h"
#include "cpu/shim/modules.h"
#include "cpu/shim/variants.h"

using namespace scopesan;
using namespace scopesan::cpu;

cudaError_t scopesan::cpu::resolveSymbol(const void *Symbol, size_t Offset, size_t Bytes,
                                         char *&Address) {
  return deviceCall([&](Context &C) {
    DeviceVariable *V = modules().variable(Symbol);
    if (!V)
      return cudaErrorInvalidSymbol;
    if (cudaError_t E = modules().prepare(*V, currentDevice()); E != cudaSuccess)
      return E;
    if (Offset > V->Size || Bytes > V->Size - Offset)
      return cudaErrorInvalidValue;
    Address = static_cast<char *>(V->addressOn(currentDevice())) + Offset;
    return cudaSuccess;
  });
}

namespace {

cudaError_t toSymbol(const char *Api, const void *Symbol, const void *From, size_t Bytes,
                     size_t Offset, cudaMemcpyKind Kind, cudaStream_t Queue, bool Async) {
  char *To = nullptr;
  if (cudaError_t E = resolveSymbol(Symbol, Offset, Bytes, To); E != cudaSuccess)
    return E;
  return copy({Api, lineAt(To), lineAt(From), {Bytes, 1, 1}, Kind}, Queue, Async);
}

cudaError_t fromSymbol(const char *Api, void *To, const void *Symbol, size_t Bytes, size_t Offset,
                       cudaMemcpyKind Kind, cudaStream_t Queue, bool Async) {
  char *From = nullptr;
  if (cudaError_t E = resolveSymbol(Symbol, Offset, Bytes, From); E != cudaSuccess)
    return E;
  return copy({Api, lineAt(To), lineAt(From), {Bytes, 1, 1}, Kind}, Queue, Async);
}

} // namespace

cudaError_t cudaMemcpyToSymbol(const void *Symbol, const void *From, size_t Bytes, size_t Offset,
                               cudaMemcpyKind Kind) {
  return toSymbol("cudaMemcpyToSymbol", Symbol, From, Bytes, Offset, Kind, cudaStreamLegacy, false);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpyToSymbol_ptds(const void *Symbol, const void *From,
                                                    size_t Bytes, size_t Offset,
                                                    cudaMemcpyKind Kind) {
  return toSymbol("cudaMemcpyToSymbol", Symbol, From, Bytes, Offset, Kind, cudaStreamPerThread,
                  false);
}
cudaError_t cudaMemcpyFromSymbol(void *To, const void *Symbol, size_t Bytes, size_t Offset,
                                 cudaMemcpyKind Kind) {
  return fromSymbol("cudaMemcpyFromSymbol", To, Symbol, Bytes, Offset, Kind, cudaStreamLegacy,
                    false);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpyFromSymbol_ptds(void *To, const void *Symbol, size_t Bytes,
                                                      size_t Offset, cudaMemcpyKind Kind) {
  return fromSymbol("cudaMemcpyFromSymbol", To, Symbol, Bytes, Offset, Kind, cudaStreamPerThread,
                    false);
}
cudaError_t cudaMemcpyToSymbolAsync(const void *Symbol, const void *From, size_t Bytes,
                                    size_t Offset, cudaMemcpyKind Kind, cudaStream_t S) {
  return toSymbol("cudaMemcpyToSymbolAsync", Symbol, From, Bytes, Offset, Kind, S, true);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void *Symbol, const void *From,
                                                         size_t Bytes, size_t Offset,
                                                         cudaMemcpyKind Kind, cudaStream_t S) {
  return toSymbol("cudaMemcpyToSymbolAsync", Symbol, From, Bytes, Offset, Kind, perThread(S), true);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *To, const void *Symbol, size_t Bytes, size_t Offset,
                                      cudaMemcpyKind Kind, cudaStream_t S) {
  return fromSymbol("cudaMemcpyFromSymbolAsync", To, Symbol, Bytes, Offset, Kind, S, true);
}
SCOPESAN_EXPORT cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void *To, const void *Symbol,
                                                           size_t Bytes, size_t Offset,
                                                           cudaMemcpyKind Kind, cudaStream_t S) {
  return fromSymbol("cudaMemcpyFromSymbolAsync", To, Symbol, Bytes, Offset, Kind, perThread(S),
                    true);
}

cudaError_t cudaGetSymbolAddress(void **Address, const void *Symbol) {
  char *P = nullptr;
  cudaError_t E = resolveSymbol(Symbol, 0, 0, P);
  if (E == cudaSuccess)
    *Address = P;
  return E;
}

cudaError_t cudaGetSymbolSize(size_t *Size, const void *Symbol) {
  return deviceCall([&](Context &) {
    DeviceVariable *V = modules().variable(Symbol);
    if (!V)
      return cudaErrorInvalidSymbol;
    *Size = V->Size;
    return cudaSuccess;
  });
}

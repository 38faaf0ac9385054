#include "cpu/shim/graph_memory.h"

using namespace scopesan;
using namespace scopesan::cpu;

cudaError_t scopesan::cpu::reserveForGraph(Context &C, size_t Bytes, int Device, AllocWork &W) {
  if (!*W.Api)
    W.Api = "cudaGraphAddMemAllocNode";
  void *P = C.Memory.allocate(Bytes, host::MemoryKind::Device, W.Api, Device);
  if (!P)
    return cudaErrorMemoryAllocation;
  W.Address = reinterpret_cast<uint64_t>(P);
  W.Bytes = Bytes;
  W.Reservation = std::shared_ptr<void>(P, [&C, Serial = C.Memory.find(P)->Serial](void *P) {
    std::lock_guard Lock(C.Mutex);
    C.Memory.forget(reinterpret_cast<uint64_t>(P), Serial);
  });
  return cudaSuccess;
}

cudaError_t scopesan::cpu::freeInGraph(Context &C, void *P, FreeWork &W) {
  const Allocation *A = C.Memory.find(P);
  if (!A || A->Address != reinterpret_cast<uint64_t>(P))
    return cudaErrorInvalidValue;
  W.Api = "cudaGraphAddMemFreeNode";
  W.Address = A->Address;
  W.Bytes = A->Bytes;
  W.InGraph = true;
  return cudaSuccess;
}

// Stream memory operations: cuStreamWaitValue, cuStreamWriteValue, cuStreamBatchMemOp.
//
// A write is a release at system scope, unless its barrier is switched off; a wait is an acquire
// that lets the stream go on when the value is there (S14).
#include "cpu/shim/capture.h"
#include "cpu/shim/variants.h"

#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

CUresult toDriver(cudaError_t E) { return CUresult(int(E)); } // the numbers agree

/// Everything but what says how to compare.
constexpr unsigned WaitFlags = CU_STREAM_WAIT_VALUE_FLUSH;

bool isKnownWait(unsigned Flags) { return (Flags & ~WaitFlags) <= CU_STREAM_WAIT_VALUE_NOR; }

cudaError_t submitValue(CUstream Queue, ValueWork W) {
  return streamCall(reinterpret_cast<cudaStream_t>(Queue), [&](Context &C, Stream &S) {
    const Allocation *A = C.Memory.find(W.Address);
    if (!A || !A->contains(W.Address + W.Bytes - 1) || W.Address % W.Bytes)
      return cudaErrorInvalidValue;
    W.Domain = S.Domain;
    W.DomainMap = S.DomainMap;
    return submit(C, S, W);
  });
}

CUresult wait(const char *Api, CUstream S, CUdeviceptr Address, uint64_t Value, uint32_t Bytes,
              unsigned Flags) {
  if (!isKnownWait(Flags))
    return CUDA_ERROR_INVALID_VALUE;
  return toDriver(
      submitValue(S, {Api, Address, Bytes, Value, true, uint8_t(Flags & ~WaitFlags), false}));
}

CUresult write(const char *Api, CUstream S, CUdeviceptr Address, uint64_t Value, uint32_t Bytes,
               unsigned Flags) {
  if (Flags & ~unsigned(CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER))
    return CUDA_ERROR_INVALID_VALUE;
  bool Relaxed = Flags & CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER;
  return toDriver(submitValue(S, {Api, Address, Bytes, Value, false, 0, Relaxed}));
}

/// S1: a fence followed by a strong write is a release. Between a batch's barrier and its writes
/// there are only other values, so that such a write may stand for what precedes the barrier.
void fence(const CUstreamBatchMemOpParams &P, bool &Fenced) {
  Fenced = true;
  if (P.memoryBarrier.flags != CU_STREAM_MEMORY_BARRIER_TYPE_SYS)
    host::incomplete("the CPU backend takes a stream's memory barrier as one of the system's kind");
}

CUresult one(CUstream S, const CUstreamBatchMemOpParams &P, bool &Fenced) {
  constexpr unsigned Unfenced = ~unsigned(CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER);
  const unsigned WriteFlags = P.writeValue.flags & (Fenced ? Unfenced : ~0u);
  constexpr char Api[] = "cuStreamBatchMemOp";
  switch (P.operation) {
  case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    return wait(Api, S, P.waitValue.address, P.waitValue.value, 4, P.waitValue.flags);
  case CU_STREAM_MEM_OP_WAIT_VALUE_64:
    return wait(Api, S, P.waitValue.address, P.waitValue.value64, 8, P.waitValue.flags);
  case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    return write(Api, S, P.writeValue.address, P.writeValue.value, 4, WriteFlags);
  case CU_STREAM_MEM_OP_WRITE_VALUE_64:
    return write(Api, S, P.writeValue.address, P.writeValue.value64, 8, WriteFlags);
  case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
    return CUDA_SUCCESS; // the operations of a batch are in order here
  case CU_STREAM_MEM_OP_BARRIER:
    return fence(P, Fenced), CUDA_SUCCESS;
  default:
    host::incomplete("the CPU backend lacks the stream memory operation with number " +
                     std::to_string(int(P.operation)));
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}

} // namespace

bool scopesan::cpu::isReached(const ValueWork &W) {
  uint64_t Now = 0;
  memcpy(&Now, reinterpret_cast<const void *>(W.Address), W.Bytes);
  switch (W.Compare) {
  case CU_STREAM_WAIT_VALUE_GEQ: // cyclic
    return W.Bytes == 4 ? int32_t(uint32_t(Now) - uint32_t(W.Value)) >= 0
                        : int64_t(Now - W.Value) >= 0;
  case CU_STREAM_WAIT_VALUE_EQ:
    return Now == W.Value;
  case CU_STREAM_WAIT_VALUE_AND:
    return (Now & W.Value) != 0;
  default: { // NOR: some bit is neither in the value nor in memory
    uint64_t All = W.Bytes == 4 ? 0xffffffffu : ~0ull;
    return (~(Now | W.Value) & All) != 0;
  }
  }
}

CUresult cuStreamWaitValue32(CUstream S, CUdeviceptr A, cuuint32_t Value, unsigned Flags) {
  return wait("cuStreamWaitValue32", S, A, Value, 4, Flags);
}
CUresult cuStreamWaitValue64(CUstream S, CUdeviceptr A, cuuint64_t Value, unsigned Flags) {
  return wait("cuStreamWaitValue64", S, A, Value, 8, Flags);
}
CUresult cuStreamWriteValue32(CUstream S, CUdeviceptr A, cuuint32_t Value, unsigned Flags) {
  return write("cuStreamWriteValue32", S, A, Value, 4, Flags);
}
CUresult cuStreamWriteValue64(CUstream S, CUdeviceptr A, cuuint64_t Value, unsigned Flags) {
  return write("cuStreamWriteValue64", S, A, Value, 8, Flags);
}
CUresult cuStreamBatchMemOp(CUstream S, unsigned Count, CUstreamBatchMemOpParams *List,
                            unsigned Flags) {
  if (!List || Flags)
    return CUDA_ERROR_INVALID_VALUE;
  bool Fenced = false;
  for (unsigned I = 0; I < Count; ++I)
    if (CUresult E = one(S, List[I], Fenced); E != CUDA_SUCCESS)
      return E;
  return CUDA_SUCCESS;
}

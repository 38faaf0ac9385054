// Batches of copies: the batch is in stream order, its copies are in no order among themselves.
#include "cpu/shim/capture.h"
#include "cpu/shim/copies.h"
#include "cpu/shim/variants.h"

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

struct BatchCopy {
  CopyWork Work;
  cudaMemcpySrcAccessOrder Order = cudaMemcpySrcAccessOrderStream;
};

/// The copy's source is read by an actor of its own, in no stream order.
///   DuringApiCall  before the call returns: the host is ordered after it
///   Any            some time between the call and the end of the batch
OperationRef readSource(Context &C, Stream &S, BatchCopy &B, size_t Line) {
  StageWork Read{B.Work.Api, B.Work.From, B.Work.Size, B.Work.FromKnown,
                 std::make_shared<std::vector<char>>()};
  Placement P = C.Work.placeBeside(S, Line);
  P.After = {{nullptr, C.Hosts.past()}};
  OperationRef Op = C.Work.enqueue(P, Read);
  B.Work.Staged = Read.Into;
  B.Work.FromKnown = false;
  return Op;
}

/// The sources that are not read in stream order. A captured batch reads all of them in it.
cudaError_t readSources(Context &C, Stream &S, std::vector<BatchCopy> &Batch, Dependencies &Reads) {
  if (cudaError_t E = checkImplicitJoin(C, S); E != cudaSuccess)
    return E;
  Reads.resize(Batch.size());
  Dependencies DuringCall;
  for (size_t I = 0; I < Batch.size(); ++I) {
    if (Batch[I].Order == cudaMemcpySrcAccessOrderStream)
      continue;
    OperationRef Op = readSource(C, S, Batch[I], Batch.size() + I);
    Reads[I] = {Op, Op->Node};
    if (Batch[I].Order == cudaMemcpySrcAccessOrderDuringApiCall)
      DuringCall.push_back(Reads[I]);
  }
  return DuringCall.empty() ? cudaSuccess : C.Work.waitFor(DuringCall);
}

cudaError_t runBatch(cudaStream_t Queue, std::vector<BatchCopy> Batch) {
  if (!Queue)
    return record(cudaErrorInvalidValue); // as documented: not the legacy default stream
  return streamCall(Queue, [&](Context &C, Stream &S) {
    for (BatchCopy &B : Batch) {
      if (B.Work.Size.empty())
        return cudaErrorInvalidValue;
      if (cudaError_t E = checkCopy(C, B.Work); E != cudaSuccess)
        return E;
    }
    Dependencies Reads;
    if (!S.Capturing)
      if (cudaError_t E = readSources(C, S, Batch, Reads); E != cudaSuccess)
        return E;
    std::vector<Work> Parts;
    for (const BatchCopy &B : Batch)
      Parts.emplace_back(B.Work);
    return submitParallel(C, S, Parts, Reads);
  });
}

bool validOrder(cudaMemcpySrcAccessOrder Order) {
  return Order >= cudaMemcpySrcAccessOrderStream && Order <= cudaMemcpySrcAccessOrderAny;
}

} // namespace

cudaError_t cudaMemcpyBatchAsync(void *const *To, const void *const *From, const size_t *Bytes,
                                 size_t Count, cudaMemcpyAttributes *Attributes, size_t *Starts,
                                 size_t AttributeCount, cudaStream_t Queue) {
  if (!Count || !To || !From || !Bytes || !Attributes || !Starts || !AttributeCount ||
      AttributeCount > Count || Starts[0] != 0)
    return record(cudaErrorInvalidValue);
  std::vector<BatchCopy> Batch(Count);
  size_t Attribute = 0;
  for (size_t I = 0; I < Count; ++I) {
    while (Attribute + 1 < AttributeCount && Starts[Attribute + 1] <= I)
      ++Attribute;
    CopyWork &W = Batch[I].Work;
    W.Api = "cudaMemcpyBatchAsync";
    W.To = lineAt(To[I]);
    W.From = lineAt(From[I]);
    W.Size = {Bytes[I], 1, 1};
    Batch[I].Order = Attributes[Attribute].srcAccessOrder;
    if (!validOrder(Batch[I].Order))
      return record(cudaErrorInvalidValue);
  }
  return runBatch(Queue, std::move(Batch));
}
SCOPESAN_EXPORT cudaError_t cudaMemcpyBatchAsync_ptsz(void *const *To, const void *const *From,
                                                      const size_t *Bytes, size_t Count,
                                                      cudaMemcpyAttributes *Attributes,
                                                      size_t *Starts, size_t AttributeCount,
                                                      cudaStream_t Queue) {
  return cudaMemcpyBatchAsync(To, From, Bytes, Count, Attributes, Starts, AttributeCount,
                              perThread(Queue));
}

cudaError_t cudaMemcpy3DBatchAsync(size_t Count, cudaMemcpy3DBatchOp *List,
                                   unsigned long long Flags, cudaStream_t Queue) {
  if (!Count || !List || Flags)
    return record(cudaErrorInvalidValue);
  std::vector<BatchCopy> Batch(Count);
  for (size_t I = 0; I < Count; ++I) {
    const cudaMemcpy3DBatchOp &Op = List[I];
    if (Op.src.type != cudaMemcpyOperandTypePointer ||
        Op.dst.type != cudaMemcpyOperandTypePointer) {
      host::incomplete("the CPU backend lacks CUDA arrays (cudaMemcpy3DBatchAsync)");
      return record(cudaErrorNotSupported);
    }
    // Lengths count elements, which are bytes for pointers; 0 = tightly packed.
    auto At = [&](const cudaMemcpy3DOperand &O) {
      size_t Row = O.op.ptr.rowLength ? O.op.ptr.rowLength : Op.extent.width;
      size_t Rows = O.op.ptr.layerHeight ? O.op.ptr.layerHeight : Op.extent.height;
      return Place{static_cast<char *>(O.op.ptr.ptr), Row, Row * Rows};
    };
    CopyWork &W = Batch[I].Work;
    W.Api = "cudaMemcpy3DBatchAsync";
    W.To = At(Op.dst);
    W.From = At(Op.src);
    W.Size = {Op.extent.width, Op.extent.height, Op.extent.depth};
    Batch[I].Order = Op.srcAccessOrder;
    if (!validOrder(Batch[I].Order))
      return record(cudaErrorInvalidValue);
  }
  return runBatch(Queue, std::move(Batch));
}
SCOPESAN_EXPORT cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t Count, cudaMemcpy3DBatchOp *List,
                                                        unsigned long long Flags,
                                                        cudaStream_t Queue) {
  return cudaMemcpy3DBatchAsync(Count, List, Flags, perThread(Queue));
}

// Batches of copies and discards: the batch is in stream order, its parts are in no order among
// themselves.
#include "cupti/calls.h"

namespace scopesan::cupti {
namespace {

struct BatchCopy {
  Box from, to; ///< a discard has no `from`: it is a write
  CUmemcpySrcAccessOrder order = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
};

/// The source is read by an actor of its own, in no stream order, from the call on.
core::NodeId readSource(Collector &c, const Call &k, gpu::Stream &s, size_t line, const Box &from) {
  core::NodeId node = c.Order.copyAt({c.Order.lineBeside(s, line), {c.Order.host()}, {}});
  host::nodeNamed(node, k.api, k.origin(s));
  c.copied(node, &from, nullptr);
  return node;
}

void batch(Collector &c, const Call &k, CUstream stream, const std::vector<BatchCopy> &copies) {
  if (k.captured(stream))
    return k.nameCaptured(c, stream);
  if (!k.enter)
    return;
  gpu::Stream &s = k.stream(c, stream);
  c.settle(false);
  std::vector<gpu::Nodes> reads(copies.size());
  gpu::Nodes during;
  for (size_t i = 0; i < copies.size(); ++i) {
    if (copies[i].order == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM)
      continue;
    reads[i].push_back(readSource(c, k, s, copies.size() + i, copies[i].from));
    if (copies[i].order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)
      during.push_back(reads[i].back());
  }
  for (core::NodeId n : during)
    c.Order.hostAfter(n);
  gpu::Nodes ends{c.Order.marker(s)};
  core::NodeId begin = ends.front();
  for (size_t i = 0; i < copies.size(); ++i) {
    gpu::Place p{c.Order.lineBeside(s, i), {begin}, {}};
    p.after.insert(p.after.end(), reads[i].begin(), reads[i].end());
    core::NodeId node = c.Order.copyAt(p);
    host::nodeNamed(node, k.api, k.origin(s));
    bool readsHere = reads[i].empty() && copies[i].from.width;
    c.copied(node, readsHere ? &copies[i].from : nullptr, &copies[i].to);
    ends.push_back(node);
  }
  c.Order.marker(s, ends);
}

template <typename P> void onBatch(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  std::vector<BatchCopy> copies(k.enter ? p.count : 0);
  size_t attribute = 0;
  for (size_t i = 0; i < copies.size(); ++i) {
    while (attribute + 1 < p.numAttrs && p.attrsIdxs[attribute + 1] <= i)
      ++attribute;
    copies[i] = {{p.srcs[i], p.sizes[i]}, {p.dsts[i], p.sizes[i]}};
    if (p.numAttrs)
      copies[i].order = p.attrs[attribute].srcAccessOrder;
  }
  batch(c, k, p.hStream, copies);
}

/// Lengths count elements, which are bytes for pointers; 0 = tightly packed.
Box boxOf(const CUmemcpy3DOperand &o, const CUextent3D &e) {
  uint64_t row = o.op.ptr.rowLength ? o.op.ptr.rowLength : e.width;
  uint64_t rows = o.op.ptr.layerHeight ? o.op.ptr.layerHeight : e.height;
  return {o.op.ptr.ptr, e.width, e.height, row, e.depth, row * rows};
}
template <typename P> void onBatch3D(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  std::vector<BatchCopy> copies;
  for (size_t i = 0; k.enter && i < p.numOps; ++i) {
    const CUDA_MEMCPY3D_BATCH_OP &op = p.opList[i];
    if (op.src.type == CU_MEMCPY_OPERAND_TYPE_POINTER &&
        op.dst.type == CU_MEMCPY_OPERAND_TYPE_POINTER)
      copies.push_back({boxOf(op.src, op.extent), boxOf(op.dst, op.extent), op.srcAccessOrder});
    else
      host::incomplete("CUDA arrays are not checked (" + k.api + ")");
  }
  batch(c, k, p.hStream, copies);
}

/// Discarded bytes have no value until they are written again.
template <typename P> void onDiscard(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  std::vector<BatchCopy> parts;
  for (size_t i = 0; k.enter && i < p.count; ++i)
    parts.push_back({{}, {p.dptrs[i], p.sizes[i]}});
  batch(c, k, p.hStream, parts);
}

constexpr CallRow Rows[] = {
    {"cuMemDiscardBatchAsync", onDiscard<cuMemDiscardBatchAsync_params>},
    {"cuMemDiscardAndPrefetchBatchAsync", onDiscard<cuMemDiscardAndPrefetchBatchAsync_params>},
    {"cuMemcpyBatchAsync", onBatch<cuMemcpyBatchAsync_params>},
    {"cuMemcpyBatchAsync_v2", onBatch<cuMemcpyBatchAsync_v2_params>},
    {"cuMemcpy3DBatchAsync", onBatch3D<cuMemcpy3DBatchAsync_params>},
    {"cuMemcpy3DBatchAsync_v2", onBatch3D<cuMemcpy3DBatchAsync_v2_params>},
};

} // namespace

std::span<const CallRow> batchCalls() { return Rows; }

} // namespace scopesan::cupti

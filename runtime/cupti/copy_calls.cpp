// Copies and fills, in stream order (O7).
#include "cupti/calls.h"

#include "host/options.h"

namespace scopesan::cupti {
namespace {

using host::MemoryKind;

/// What the synchronization behaviour of a copy depends on.
enum class Side { Pageable, Pinned, Managed, Device };

Side sideOf(Collector &c, const Box &b) {
  const Collector::Memory *m = c.find(b.address);
  if (!m)
    return Side::Pageable;
  if (m->kind == MemoryKind::Managed)
    return Side::Managed;
  return m->onHost() ? Side::Pinned : Side::Device;
}

/// What a copy promises to the host that calls it ("API synchronization behavior" of the CUDA
/// runtime's reference), as in the CPU backend's `copies.cpp`.
enum class Promise { Nothing, Staged, Complete };

Promise promiseOf(Side to, Side from, bool async) {
  bool toHost = to == Side::Pageable || to == Side::Pinned;
  bool fromHost = from == Side::Pageable || from == Side::Pinned;
  if (toHost && fromHost)
    return Promise::Complete;
  if (async || (to == Side::Device && from == Side::Device))
    return Promise::Nothing;
  if (to == Side::Device && from == Side::Pageable && host::options().pageable_copy == "staged")
    return Promise::Staged;
  return Promise::Complete;
}

/// Nodes that the host comes after when the call returns; null = none.
void transfer(Collector &c, const Call &k, CUstream stream, bool async, const Box *from,
              const Box &to) {
  if (!k.enter) {
    if (k.succeeded && k.kept()) {
      c.settle(false);
      c.Order.hostAfter({uint32_t(k.kept())});
    }
    return;
  }
  k.kept() = 0;
  if (captured(stream))
    return;
  gpu::Stream &s = k.stream(c, stream);
  Promise promise =
      from ? promiseOf(sideOf(c, to), sideOf(c, *from), async)
           : (!async && sideOf(c, to) == Side::Pinned ? Promise::Complete : Promise::Nothing);
  if (promise == Promise::Staged) // returns when the source was read: what comes before is done
    k.kept() = c.Order.marker(s).value;
  core::NodeId node = c.Order.copy(s);
  if (promise == Promise::Complete)
    k.kept() = node.value;
  host::nodeNamed(node, k.api, {.stream = s.ordinal, .stack = host::captureStack()});
  c.settle(false);
  c.copied(node, from, to);
}

template <typename P, bool Async> CUstream streamOf(const P &p) {
  if constexpr (Async)
    return p.hStream;
  else
    return nullptr;
}

template <typename P, bool Async> void onCopyDtoD(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  Box from{p.srcDevice, p.ByteCount}, to{p.dstDevice, p.ByteCount};
  transfer(c, k, streamOf<P, Async>(p), Async, &from, to);
}
template <typename P, bool Async> void onCopyHtoD(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  Box from{raw(p.srcHost), p.ByteCount}, to{p.dstDevice, p.ByteCount};
  transfer(c, k, streamOf<P, Async>(p), Async, &from, to);
}
template <typename P, bool Async> void onCopyDtoH(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  Box from{p.srcDevice, p.ByteCount}, to{raw(p.dstHost), p.ByteCount};
  transfer(c, k, streamOf<P, Async>(p), Async, &from, to);
}
template <typename P, bool Async> void onCopy(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  Box from{p.src, p.ByteCount}, to{p.dst, p.ByteCount};
  transfer(c, k, streamOf<P, Async>(p), Async, &from, to);
}

uint64_t base(CUmemorytype type, const void *host, CUdeviceptr device) {
  return type == CU_MEMORYTYPE_HOST ? raw(host) : uint64_t(device);
}
bool arrays(const Call &k, CUmemorytype from, CUmemorytype to) {
  if (from != CU_MEMORYTYPE_ARRAY && to != CU_MEMORYTYPE_ARRAY)
    return false;
  if (k.enter)
    host::incomplete("CUDA arrays are not checked (" + k.api + ")");
  return true;
}
void copy2D(Collector &c, const Call &k, const CUDA_MEMCPY2D &m, CUstream stream, bool async) {
  if (arrays(k, m.srcMemoryType, m.dstMemoryType))
    return;
  Box from{base(m.srcMemoryType, m.srcHost, m.srcDevice) + m.srcY * m.srcPitch + m.srcXInBytes,
           m.WidthInBytes, m.Height, m.srcPitch};
  Box to{base(m.dstMemoryType, m.dstHost, m.dstDevice) + m.dstY * m.dstPitch + m.dstXInBytes,
         m.WidthInBytes, m.Height, m.dstPitch};
  transfer(c, k, stream, async, &from, to);
}
void copy3D(Collector &c, const Call &k, const CUDA_MEMCPY3D &m, CUstream stream, bool async) {
  if (arrays(k, m.srcMemoryType, m.dstMemoryType))
    return;
  uint64_t fromSlice = m.srcPitch * m.srcHeight, toSlice = m.dstPitch * m.dstHeight;
  Box from{base(m.srcMemoryType, m.srcHost, m.srcDevice) + m.srcZ * fromSlice +
               m.srcY * m.srcPitch + m.srcXInBytes,
           m.WidthInBytes,
           m.Height,
           m.srcPitch,
           m.Depth,
           fromSlice};
  Box to{base(m.dstMemoryType, m.dstHost, m.dstDevice) + m.dstZ * toSlice + m.dstY * m.dstPitch +
             m.dstXInBytes,
         m.WidthInBytes,
         m.Height,
         m.dstPitch,
         m.Depth,
         toSlice};
  transfer(c, k, stream, async, &from, to);
}
void onCopy2D(Collector &c, const Call &k) {
  copy2D(c, k, *params<cuMemcpy2D_v2_params>(k).pCopy, nullptr, false);
}
void onCopy2DAsync(Collector &c, const Call &k) {
  const auto &p = params<cuMemcpy2DAsync_v2_params>(k);
  copy2D(c, k, *p.pCopy, p.hStream, true);
}
void onCopy3D(Collector &c, const Call &k) {
  copy3D(c, k, *params<cuMemcpy3D_v2_params>(k).pCopy, nullptr, false);
}
void onCopy3DAsync(Collector &c, const Call &k) {
  const auto &p = params<cuMemcpy3DAsync_v2_params>(k);
  copy3D(c, k, *p.pCopy, p.hStream, true);
}
void onPeerCopyAsync(Collector &c, const Call &k) {
  const auto &p = params<cuMemcpyPeerAsync_params>(k);
  Box from{p.srcDevice, p.ByteCount}, to{p.dstDevice, p.ByteCount};
  transfer(c, k, p.hStream, true, &from, to);
}
template <typename P, unsigned Element, bool Async> void onFill(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  transfer(c, k, streamOf<P, Async>(p), Async, nullptr, {p.dstDevice, p.N * Element});
}
template <typename P, unsigned Element, bool Async> void onFill2D(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  transfer(c, k, streamOf<P, Async>(p), Async, nullptr,
           {p.dstDevice, p.Width * Element, p.Height, p.dstPitch});
}
void onUncheckedCopy(Collector &, const Call &k) {
  if (k.enter)
    host::incomplete("a copy of this kind is not checked on the GPU yet (" + k.api + ")");
}

constexpr CallRow Rows[] = {
    {"cuMemcpy", onCopy<cuMemcpy_params, false>},
    {"cuMemcpy_v2", onCopy<cuMemcpy_params, false>},
    {"cuMemcpyAsync", onCopy<cuMemcpyAsync_params, true>},
    {"cuMemcpyHtoD_v2", onCopyHtoD<cuMemcpyHtoD_v2_params, false>},
    {"cuMemcpyDtoH_v2", onCopyDtoH<cuMemcpyDtoH_v2_params, false>},
    {"cuMemcpyDtoD_v2", onCopyDtoD<cuMemcpyDtoD_v2_params, false>},
    {"cuMemcpyHtoDAsync_v2", onCopyHtoD<cuMemcpyHtoDAsync_v2_params, true>},
    {"cuMemcpyDtoHAsync_v2", onCopyDtoH<cuMemcpyDtoHAsync_v2_params, true>},
    {"cuMemcpyDtoDAsync_v2", onCopyDtoD<cuMemcpyDtoDAsync_v2_params, true>},
    {"cuMemcpy2D_v2", onCopy2D},
    {"cuMemcpy2DUnaligned_v2", onCopy2D},
    {"cuMemcpy2DAsync_v2", onCopy2DAsync},
    {"cuMemcpy3D_v2", onCopy3D},
    {"cuMemcpy3DAsync_v2", onCopy3DAsync},
    {"cuMemcpyPeerAsync", onPeerCopyAsync},
    {"cuMemcpyPeer", onUncheckedCopy},
    {"cuMemcpy3DPeer", onUncheckedCopy},
    {"cuMemcpy3DPeerAsync", onUncheckedCopy},
    {"cuMemcpyBatchAsync", onUncheckedCopy},
    {"cuMemcpyBatchAsync_v2", onUncheckedCopy},
    {"cuMemcpy3DBatchAsync", onUncheckedCopy},
    {"cuMemcpy3DBatchAsync_v2", onUncheckedCopy},

    {"cuMemsetD8_v2", onFill<cuMemsetD8_v2_params, 1, false>},
    {"cuMemsetD16_v2", onFill<cuMemsetD16_v2_params, 2, false>},
    {"cuMemsetD32_v2", onFill<cuMemsetD32_v2_params, 4, false>},
    {"cuMemsetD8Async", onFill<cuMemsetD8Async_params, 1, true>},
    {"cuMemsetD16Async", onFill<cuMemsetD16Async_params, 2, true>},
    {"cuMemsetD32Async", onFill<cuMemsetD32Async_params, 4, true>},
    {"cuMemsetD2D8_v2", onFill2D<cuMemsetD2D8_v2_params, 1, false>},
    {"cuMemsetD2D16_v2", onFill2D<cuMemsetD2D16_v2_params, 2, false>},
    {"cuMemsetD2D32_v2", onFill2D<cuMemsetD2D32_v2_params, 4, false>},
    {"cuMemsetD2D8Async", onFill2D<cuMemsetD2D8Async_params, 1, true>},
    {"cuMemsetD2D16Async", onFill2D<cuMemsetD2D16Async_params, 2, true>},
    {"cuMemsetD2D32Async", onFill2D<cuMemsetD2D32Async_params, 4, true>},
};

} // namespace

std::span<const CallRow> copyCalls() { return Rows; }

} // namespace scopesan::cupti

// Copies and fills, in stream order (O7).
#include "cupti/calls.h"

namespace scopesan::cupti {

void transfer(Collector &c, const Call &k, CUstream stream, const Transfer &t) {
  if (k.captured(stream))
    return k.nameCaptured(c, stream);
  if (!k.enter) {
    if (k.succeeded && k.kept()) {
      c.settle(false);
      c.Order.hostAfter(core::NodeId{uint32_t(k.kept())});
    }
    return;
  }
  k.kept() = 0; // a node that the host comes after when the call returns
  gpu::Stream &s = k.stream(c, stream);
  host::CopySide to = c.sideOf(t.to.address);
  host::CopyPromise promise = t.isCopy ? host::copyPromise(to, c.sideOf(t.from.address), t.async)
                                       : host::fillPromise(to, t.async);
  if (promise == host::CopyPromise::Staged) // what comes before is done
    k.kept() = c.Order.marker(s).value;
  core::NodeId node = c.Order.copy(s);
  if (promise == host::CopyPromise::Complete)
    k.kept() = node.value;
  host::Origin origin = k.origin(s);
  origin.staged = promise == host::CopyPromise::Staged && !t.async;
  gpu::Content content = t.content;
  if (t.isCopy && t.from.height * t.from.depth == 1 &&
      c.sideOf(t.from.address) == host::CopySide::Pageable)
    content = contentAt(t.from.address, t.from.width);
  host::nodeNamed(node, k.api, origin);
  c.settle(false);
  c.copied(node, t.isCopy ? &t.from : nullptr, &t.to, std::move(content));
}

static uint64_t base(CUmemorytype type, const void *host, CUdeviceptr device) {
  return type == CU_MEMORYTYPE_HOST ? raw(host) : uint64_t(device);
}
bool boxesOf(const CUDA_MEMCPY3D &m, Box &from, Box &to) {
  if (m.srcMemoryType == CU_MEMORYTYPE_ARRAY || m.dstMemoryType == CU_MEMORYTYPE_ARRAY)
    return false;
  uint64_t fromSlice = m.srcPitch * m.srcHeight, toSlice = m.dstPitch * m.dstHeight;
  from = {base(m.srcMemoryType, m.srcHost, m.srcDevice) + m.srcZ * fromSlice + m.srcY * m.srcPitch +
              m.srcXInBytes,
          m.WidthInBytes,
          m.Height,
          m.srcPitch,
          m.Depth,
          fromSlice};
  to = {base(m.dstMemoryType, m.dstHost, m.dstDevice) + m.dstZ * toSlice + m.dstY * m.dstPitch +
            m.dstXInBytes,
        m.WidthInBytes,
        m.Height,
        m.dstPitch,
        m.Depth,
        toSlice};
  return true;
}

namespace {

template <typename P, bool Async> CUstream streamOf(const P &p) {
  if constexpr (Async)
    return p.hStream;
  else
    return nullptr;
}

template <typename P, bool Async>
void line(Collector &c, const Call &k, uint64_t from, uint64_t to) {
  const auto &p = params<P>(k);
  transfer(c, k, streamOf<P, Async>(p), {Async, true, {from, p.ByteCount}, {to, p.ByteCount}});
}
template <typename P, bool Async> void onCopyDtoD(Collector &c, const Call &k) {
  line<P, Async>(c, k, params<P>(k).srcDevice, params<P>(k).dstDevice);
}
template <typename P, bool Async> void onCopyHtoD(Collector &c, const Call &k) {
  line<P, Async>(c, k, raw(params<P>(k).srcHost), params<P>(k).dstDevice);
}
template <typename P, bool Async> void onCopyDtoH(Collector &c, const Call &k) {
  line<P, Async>(c, k, params<P>(k).srcDevice, raw(params<P>(k).dstHost));
}
template <typename P, bool Async> void onCopy(Collector &c, const Call &k) {
  line<P, Async>(c, k, params<P>(k).src, params<P>(k).dst);
}
void onPeerCopyAsync(Collector &c, const Call &k) {
  const auto &p = params<cuMemcpyPeerAsync_params>(k);
  line<cuMemcpyPeerAsync_params, true>(c, k, p.srcDevice, p.dstDevice);
}

void copyBox(Collector &c, const Call &k, const CUDA_MEMCPY3D &m, CUstream stream, bool async) {
  Transfer t{async, true, {}, {}};
  if (boxesOf(m, t.from, t.to))
    transfer(c, k, stream, t);
  else if (k.enter)
    host::incomplete("CUDA arrays are not checked (" + k.api + ")");
}
CUDA_MEMCPY3D onePlane(const CUDA_MEMCPY2D &m) {
  CUDA_MEMCPY3D b{};
  b.srcXInBytes = m.srcXInBytes;
  b.srcY = m.srcY;
  b.srcMemoryType = m.srcMemoryType;
  b.srcHost = m.srcHost;
  b.srcDevice = m.srcDevice;
  b.srcPitch = m.srcPitch;
  b.dstXInBytes = m.dstXInBytes;
  b.dstY = m.dstY;
  b.dstMemoryType = m.dstMemoryType;
  b.dstHost = m.dstHost;
  b.dstDevice = m.dstDevice;
  b.dstPitch = m.dstPitch;
  b.WidthInBytes = m.WidthInBytes;
  b.Height = m.Height;
  b.Depth = 1;
  return b;
}
template <typename P, bool Async> void onCopy2D(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  copyBox(c, k, onePlane(*p.pCopy), streamOf<P, Async>(p), Async);
}
template <typename P, bool Async> void onCopy3D(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  copyBox(c, k, *p.pCopy, streamOf<P, Async>(p), Async);
}
template <unsigned Element, typename P> gpu::Content filled(const P &p) {
  if constexpr (Element == 1)
    return gpu::Content::ofFill(p.uc, Element);
  else if constexpr (Element == 2)
    return gpu::Content::ofFill(p.us, Element);
  else
    return gpu::Content::ofFill(p.ui, Element);
}
template <typename P, unsigned Element, bool Async> void onFill(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  transfer(c, k, streamOf<P, Async>(p),
           {Async, false, {}, {p.dstDevice, p.N * Element}, filled<Element>(p)});
}
template <typename P, unsigned Element, bool Async> void onFill2D(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  transfer(c, k, streamOf<P, Async>(p),
           {Async,
            false,
            {},
            {p.dstDevice, p.Width * Element, p.Height, p.dstPitch},
            filled<Element>(p)});
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
    {"cuMemcpy2D_v2", onCopy2D<cuMemcpy2D_v2_params, false>},
    {"cuMemcpy2DUnaligned_v2", onCopy2D<cuMemcpy2D_v2_params, false>},
    {"cuMemcpy2DAsync_v2", onCopy2D<cuMemcpy2DAsync_v2_params, true>},
    {"cuMemcpy3D_v2", onCopy3D<cuMemcpy3D_v2_params, false>},
    {"cuMemcpy3DAsync_v2", onCopy3D<cuMemcpy3DAsync_v2_params, true>},
    {"cuMemcpyPeerAsync", onPeerCopyAsync},
    {"cuMemcpyPeer", onUncheckedCopy},
    {"cuMemcpy3DPeer", onUncheckedCopy},
    {"cuMemcpy3DPeerAsync", onUncheckedCopy},

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

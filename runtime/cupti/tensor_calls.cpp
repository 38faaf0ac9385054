// Tensor maps that the host makes.
#include "cupti/calls.h"

namespace scopesan::cupti {
namespace {

static_assert(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ == 12 && CU_TENSOR_MAP_SWIZZLE_128B == 3 &&
                  CU_TENSOR_MAP_INTERLEAVE_NONE == 0 && CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE == 0,
              "host::TensorMapRequest numbers them so");
static_assert(sizeof(CUtensorMap) == gpu::tensor::MapWords * sizeof(uint64_t));

void onEncoded(Collector &c, const Call &k) {
  const auto &p = params<cuTensorMapEncodeTiled_params>(k);
  if (k.enter || !k.succeeded || !p.tensorMap)
    return;
  host::TensorMapRequest r;
  r.type = uint32_t(p.tensorDataType), r.rank = p.tensorRank;
  r.address = raw(p.globalAddress);
  r.sizes = p.globalDim, r.strides = p.globalStrides;
  r.box = p.boxDim, r.steps = p.elementStrides;
  r.interleave = uint32_t(p.interleave), r.swizzle = uint32_t(p.swizzle),
  r.fill = uint32_t(p.oobFill);
  gpu::TensorMaps::Known known;
  if (host::encodeTiled(r, known.map, known.lacks) == host::Encoding::Invalid)
    known.lacks = "this form of tensor maps";
  c.tensorMaps().add(gpu::TensorMaps::hashOf(p.tensorMap), known);
}

template <typename P> void onOtherEncoded(Collector &c, const Call &k) {
  const auto &p = params<P>(k);
  if (!k.enter && k.succeeded && p.tensorMap)
    c.tensorMaps().add(gpu::TensorMaps::hashOf(p.tensorMap), {{}, "im2col tensor maps"});
}

void onAddressReplaced(Collector &c, const Call &k) {
  const auto &p = params<cuTensorMapReplaceAddress_params>(k);
  if (!p.tensorMap)
    return;
  uint64_t hash = gpu::TensorMaps::hashOf(p.tensorMap);
  if (k.enter)
    k.kept() = hash;
  else if (k.succeeded)
    c.tensorMaps().changed(k.kept(), hash, "this form of tensor maps", [&](host::TensorMap &m) {
      return host::replaceAddress(m, raw(p.globalAddress));
    });
}

constexpr CallRow Tensors[] = {
    {"cuTensorMapEncodeTiled", onEncoded},
    {"cuTensorMapEncodeIm2col", onOtherEncoded<cuTensorMapEncodeIm2col_params>},
    {"cuTensorMapEncodeIm2colWide", onOtherEncoded<cuTensorMapEncodeIm2colWide_params>},
    {"cuTensorMapReplaceAddress", onAddressReplaced},
};

} // namespace

std::span<const CallRow> tensorCalls() { return Tensors; }

} // namespace scopesan::cupti

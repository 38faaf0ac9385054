#include "host/tensor_map.h"

#include <iterator>

namespace scopesan::host {

namespace {

/// The types of cuTensorMapEncodeTiled, by its numbers.
constexpr TensorElement EncodedTypes[] = {
    TensorElement::U8,     TensorElement::U16,  TensorElement::U32,    TensorElement::S32,
    TensorElement::U64,    TensorElement::S64,  TensorElement::F16,    TensorElement::F32,
    TensorElement::F64,    TensorElement::BF16, TensorElement::F32Ftz, TensorElement::TF32,
    TensorElement::TF32Ftz};
/// No swizzle, rows of 32, 64, 128 bytes; for the encoder and for tensormap.replace.
constexpr uint8_t SwizzleUnits[] = {1, 2, 4, 8};

/// The rules of the driver's documentation for maps without interleaving.
bool isValid(const TensorMap &m, const TensorMapRequest &r) {
  if (m.rank < 1 || m.rank > TensorMap::MaxRank || !m.address || m.address % 16)
    return false;
  for (uint32_t d = 0; d < m.rank; ++d) {
    bool size = r.sizes[d] >= 1 && r.sizes[d] <= uint64_t(1) << 32;
    if (!size || r.box[d] < 1 || r.box[d] > 256 || r.steps[d] < 1 || r.steps[d] > 8)
      return false;
    if (d + 1 < m.rank && (r.strides[d] % 16 || r.strides[d] >= uint64_t(1) << 40))
      return false;
  }
  uint32_t inner = r.box[0] * m.elementBytes();
  return inner % 16 == 0 && (m.swizzleUnits == 1 || inner <= m.swizzleUnits * 16u);
}

} // namespace

Encoding encodeTiled(const TensorMapRequest &r, TensorMap &m, const char *&lacks) {
  if (!r.sizes || !r.box || !r.steps || (r.rank > 1 && !r.strides))
    return Encoding::Invalid;
  lacks = r.interleave                           ? "interleaved tensor maps"
          : r.type >= std::size(EncodedTypes)    ? "this type of tensor maps"
          : r.swizzle >= std::size(SwizzleUnits) ? "this swizzle of tensor maps"
                                                 : nullptr;
  if (lacks)
    return Encoding::Lacking;
  m = {};
  m.rank = uint8_t(std::min(r.rank, 255u));
  m.element = EncodedTypes[r.type];
  m.swizzleUnits = SwizzleUnits[r.swizzle];
  m.fillsNan = r.fill != 0;
  m.address = r.address;
  if (!isValid(m, r))
    return Encoding::Invalid;
  for (uint32_t d = 0; d < m.rank; ++d) {
    m.lastIndex[d] = uint32_t(r.sizes[d] - 1);
    m.box[d] = uint16_t(r.box[d]);
    m.steps[d] = uint8_t(r.steps[d]);
    if (d + 1 < m.rank)
      m.strides[d] = r.strides[d];
  }
  return Encoding::Done;
}

bool replaceAddress(TensorMap &m, uint64_t address) {
  if (m.magic != TensorMap::MagicNumber || !address || address % 16)
    return false;
  m.address = address;
  return true;
}

static bool replaceMode(TensorMap &m, abi::TensorMapField field, uint64_t value) {
  switch (field) {
  case abi::TensorMapField::Type:
    if (value >= TensorElements)
      return false;
    m.element = TensorElement(value);
    return true;
  case abi::TensorMapField::Swizzle:
    if (value >= std::size(SwizzleUnits))
      return false;
    m.swizzleUnits = SwizzleUnits[value];
    return true;
  case abi::TensorMapField::Fill:
    m.fillsNan = value == 1;
    return value <= 1;
  default: // no interleaving, atoms of 16 bytes
    return value == 0;
  }
}

bool replaceField(TensorMap &m, abi::TensorMapField field, uint32_t d, uint64_t value) {
  if (m.magic != TensorMap::MagicNumber || d >= TensorMap::MaxRank)
    return false;
  switch (field) {
  case abi::TensorMapField::Address:
    m.address = value;
    return value % 16 == 0;
  case abi::TensorMapField::Rank:
    m.rank = uint8_t(value + 1);
    return value < TensorMap::MaxRank;
  case abi::TensorMapField::Box:
    m.box[d] = uint16_t(value);
    return value >= 1 && value <= 256;
  case abi::TensorMapField::Size:
    m.lastIndex[d] = uint32_t(value - 1);
    return true; // 0 stands for 2^32
  case abi::TensorMapField::Stride:
    if (d + 1 >= TensorMap::MaxRank)
      return false;
    m.strides[d] = value;
    return value % 16 == 0;
  case abi::TensorMapField::Step:
    m.steps[d] = uint8_t(value);
    return value >= 1 && value <= 8;
  default:
    return replaceMode(m, field, value);
  }
}

TensorTile::TensorTile(const TensorMap &map, uint32_t rank, const int32_t *start,
                       std::string &error)
    : elementBytes(map.elementBytes()), swizzleUnits(map.swizzleUnits), fillsNan(map.fillsNan) {
  if (map.magic != TensorMap::MagicNumber || map.rank != rank) {
    error = map.magic != TensorMap::MagicNumber
                ? "the tensor map was not made by cuTensorMapEncodeTiled"
                : "the tensor map has another number of dimensions than the instruction";
    return;
  }
  uint32_t count[TensorMap::MaxRank] = {1, 1, 1, 1, 1}, index[TensorMap::MaxRank] = {};
  for (uint32_t d = 0; d < rank; ++d)
    count[d] = (map.box[d] + map.steps[d] - 1u) / map.steps[d];
  auto inside = [&](uint32_t d, int64_t at) { return at >= 0 && at <= int64_t(map.lastIndex[d]); };
  for (;;) {
    uint64_t line = map.address;
    bool within = true;
    for (uint32_t d = 1; d < rank; ++d) {
      int64_t at = int64_t(start[d]) + index[d] * map.steps[d];
      within &= inside(d, at);
      line += within ? uint64_t(at) * map.strides[d - 1] : 0;
    }
    for (uint32_t i = 0; i < count[0]; ++i, bytes += elementBytes) {
      int64_t at = int64_t(start[0]) + i * map.steps[0];
      if (!within || !inside(0, at))
        continue;
      uint64_t global = line + uint64_t(at) * elementBytes;
      if (!runs.empty() && runs.back().global + runs.back().bytes == global &&
          runs.back().offset + runs.back().bytes == bytes)
        runs.back().bytes += elementBytes;
      else
        runs.push_back({global, bytes, elementBytes});
    }
    uint32_t d = 1;
    while (d < rank && ++index[d] == count[d])
      index[d++] = 0;
    if (d >= rank)
      return;
  }
}

void tellMapRead(core::Detector &d, core::Thread &by, uint64_t map, core::SiteId site) {
  for (uint32_t at = 0; at < 128; at += 16)
    d.proxyRead(by, map + at, 16, site, core::Proxy::TensorMap);
}

void tellMapRead(core::Detector &d, uint64_t map, core::SiteId site) {
  for (uint32_t at = 0; at < 128; at += 16)
    d.asyncReadMap(map + at, 16, site);
}

} // namespace scopesan::host

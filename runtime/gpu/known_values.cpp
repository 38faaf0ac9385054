#include "gpu/known_values.h"

#include <algorithm>

namespace scopesan::gpu {

std::byte KnownValues::Piece::at(uint64_t address) const {
  uint64_t offset = address - origin;
  return content.element ? std::byte(content.pattern >> 8 * (offset % content.element))
                         : content.bytes[offset];
}

const KnownValues::Piece *KnownValues::find(uint64_t address) const {
  auto next = Pieces.upper_bound(address);
  if (next == Pieces.begin())
    return nullptr;
  const Piece &p = std::prev(next)->second;
  return address < p.end ? &p : nullptr;
}

void KnownValues::forget(uint64_t address, uint64_t bytes) {
  uint64_t end = address + bytes;
  auto p = Pieces.lower_bound(address);
  if (p != Pieces.begin() && std::prev(p)->second.end > address) {
    Piece &before = std::prev(p)->second;
    if (before.end > end)
      p = Pieces.emplace(end, before).first;
    before.end = address;
  }
  while (p != Pieces.end() && p->first < end) {
    if (p->second.end > end) {
      auto rest = Pieces.extract(p);
      rest.key() = end;
      Pieces.insert(std::move(rest));
      break;
    }
    p = Pieces.erase(p);
  }
  if (Pieces.size() > MostPieces)
    clear();
}

void KnownValues::set(uint64_t address, uint64_t bytes, const Content &content) {
  forget(address, bytes);
  if (bytes)
    Pieces[address] = {address + bytes, address, content};
}

void KnownValues::set(uint64_t address, uint32_t bytes, uint64_t value) {
  Content content;
  for (uint32_t i = 0; i < bytes; ++i)
    content.bytes.push_back(std::byte(value >> 8 * i));
  set(address, bytes, content);
}

std::optional<uint64_t> KnownValues::read(uint64_t address, uint32_t bytes) const {
  uint64_t value = 0;
  const Piece *p = nullptr;
  for (uint32_t i = 0; i < bytes; ++i) {
    if (!p || address + i >= p->end)
      p = find(address + i);
    if (!p)
      return {};
    value |= uint64_t(p->at(address + i)) << 8 * i;
  }
  return value;
}

} // namespace scopesan::gpu

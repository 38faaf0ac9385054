// Texture and surface objects: what kernels know by a number.
#pragma once

#include "cpu/texture_image.h"

#include <map>
#include <optional>

namespace scopesan::cpu {

struct TextureObject {
  TexelMemory Memory;
  Sampler Sampling;
  bool IsSurface = false;
};

class TextureTable {
public:
  uint64_t add(const TextureObject &O) {
    Objects[++Last] = O;
    return Last;
  }
  const TextureObject *find(uint64_t Handle) const {
    auto It = Objects.find(Handle);
    return It == Objects.end() ? nullptr : &It->second;
  }
  bool remove(uint64_t Handle) { return Objects.erase(Handle) != 0; }

private:
  std::map<uint64_t, TextureObject> Objects;
  uint64_t Last = 0;
};
extern TextureTable TheTextures;

} // namespace scopesan::cpu

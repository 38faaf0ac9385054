// Registry of instrumented modules: site id -> source positions. Not thread-safe by itself.
#pragma once

#include "json.h"
#include "scopesan/abi.h"
#include "scopesan/core/ids.h"

#include <string>
#include <vector>

namespace scopesan::host {

class SiteRegistry {
public:
  /// Takes the next range of ids for `module`. Returns the first one.
  core::SiteId add(const abi::Module &module);
  /// Writes the inline chain of `site` as an array of frames, innermost first; empty if unknown.
  void writeFrames(JsonWriter &json, core::SiteId site) const;
  /// What the site's instruction does; of an unknown site: nothing in particular.
  abi::Op op(core::SiteId site) const;
  /// Value type or PTX text of `site`; empty if unknown.
  const char *text(core::SiteId site) const;

private:
  struct Range {
    uint32_t first;
    const abi::Module *module;
  };
  struct Place {
    const abi::Module *module = nullptr;
    const abi::Site *site = nullptr;
  };
  Place find(core::SiteId site) const;

  std::vector<Range> ranges; // ascending `first`
  uint32_t next = 1;         // 0 = no site
};

} // namespace scopesan::host

#include "sites.h"

#include <algorithm>

namespace scopesan::host {
namespace {

/// Inline chains are short; a longer one means a cycle in a damaged table.
constexpr unsigned MaxFrames = 256;

const char *stringAt(const abi::Module &module, uint32_t offset) {
  return module.strings && offset < module.stringBytes ? module.strings + offset : "";
}

} // namespace

core::SiteId SiteRegistry::add(const abi::Module &module) {
  core::SiteId first{next};
  ranges.push_back({next, &module});
  next += module.siteCount;
  if (module.siteBase)
    *module.siteBase = first.value;
  return first;
}

SiteRegistry::Place SiteRegistry::find(core::SiteId site) const {
  auto after = std::upper_bound(ranges.begin(), ranges.end(), site.value,
                                [](uint32_t id, const Range &range) { return id < range.first; });
  if (site.value == 0 || after == ranges.begin())
    return {};
  const Range &range = *std::prev(after);
  uint32_t index = site.value - range.first;
  if (index >= range.module->siteCount)
    return {};
  return {range.module, &range.module->sites[index]};
}

void SiteRegistry::writeFrames(JsonWriter &json, core::SiteId site) const {
  json.beginArray();
  if (Place place = find(site); place.site) {
    const abi::Module &module = *place.module;
    uint32_t index = place.site->frame;
    for (unsigned n = 0; index < module.frameCount && n < MaxFrames; ++n) {
      const abi::Frame &frame = module.frames[index];
      json.beginObject()
          .field("file", stringAt(module, frame.file))
          .field("line", frame.line)
          .field("column", frame.column)
          .field("function", stringAt(module, frame.func))
          .endObject();
      index = frame.parent;
    }
  }
  json.endArray();
}

abi::Op SiteRegistry::op(core::SiteId site) const {
  Place p = find(site);
  return p.site ? abi::Op(p.site->op) : abi::Op();
}

const char *SiteRegistry::text(core::SiteId site) const {
  Place place = find(site);
  return place.site ? stringAt(*place.module, place.site->text) : "";
}

} // namespace scopesan::host

#include "stacks.h"

#include <algorithm>
#include <dlfcn.h>
#include <link.h>
#include <string_view>
#include <unwind.h>

namespace scopesan::host {
namespace {

constexpr size_t MaxFrames = 16;

struct Range {
  uint64_t begin = 0, end = 0;
  bool contains(uint64_t a) const { return a - begin < end - begin; }
};

/// The mapped extent of the object that this code is part of.
Range ownRange() {
  Range range;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *result) {
        auto here = reinterpret_cast<uint64_t>(&ownRange);
        Range extent{~0ull, 0};
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto &segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD)
            continue;
          uint64_t begin = info->dlpi_addr + segment.p_vaddr;
          extent.begin = std::min(extent.begin, begin);
          extent.end = std::max(extent.end, begin + segment.p_memsz);
        }
        if (extent.begin > here || here >= extent.end)
          return 0;
        *static_cast<Range *>(result) = extent;
        return 1;
      },
      &range);
  return range;
}

struct Walk {
  Range own;
  std::vector<uint64_t> addresses;
};

_Unwind_Reason_Code visit(_Unwind_Context *context, void *argument) {
  auto *walk = static_cast<Walk *>(argument);
  uint64_t pc = _Unwind_GetIP(context);
  if (!pc)
    return _URC_END_OF_STACK;
  if (!walk->own.contains(pc))
    walk->addresses.push_back(pc);
  return walk->addresses.size() < MaxFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

bool isCudaLibrary(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (const char *prefix : {"libcuda", "libcupti", "libscopesan"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

} // namespace

std::vector<uint64_t> unwind() {
  static const Range own = ownRange();
  Walk walk{own, {}};
  _Unwind_Backtrace(visit, &walk);
  return std::move(walk.addresses);
}

StackId StackRegistry::add(std::vector<uint64_t> addresses) {
  if (addresses.empty())
    return {};
  auto [it, isNew] = ids.try_emplace(std::move(addresses), uint32_t(stacks.size() + 1));
  if (isNew)
    stacks.push_back(&it->first);
  return {it->second};
}

void StackRegistry::write(JsonWriter &json, StackId stack) const {
  json.beginArray();
  if (stack.value)
    for (uint64_t address : *stacks[stack.value - 1]) {
      Dl_info info{};
      link_map *map = nullptr;
      uint64_t call = address - 1; // within the call instruction
      if (!dladdr1(reinterpret_cast<void *>(call), &info, reinterpret_cast<void **>(&map),
                   RTLD_DL_LINKMAP) ||
          !info.dli_fname || isCudaLibrary(info.dli_fname))
        continue;
      json.beginObject().field("module", info.dli_fname);
      json.field("offset", call - (map ? map->l_addr : 0)).endObject();
    }
  json.endArray();
}

} // namespace scopesan::host

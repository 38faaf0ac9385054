#include "Needs.h"

#include "Text.h"

#include <algorithm>

namespace scopesan::litmus {

namespace {

bool names(const ThreadCode &t, std::string_view operation) {
  return std::any_of(t.code.begin(), t.code.end(),
                     [&](const Instr &i) { return i.text.starts_with(operation); });
}

/// Host accesses are part of the row (S15).
bool hostAccesses(const Program &p) {
  for (const ThreadCode &t : p.threads)
    for (const Instr &i : t.code)
      if (t.at.host && (i.isMemory() || i.verb == Verb::Fence))
        return true;
  return false;
}

/// Instructions of one architecture only.
std::string architecture(const Program &p) {
  if (uses(p, "tcgen05"))
    return "sm_100a";
  return std::any_of(p.threads.begin(), p.threads.end(), isWarpgroup) || writesTensorMap(p)
             ? "sm_90a"
             : "";
}

} // namespace

bool uses(const Program &p, std::string_view operation) {
  return std::any_of(p.threads.begin(), p.threads.end(),
                     [&](const ThreadCode &t) { return names(t, operation); });
}

bool isWarpgroup(const ThreadCode &t) { return names(t, "wgmma.mma_async"); }

bool writesTensorMap(const Program &p) {
  for (const ThreadCode &t : p.threads)
    for (const Instr &i : t.code)
      if (i.writes() && isTensorMap(p, i.location) && !t.at.host)
        return true;
  return false;
}

bool isTensorMap(const Program &p, uint32_t location) {
  for (const ThreadCode &t : p.threads)
    for (const Instr &i : t.code)
      if (i.isMemory() && i.proxy == Proxy::TensorMap && p.root(i.location) == p.root(location))
        return true;
  return false;
}

uint32_t devicesOf(const Program &p) {
  uint32_t n = 1;
  for (const ThreadCode &t : p.threads)
    if (!t.at.host)
      n = std::max(n, t.at.device + 1);
  return n;
}

bool launchesFromDevice(const Program &p) {
  for (const ThreadCode &t : p.threads)
    for (const Instr &i : t.code)
      if (i.verb == Verb::Launch && !t.at.host)
        return true;
  return false;
}

UnitNeeds needsOf(const Program &p) {
  UnitNeeds n;
  n.devices = devicesOf(p);
  if (std::string a = architecture(p); !a.empty())
    n.compilerFlags = "--no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=" + a;
  auto flag = [&](const char *f) {
    n.compilerFlags += (n.compilerFlags.empty() ? "" : " ") + std::string(f);
  };
  if (hostAccesses(p))
    flag("-fscopesan-host");
  if (launchesFromDevice(p))
    flag("-fgpu-rdc");
  return n;
}

std::string unmodelledOperation(const Program &p) {
  if (launchesFromDevice(p))
    return "__cudaCDP2GetParameterBuffer";
  for (const ThreadCode &t : p.threads)
    for (const Instr &i : t.code)
      if (i.text.starts_with("tcgen05") || i.text.starts_with("multimem"))
        return i.text.substr(0, i.text.find_first_of(" (;"));
  return {};
}

} // namespace scopesan::litmus

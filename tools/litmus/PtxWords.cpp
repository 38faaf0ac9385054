#include "PtxWords.h"

#include "Builder.h"
#include "Text.h"

namespace scopesan::litmus {

namespace {

std::string_view orderCode(std::string_view name) {
  static constexpr struct {
    std::string_view name, code;
  } Codes[] = {{"weak", "w"},     {"relaxed", "rlx"}, {"acquire", "acq"},  {"release", "rel"},
               {"acq_rel", "ar"}, {"sc", "sc"},       {"volatile", "vol"}, {"mmio", "mmio"}};
  for (auto &c : Codes)
    if (c.name == name)
      return c.code;
  return {};
}
bool isScope(std::string_view s) {
  return s == "cta" || s == "cluster" || s == "gpu" || s == "sys";
}

/// Whole spellings; an operation may continue with "()".
constexpr struct {
  std::string_view word, notation;
} Words[] = {
    {"__threadfence_block", "Fsc@cta"}, {"__threadfence_system", "Fsc@sys"},
    {"__threadfence", "Fsc@gpu"},       {"membar.cta", "Fsc@cta"},
    {"membar.gl", "Fsc@gpu"},           {"membar.sys", "Fsc@sys"},
    {"__syncwarp", "bar.warp.sync m"},  {"cluster.sync()", "barrier.cluster.sync"},
};

/// "fence.proxy.async.shared::cta", "fence.proxy.tensormap::generic.release.gpu".
std::string proxyFence(std::string_view rest) {
  std::string kind(rest.substr(0, rest.find_first_of(".:")));
  if (kind != "tensormap")
    return "PF." + kind;
  if (contains(rest, "release"))
    return "PF.tensormap.rel@gpu";
  return "PF.tensormap.acq@gpu";
}

} // namespace

std::string ptxSemantics(const std::vector<std::string_view> &parts, std::string_view standard) {
  std::string order(standard), scope;
  for (size_t i = 1; i < parts.size(); ++i) {
    if (std::string_view code = orderCode(parts[i]); !code.empty())
      order = code;
    else if (isScope(parts[i]))
      scope = "@" + std::string(parts[i]);
  }
  return order + (order == "w" || order == "vol" ? "" : scope);
}

std::string ptxToNotation(std::string_view op) {
  for (auto &w : Words)
    if (op == w.word || op == std::string(w.word) + "()")
      return std::string(w.notation);
  Cursor c(op);
  if (c.accept("fence.proxy."))
    return proxyFence(c.rest());
  if (op.starts_with("fence.mbarrier_init"))
    return "Frel@clu";
  size_t space = op.find(' ');
  std::vector<std::string_view> parts = split(op.substr(0, space), ".");
  std::string operand(space == std::string_view::npos ? "" : trim(op.substr(space + 1)));
  if (parts[0] == "fence" && parts.size() > 1)
    return "F" + ptxSemantics(parts, "ar");
  if (operand.empty() || parts.size() < 2)
    return {};
  if (parts[0] == "ld" && parts[1] != "global")
    return "R" + ptxSemantics(parts, "w") + " " + operand;
  if (parts[0] == "st" && parts[1] != "async")
    return "W" + ptxSemantics(parts, "w") + " " + operand;
  if ((parts[0] == "atom" || parts[0] == "red") && parts[1] != "async")
    for (std::string_view p : parts)
      if (parseRmwKind(p))
        return std::string(parts[0] == "atom" ? "U[" : "U0[") + std::string(p) + "]" +
               ptxSemantics(parts, "rlx") + " " + operand;
  return {};
}

} // namespace scopesan::litmus

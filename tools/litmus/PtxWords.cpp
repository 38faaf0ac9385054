#include "PtxWords.h"

#include "Builder.h"
#include "Text.h"

#include <algorithm>

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

/// ".v2", ".f16x2", ".u64": what says nothing new (32 bits) is left out. Nothing: no size.
std::optional<std::string> sizeCode(std::string_view s) {
  if (s == "v2" || s == "v4" || s == "v8" || s == "f16x2" || s == "bf16x2")
    return "." + std::string(s);
  size_t letter = s.starts_with("bf") ? 2 : 1;
  if (!s.starts_with("bf") && (s.empty() || std::string_view("busf").find(s[0]) == s.npos))
    return std::nullopt;
  std::optional<int64_t> bits = parseInteger(s.substr(std::min(letter, s.size())));
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128)
    return std::nullopt;
  return bits == 32 ? "" : ".b" + std::to_string(*bits);
}
/// State spaces, cache operators and hints change nothing here (O6).
bool saysNothing(std::string_view s) {
  for (std::string_view known : {"global", "shared", "local", "generic", "param", "ca", "cg", "cs",
                                 "lu", "cv", "wb", "wt", "noftz", "shared::cta", "shared::cluster"})
    if (s == known)
      return true;
  return s.starts_with("L1::") || s.starts_with("L2::");
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

/// "fence.proxy.async.shared::cta", "fence.proxy.tensormap::generic.acquire.gpu [m], 128".
std::string proxyFence(std::string_view rest) {
  std::string kind(rest.substr(0, rest.find_first_of(".:")));
  if (kind != "tensormap")
    return "PF." + kind;
  std::string scope = "gpu";
  for (std::string_view s : {"cta", "cluster", "sys"})
    if (contains(rest, "." + std::string(s)))
      scope = s;
  size_t space = std::min(rest.find(' '), rest.size());
  std::vector<std::string_view> parts = split(rest.substr(0, space), ".");
  std::vector<std::string_view> operands = split(rest.substr(space), ",");
  bool isRelease = parts.size() > 1 && parts[1] == "release";
  if (!isRelease && (parts.size() < 2 || parts[1] != "acquire"))
    return {};
  if (isRelease ? space < rest.size() : operands.size() == 2 && operands[1] != "128")
    return {}; // of no form of PTX ISA 9.7.13.5
  if (isRelease)
    return "PF.tensormap.rel@" + scope;
  return "PF.tensormap.acq@" + scope + (operands[0].empty() ? "" : " " + std::string(operands[0]));
}

} // namespace

std::optional<std::string> ptxSemantics(const std::vector<std::string_view> &parts,
                                        std::string_view standard) {
  std::string order(standard), scope, size;
  for (size_t i = 1; i < parts.size(); ++i) {
    if (std::string_view code = orderCode(parts[i]); !code.empty())
      order = code;
    else if (isScope(parts[i]))
      scope = "@" + std::string(parts[i]);
    else if (std::optional<std::string> s = sizeCode(parts[i]))
      size += *s;
    else if (!saysNothing(parts[i]) && !parseRmwKind(parts[i]))
      return std::nullopt;
  }
  return order + size + (order == "w" || order == "vol" ? "" : scope);
}

std::string ptxRmwKind(const std::vector<std::string_view> &parts) {
  for (std::string_view p : parts)
    if (parseRmwKind(p))
      return std::string(p);
  return {};
}

std::string ptxToNotation(std::string_view op) {
  for (auto &w : Words)
    if (op == w.word || op == std::string(w.word) + "()")
      return std::string(w.notation);
  Cursor c(op);
  if (c.accept("fence.proxy."))
    return proxyFence(c.rest());
  if (op.starts_with("fence.mbarrier_init"))
    return "Finit@clu";
  size_t space = op.find(' ');
  std::vector<std::string_view> parts = split(op.substr(0, space), ".");
  std::string operand(space == std::string_view::npos ? "" : trim(op.substr(space + 1)));
  bool isFence = parts[0] == "fence", isRmw = parts[0] == "atom" || parts[0] == "red";
  std::optional<std::string> semantics = ptxSemantics(parts, isFence ? "ar" : isRmw ? "rlx" : "w");
  if (!semantics || parts.size() < 2)
    return {};
  if (isFence)
    return "F" + *semantics;
  if (operand.empty())
    return {};
  if (parts[0] == "ld" && parts[1] != "global")
    return "R" + *semantics + " " + operand;
  if (parts[0] == "st" && parts[1] != "async")
    return "W" + *semantics + " " + operand;
  if (std::string kind = isRmw ? ptxRmwKind(parts) : ""; !kind.empty())
    return (parts[0] == "atom" ? "U[" : "U0[") + kind + "]" + *semantics + " " + operand;
  return {};
}

} // namespace scopesan::litmus

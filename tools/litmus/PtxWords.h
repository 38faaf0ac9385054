// PTX and CUDA spellings of operations that the notation has its own letters for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scopesan::litmus {

/// Order, sizes and scope among the suffixes of an instruction ("ld", "acquire", "gpu", "u64"), as
/// "acq.b64@gpu". `standard` where no order is given. Nothing when a suffix is unknown.
std::optional<std::string> ptxSemantics(const std::vector<std::string_view> &parts,
                                        std::string_view standard);
/// The kind of a read-modify-write among the suffixes ("atom", "relaxed", "gpu", "add"), or "".
std::string ptxRmwKind(const std::vector<std::string_view> &parts);

/// "fence.acq_rel.gpu", "ld.acquire.gpu f", "__threadfence()", "fence.proxy.async" in the notation;
/// empty when `op` is none of them.
std::string ptxToNotation(std::string_view op);

} // namespace scopesan::litmus

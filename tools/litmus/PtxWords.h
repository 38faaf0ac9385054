// PTX and CUDA spellings of operations that the notation has its own letters for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scopesan::litmus {

/// Order and scope among the suffixes of an instruction ("ld", "acquire", "gpu"), as "acq@gpu".
/// `standard` where none is given.
std::string ptxSemantics(const std::vector<std::string_view> &parts, std::string_view standard);

/// "fence.acq_rel.gpu", "ld.acquire.gpu f", "__threadfence()", "fence.proxy.async" in the notation;
/// empty when `op` is none of them.
std::string ptxToNotation(std::string_view op);

} // namespace scopesan::litmus

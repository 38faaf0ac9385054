// The report for programs. Format: docs/json.md.
#pragma once

#include "Model.h"

#include "llvm/Support/raw_ostream.h"

namespace scopesan::report {

/// Raised when a field changes its meaning or goes away; new fields do not raise it.
inline constexpr unsigned JsonSchema = 1;

/// The same facts give the same bytes: no times, process ids or temporary paths.
void writeJson(llvm::raw_ostream &out, const Report &report);

} // namespace scopesan::report

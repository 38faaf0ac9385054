// The report for people.
#pragma once

#include "Model.h"

#include "llvm/Support/raw_ostream.h"

namespace scopesan::report {

struct TextOptions {
  bool colour = false;
  bool excerpts = true;       ///< quote source lines of readable files
  uint64_t printLimit = 50;   ///< findings printed in full
  bool toolkitFrames = false; ///< also print frames in CUDA's own headers
};

void writeText(llvm::raw_ostream &out, const Report &report, const TextOptions &options);

} // namespace scopesan::report

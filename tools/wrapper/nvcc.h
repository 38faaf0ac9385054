// Translates nvcc's options to clang's, so that build files written for nvcc work.
//
// Pure, as rewrite.h is. What changes nothing is dropped, with a note where a reader would wonder;
// what cannot be honoured is an error.
#pragma once

#include <string>
#include <vector>

namespace scopesan::wrapper {

using Arguments = std::vector<std::string>;

struct NvccTranslation {
  Arguments arguments;                    ///< for every compilation and link
  Arguments deviceOptions;                ///< only for commands that compile CUDA code or link it
  std::vector<std::string> architectures; ///< "sm_90", ...; empty when none is named
  std::string registers;                  ///< -maxrregcount; empty when it is not given
  bool linksDeviceOnly = false;           ///< -dlink
  std::vector<std::string> notes;
  std::string error; ///< empty when the command can be run
};

/// `defaultArchitecture` stands for "native", "all" and "all-major".
NvccTranslation translateNvcc(const Arguments &arguments, const std::string &defaultArchitecture);

} // namespace scopesan::wrapper

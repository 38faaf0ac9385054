// Turns a command line for clang or nvcc (as build systems write it) into the one for clang that is
// really run.
//
// Pure: no file system, no environment, so that tests/report can check it word by word.
#pragma once

#include <string>
#include <vector>

namespace scopesan::wrapper {

using Arguments = std::vector<std::string>;

struct Settings {
  std::string configFile;    ///< scopesan.cfg
  std::string defaultArch;   ///< architecture that the config file names ("sm_90")
  unsigned oldestArch = 75;  ///< oldest compute capability the toolkit can compile for
  std::string cudaInclude{}; ///< the toolkit's include folder, for host code; empty = leave it out
  bool hasOpenMp = true;     ///< clang's OpenMP library is installed
  std::string deviceLinkSource{}; ///< what `nvcc -dlink` compiles instead
  std::string passPlugin{};       ///< libScopeSanPass.so, for host code that is instrumented
};

struct Rewritten {
  Arguments arguments;            ///< without argv[0]
  bool usesConfig = false;        ///< instrumented: the plugin must exist
  bool compilesCuda = false;      ///< its errors may be curable (repair.h)
  std::vector<std::string> notes; ///< changes that the user should hear about
  std::string error;              ///< why nothing can be run; empty otherwise
};

/// What the words of a command line ask for.
struct CommandShape {
  bool hasCudaInput = false; ///< a .cu/.cuh file, or -x cuda
  bool hasInput = false;
  bool links = false;           ///< no -c, -S, -E, -M, -fsyntax-only ...
  bool isQuestion = false;      ///< --version, -dumpmachine, -print-...: answered by clang alone
  bool namesArch = false;       ///< --cuda-gpu-arch= or --offload-arch=
  bool hasSource = false;       ///< an input that is not for the linker alone
  bool instrumentsHost = false; ///< -fscopesan-host
};
CommandShape shapeOf(const Arguments &arguments);

Rewritten rewrite(const Arguments &arguments, const Settings &settings);

/// Splits the text of a response file (@file) as GNU tools do: blanks separate, quotes and
/// backslashes protect.
Arguments splitResponseFile(const std::string &text);

} // namespace scopesan::wrapper

// Source positions of host code, from the debug information of the objects it lies in.
#include "Model.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Path.h"

namespace scopesan::report {
namespace {

using llvm::StringRef;

/// What a reader does not need to see: launch stubs and the start-up code of the C library.
bool isMachinery(StringRef function) {
  return function.contains("__device_stub__") || function.starts_with("__libc_start") ||
         function == "_start";
}

/// Libraries under every program; without line information they say nothing.
bool isSystemLibrary(StringRef module) {
  StringRef name = llvm::sys::path::filename(module);
  for (StringRef prefix : {"libc.so", "libc-", "libstdc++", "libpthread", "ld-linux"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

llvm::symbolize::LLVMSymbolizer::Options symbolizerOptions() {
  llvm::symbolize::LLVMSymbolizer::Options options;
  options.PathStyle = llvm::symbolize::FileLineInfoKind::RawValue; // as device code has it
  return options;
}

class Symbolizer {
public:
  void fill(HostStack &stack) {
    for (const HostCode &code : stack.code)
      add(stack.frames, code);
  }

private:
  void add(std::vector<Frame> &frames, const HostCode &code) {
    if (isSystemLibrary(code.module))
      return;
    auto found = symbolizer.symbolizeInlinedCode(
        code.module, {code.offset, llvm::object::SectionedAddress::UndefSection});
    if (!found) {
      llvm::consumeError(found.takeError());
      return frames.push_back(unknown(code, ""));
    }
    for (uint32_t i = 0; i < found->getNumberOfFrames(); ++i) {
      const llvm::DILineInfo &line = found->getFrame(i);
      StringRef function = line.FunctionName == llvm::DILineInfo::BadString
                               ? StringRef()
                               : StringRef(line.FunctionName);
      bool hasFile = line.FileName != llvm::DILineInfo::BadString && line.Line;
      if (isMachinery(function) || (hasFile && isToolkitFile(line.FileName)))
        continue;
      if (hasFile)
        frames.push_back({line.FileName, line.Line, line.Column, function.str()});
      else
        frames.push_back(unknown(code, function));
    }
  }
  /// "app" for code without debug information.
  static Frame unknown(const HostCode &code, StringRef function) {
    return {llvm::sys::path::filename(code.module).str(), 0, 0, function.str()};
  }

  llvm::symbolize::LLVMSymbolizer symbolizer{symbolizerOptions()};
};

} // namespace

void symbolize(Report &report) {
  Symbolizer symbolizer;
  for (auto *list : {&report.findings, &report.advisories})
    for (Finding &finding : *list)
      for (Operation &access : finding.accesses) {
        symbolizer.fill(access.host);
        symbolizer.fill(access.graphHost);
        symbolizer.fill(access.streamHost);
      }
}

} // namespace scopesan::report

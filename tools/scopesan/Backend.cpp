#include "Backend.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

namespace scopesan::tool {
namespace {

llvm::Error error(const std::string &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
}

void prepend(const char *variable, const std::string &entry) {
  const char *before = getenv(variable);
  std::string value = entry;
  if (before && *before)
    value += std::string(":") + before;
  setenv(variable, value.c_str(), 1);
}

} // namespace

/// A container may have been given any of the host's devices: /dev/nvidia5 without /dev/nvidia0.
bool hasGpu() {
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it("/dev", error), end; !error && it != end;
       it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    if (name.consume_front("nvidia") && !name.empty() && llvm::all_of(name, llvm::isDigit))
      return true;
  }
  return false;
}

llvm::Expected<BackendChoice> chooseBackend(const Installation &installation,
                                            const host::Options &options) {
  BackendChoice choice{options.backend, ""};
  bool hasGpuBackend = fileExists(installation.gpuBackend());
  if (choice.name == "auto") {
    choice.name = hasGpuBackend && hasGpu() ? "gpu" : "cpu";
    if (choice.name == "gpu")
      choice.note = "backend gpu: a GPU is present";
    else if (!hasGpuBackend)
      choice.note = "backend cpu: this build has no GPU backend";
    else
      choice.note = "backend cpu: no GPU is present";
  }
  if (choice.name == "gpu") {
    if (!hasGpuBackend)
      return error("this build has no GPU backend yet ('" + installation.gpuBackend() +
                   "' is missing); use --backend=cpu");
    if (!hasGpu())
      return error("no NVIDIA GPU is visible (/dev/nvidia<n>); use --backend=cpu, or give the "
                   "container access to the GPU");
    if (const char *other = getenv("CUDA_INJECTION64_PATH");
        other && *other && installation.gpuBackend() != other)
      return error(std::string("CUDA_INJECTION64_PATH already names '") + other +
                   "'; the driver loads one such library only: unset it, or use --backend=cpu");
    return choice;
  }
  for (const std::string &part : {installation.cpuBackend(), installation.codegen()})
    if (!fileExists(part))
      return error("the CPU backend is incomplete: '" + part +
                   "' is missing; build all targets or install ScopeSan again");
  return choice;
}

void exportEnvironment(const Installation &installation, const host::Options &options,
                       const std::string &journal) {
  setenv("SCOPESAN_JOURNAL", journal.c_str(), 1);
  setenv("SCOPESAN_OPTIONS", host::formatOptions(options).c_str(), 1);
  setenv("SCOPESAN_CODEGEN", installation.codegen().c_str(), 1);
  setenv("SCOPESAN_TOOL", installation.tool().c_str(), 1);
  // Lazy loading deadlocks a kernel that is first launched while another one waits for it.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  if (options.backend == "cpu") {
    // Our library goes first: it must win over every other definition of the CUDA runtime.
    prepend("LD_PRELOAD", installation.cpuBackend());
    // No real driver may be there, or be asked behind the backend's back.
    prepend("LD_LIBRARY_PATH", installation.driverFolder());
  } else { // the driver loads it at the program's first CUDA call
    setenv("CUDA_INJECTION64_PATH", installation.gpuBackend().c_str(), 1);
  }
}

} // namespace scopesan::tool

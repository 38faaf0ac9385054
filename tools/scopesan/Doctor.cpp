// scopesan doctor: every part a run needs, whether it is there, and what to do when it is not.
#include "Backend.h"
#include "Commands.h"

#include "build_config.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace scopesan::tool {
namespace {

enum class State { Ok, Note, Bad };

class Checkup {
public:
  void add(State state, const std::string &what, const std::string &found,
           const std::string &cure = "") {
    static const char *const Words[] = {"ok  ", "note", "FIX "};
    llvm::outs() << Words[static_cast<int>(state)] << "  " << what << ": " << found << '\n';
    if (state != State::Ok && !cure.empty())
      llvm::outs() << "        " << cure << '\n';
    problems += state == State::Bad;
  }
  void file(const std::string &what, const std::string &path, const std::string &cure) {
    if (fileExists(path))
      add(State::Ok, what, path);
    else
      add(State::Bad, what, path + " is missing", cure);
  }
  int problemCount() const { return problems; }

private:
  int problems = 0;
};

struct Output {
  int status = -1;
  std::string text;
};
/// Runs a shell command and collects what it prints.
Output capture(const std::string &command) {
  Output result;
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe)
    return result;
  char buffer[4096];
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe))
    result.text.append(buffer, n);
  int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

std::string firstLine(const std::string &text) {
  return llvm::StringRef(text).split('\n').first.str();
}
std::string quoted(const std::string &path) { return "'" + path + "'"; }

void checkClang(Checkup &checkup) {
  const char *chosen = getenv("SCOPESAN_CLANG");
  std::string clang = chosen && *chosen ? chosen : ClangPath;
  Output version = capture(quoted(clang) + " --version");
  if (version.status != 0)
    checkup.add(State::Bad, "clang 22", clang + " cannot be run",
                "install the package clang-22, or set SCOPESAN_CLANG to a clang++ 22");
  else if (!llvm::StringRef(version.text).contains("version 22."))
    checkup.add(State::Bad, "clang 22", clang + " is " + firstLine(version.text),
                "the plugin loads into LLVM 22 only: install clang-22 or correct SCOPESAN_CLANG");
  else
    checkup.add(State::Ok, "clang 22", firstLine(version.text));
}

void checkToolkit(Checkup &checkup) {
  std::string root = CudaRoot;
  const std::string cure =
      "install NVIDIA's package cuda-toolkit-13-0, or configure ScopeSan again "
      "with -DSCOPESAN_CUDA_ROOT=<folder of the toolkit>";
  for (const char *part : {"/include/cuda_runtime_api.h", "/include/cccl/cuda/atomic", "/bin/ptxas",
                           "/bin/fatbinary", "/lib64/libcudart.so", "/nvvm/libdevice"})
    checkup.file("CUDA toolkit", root + part, cure);
}

void checkParts(Checkup &checkup, const Installation &installation) {
  const std::string cure = "build all targets (cmake --build <build folder>) or install again";
  checkup.file("compiler plugin", installation.plugin(), cure);
  checkup.file("front-end plugin", installation.frontend(), cure);
  checkup.file("CUDA headers", installation.headers(), cure);
  checkup.file("compiler wrapper", installation.wrapper(), cure);
  checkup.file("clang config file", installation.config(), cure);
  checkup.file("CPU backend", installation.cpuBackend(), cure);
  checkup.file("CPU code generator", installation.codegen(), cure);
  if (!fileExists(installation.gpuBackend()))
    checkup.add(State::Note, "GPU backend", "not in this build", "runs use --backend=cpu");
}

void checkCompile(Checkup &checkup, const Installation &installation) {
  if (!fileExists(installation.wrapper()))
    return;
  Output compile = capture("echo '__global__ void k(int *p) { *p = 1; }' | " +
                           quoted(installation.wrapper()) + " -x cuda -c -O1 -o /dev/null -");
  if (compile.status == 0)
    checkup.add(State::Ok, "test compilation", "a kernel compiles for the default architecture");
  else
    checkup.add(State::Bad, "test compilation", "failed: " + firstLine(compile.text),
                "repair what is marked FIX above; run scopesan-clang++ -v on a small kernel to see "
                "the commands");
}

/// Asks the driver without linking or including it.
std::string driverSummary() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return "";
  auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
  auto count = reinterpret_cast<int (*)(int *)>(dlsym(library, "cuDeviceGetCount"));
  auto name = reinterpret_cast<int (*)(char *, int, int)>(dlsym(library, "cuDeviceGetName"));
  auto version = reinterpret_cast<int (*)(int *)>(dlsym(library, "cuDriverGetVersion"));
  int devices = 0, number = 0;
  if (!init || !count || !name || !version || init(0) != 0 || count(&devices) != 0 || devices == 0)
    return "";
  version(&number);
  std::string result = std::to_string(devices) + " device(s):";
  for (int i = 0; i < devices; ++i) {
    char text[256] = "";
    name(text, sizeof text, i);
    result += (i ? ", " : " ") + std::string(text);
  }
  return result + "; driver supports CUDA " + std::to_string(number / 1000) + "." +
         std::to_string(number % 1000 / 10);
}

void checkGpu(Checkup &checkup) {
  if (std::string summary = driverSummary(); !summary.empty())
    checkup.add(State::Ok, "GPU", summary);
  else if (hasGpu())
    checkup.add(State::Note, "GPU",
                "a device is present but its driver (libcuda.so.1) does not "
                "answer",
                "check nvidia-smi; the CPU backend works without it");
  else
    checkup.add(State::Note, "GPU", "none", "not needed: the CPU backend runs the kernels");
}

void checkFolders(Checkup &checkup) {
  const char *temporary = getenv("TMPDIR");
  std::string folder = temporary && *temporary ? temporary : "/tmp";
  if (access(folder.c_str(), W_OK) == 0)
    checkup.add(State::Ok, "temporary folder", folder);
  else
    checkup.add(State::Bad, "temporary folder", folder + " is not writable",
                "set TMPDIR to a writable folder");
}

} // namespace

int doctorCommand(const Words &words) {
  if (!words.empty()) {
    llvm::outs() << "usage: scopesan doctor\nChecks what is installed and says what to fix. Exit "
                    "code 0 when the CPU backend can work.\n";
    return words.front() == "--help" ? 0 : 67;
  }
  llvm::outs() << "ScopeSan " << Version << '\n';
  Checkup checkup;
  Installation installation;
  checkClang(checkup);
  checkToolkit(checkup);
  checkParts(checkup, installation);
  checkCompile(checkup, installation);
  checkFolders(checkup);
  checkGpu(checkup);
  if (checkup.problemCount() == 0)
    llvm::outs() << "Everything that the CPU backend needs is there.\n";
  else
    llvm::outs() << checkup.problemCount() << " thing(s) to fix.\n";
  return checkup.problemCount() == 0 ? 0 : 1;
}

} // namespace scopesan::tool

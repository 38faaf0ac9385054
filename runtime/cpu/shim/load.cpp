// What happens when the library is loaded into a process and when the process ends.
#include "cpu/elf_scan.h"
#include "cpu/shim/context.h"
#include "cpu/shim/idle_device.h"
#include "cpu/shim/modules.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <unistd.h>
#include <vector>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

std::vector<std::string> loadedObjects() {
  std::vector<std::string> Paths;
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *P) {
        auto *Paths = static_cast<std::vector<std::string> *>(P);
        if (Info->dlpi_name && *Info->dlpi_name)
          Paths->push_back(Info->dlpi_name);
        else if (Paths->empty())
          Paths->push_back("/proc/self/exe"); // the program comes first, without a name
        return 0;
      },
      &Paths);
  return Paths;
}

std::string realName(const std::string &Path) {
  if (Path != "/proc/self/exe")
    return Path;
  char Buffer[4096];
  ssize_t N = readlink(Path.c_str(), Buffer, sizeof Buffer - 1);
  return N > 0 ? std::string(Buffer, size_t(N)) : Path;
}

/// NVIDIA's own libraries embed device code and a runtime of their own. Their kernels cannot run
/// here, but a program that merely links them can.
bool isVendorLibrary(const std::string &Path) {
  size_t Slash = Path.rfind('/');
  std::string Name = Slash == std::string::npos ? Path : Path.substr(Slash + 1);
  for (const char *Prefix :
       {"libcublas", "libcudnn", "libcufft", "libcurand", "libcusolver", "libcusparse", "libnccl",
        "libnpp", "libnvjpeg", "libnvJitLink", "libnvrtc", "libcudart"})
    if (Name.rfind(Prefix, 0) == 0)
      return true;
  return false;
}

/// A statically linked CUDA runtime would run behind our back, without a GPU and without a word.
void refuseStaticRuntime() {
  for (const std::string &Path : loadedObjects()) {
    if (scanCudartLinkage(Path) != CudartLinkage::Static)
      continue;
    if (isVendorLibrary(Path)) {
      if (contextExists())
        host::uninstrumentedModule(realName(Path), {});
      continue;
    }
    host::initialise("cpu");
    host::toolFailure(staticCudartMessage(realName(Path)));
    host::finish();
    _exit(int(host::options().failure_exit_code));
  }
}

// Only the scan happens at load: a shell or another helper of the program that inherits the preload
// must not open a journal.
__attribute__((constructor)) void atLoad() {
  SiteDescriber = describeSite;
  refuseStaticRuntime();
}

__attribute__((destructor)) void atExit() {
  if (contextExists()) {
    Context &C = context();
    std::lock_guard Lock(C.Mutex);
    if (C.Sticky == cudaSuccess)
      C.Work.drain(/*RunCallbacks=*/false);
    stopIdleDevice();
    C.Detector->finish();
    host::setCheckedAccesses(C.Detector->checkedAccesses());
  }
  refuseStaticRuntime(); // libraries that were opened in the meantime
  if (contextExists())
    host::finish();
}

} // namespace

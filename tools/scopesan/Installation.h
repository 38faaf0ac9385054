// Where the parts of ScopeSan are: the same layout in the build tree and after installation.
//   <root>/bin/{scopesan, scopesan-clang++, scopesan.cfg, scopesan-cpu-codegen}
//   <root>/lib/{libScopeSanPass.so, libscopesan_cpu.so, libscopesan_gpu.so}
#pragma once

#include <string>

namespace scopesan::tool {

class Installation {
public:
  /// From /proc/self/exe.
  Installation();
  explicit Installation(std::string root) : root(std::move(root)) {}

  std::string tool() const { return root + "/bin/scopesan"; }
  std::string wrapper() const { return root + "/bin/scopesan-clang++"; }
  std::string config() const { return root + "/bin/scopesan.cfg"; }
  std::string codegen() const { return root + "/bin/scopesan-cpu-codegen"; }
  std::string plugin() const { return root + "/lib/libScopeSanPass.so"; }
  std::string frontend() const { return root + "/lib/libScopeSanFrontend.so"; }
  std::string headers() const { return root + "/lib/scopesan/compat/scopesan_cuda.h"; }
  std::string cpuBackend() const { return root + "/lib/libscopesan_cpu.so"; }
  std::string driverFolder() const { return root + "/lib/scopesan/driver"; }
  std::string gpuBackend() const { return root + "/lib/libscopesan_gpu.so"; }

private:
  std::string root;
};

bool fileExists(const std::string &path);

} // namespace scopesan::tool

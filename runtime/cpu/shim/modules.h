// Device modules, their kernels and variables.
//
// Keyed by the registration handle and the symbol, so that two translation units may have static
// kernels of one name. Code is generated and loaded at the first use of a module.
#pragma once

#include "cpu/cpu_abi.h"
#include "cpu/shim/cuda_api.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace scopesan::cpu {

struct DeviceModule;

struct KernelFunction {
  DeviceModule *Home = nullptr;
  std::string Symbol;                 ///< mangled
  std::string Pretty;                 ///< demangled
  const Kernel *Code = nullptr;       ///< after loading; null when the module does not have it
  std::vector<const Kernel *> Others; ///< of further devices, which have variables of their own
  const Kernel *codeOn(int Device) const {
    return Device && size_t(Device) <= Others.size() ? Others[size_t(Device) - 1] : Code;
  }
  int MaxDynamicShared = 48 * 1024;
  int Carveout = -1;
  bool NonPortableCluster = false;
  bool Complained = false;
};

struct DeviceVariable {
  DeviceModule *Home = nullptr;
  std::string Symbol;
  size_t Size = 0;
  void *Address = nullptr;    ///< after loading
  std::vector<void *> Others; ///< of further devices
  void *addressOn(int Device) const {
    return Device && size_t(Device) <= Others.size() ? Others[size_t(Device) - 1] : Address;
  }
  void **ManagedPointer = nullptr; ///< host pointer of a __managed__ variable
};

/// Bitcode that the pass embedded.
struct Snapshot {
  const char *Bitcode = nullptr;
  uint64_t Bytes = 0;
  uint64_t Hash = 0;
};

struct DeviceModule {
  std::string Name; ///< the object that contains it
  /// The units of the image for the device's architecture. Several with -fgpu-rdc: linked.
  std::vector<Snapshot> Snapshots;
  std::vector<std::unique_ptr<KernelFunction>> Kernels;
  std::vector<std::unique_ptr<DeviceVariable>> Variables;
  const Module *Code = nullptr;
  int DevicesLoaded = 0; ///< further devices that have a copy
  bool Loaded = false;
  cudaError_t LoadError = cudaSuccess;

  bool instrumented() const { return !Snapshots.empty(); }
};

class ModuleRegistry {
public:
  DeviceModule *add(const void *FatbinWrapper);
  void addKernel(DeviceModule *M, const void *HostFunction, const char *Symbol);
  DeviceVariable *addVariable(DeviceModule *M, const void *HostVariable, const char *Symbol,
                              size_t Size);
  /// All kernels of M are registered.
  void complete(DeviceModule *M);

  /// By host stub address or by handle (cudaKernel_t, cudaFunction_t). Null when unknown.
  KernelFunction *kernel(const void *Handle);
  DeviceVariable *variable(const void *HostVariable);

  /// Generates and loads the module's code unless that has been done.
  cudaError_t load(DeviceModule *M);
  /// Loads the kernel's module; fails with one clear message when the kernel cannot run.
  cudaError_t prepare(KernelFunction &F, int Device = 0);
  cudaError_t prepare(DeviceVariable &V, int Device = 0);
  /// Does the address lie in loaded device code (constants, strings, variables)?
  bool containsCode(uint64_t Address) const;

private:
  /// Null, after a message, when that fails.
  const Module *loadCode(DeviceModule *M);
  void bind(DeviceModule *M);
  /// Each device has variables of its own: loads copies until `Device` has one.
  cudaError_t loadFor(DeviceModule *M, int Device);
  void bindFor(DeviceModule *M, const Module &Code, int Device);

  struct CodeRange {
    uint64_t Begin, End;
  };
  void rememberRange(const Module *Code);
  std::vector<CodeRange> CodeRanges;

  std::vector<std::unique_ptr<DeviceModule>> Modules;
  std::unordered_map<const void *, KernelFunction *> KernelsByAddress;
  std::unordered_map<const void *, DeviceVariable *> VariablesByAddress;
};

ModuleRegistry &modules();

/// The snapshots of the image that a device of this architecture (90 for sm_90) would run: the
/// newest that is not newer, else the oldest.
std::vector<Snapshot> findSnapshots(const void *Fatbin, size_t Bytes, uint32_t Architecture);
/// Runs the code-generation helper on the units of an image. Returns the path of the library, or an
/// empty string with `Error` set.
std::string generateCode(const std::vector<Snapshot> &Units, std::string &Error);
/// "file:line" of a site of any loaded module.
std::string describeSite(uint32_t Site);
void rememberSites(uint32_t First, const abi::Module *M);

} // namespace scopesan::cpu

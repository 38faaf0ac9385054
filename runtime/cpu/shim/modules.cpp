#include "cpu/shim/modules.h"

#include "cpu/shim/context.h"
#include "cpu/shim/occupancy.h"

#include "scopesan/unit_suffix.h"

#include <algorithm>
#include <cxxabi.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <set>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

/// Wrapper that the compiler emits around a fat binary.
struct FatbinWrapper {
  int Magic, Version;
  const void *Data;
  void *Unused;
};
/// Start of a fat binary.
struct FatbinHeader {
  uint32_t Magic;
  uint16_t Version, HeaderBytes;
  uint64_t FatBytes; ///< after the header
};
constexpr uint32_t FatbinMagic = 0xBA55ED50;

std::string demangle(const char *Symbol) {
  std::string Name(withoutUnitSuffix(Symbol));
  if (Name.rfind("_Z", 0) != 0)
    return Name; // "x" would be taken for a type
  int Status = 0;
  char *Text = __cxxabiv1::__cxa_demangle(Name.c_str(), nullptr, nullptr, &Status);
  std::string Result = Status == 0 && Text ? Text : Name;
  free(Text);
  return Result;
}

std::string objectOf(const void *Address) {
  Dl_info Info;
  if (!dladdr(Address, &Info) || !Info.dli_fname)
    return "unknown object";
  const char *Slash = strrchr(Info.dli_fname, '/');
  return Slash ? Slash + 1 : Info.dli_fname;
}

struct SiteRange {
  uint32_t First;
  const scopesan::abi::Module *Module;
};
std::vector<SiteRange> SiteRanges;

} // namespace

ModuleRegistry &scopesan::cpu::modules() {
  static auto *Registry = new ModuleRegistry;
  return *Registry;
}

void scopesan::cpu::rememberSites(uint32_t First, const scopesan::abi::Module *M) {
  SiteRanges.push_back({First, M});
}

std::string scopesan::cpu::describeSite(uint32_t Site) {
  for (const SiteRange &R : SiteRanges) {
    if (Site < R.First || Site - R.First >= R.Module->siteCount)
      continue;
    uint32_t Index = R.Module->sites[Site - R.First].frame;
    if (Index >= R.Module->frameCount)
      return {};
    const auto &Frame = R.Module->frames[Index];
    return std::string(R.Module->strings + Frame.file) + ":" + std::to_string(Frame.line);
  }
  return {};
}

// ---------------------------------------------------------------- registration

DeviceModule *ModuleRegistry::add(const void *Wrapper) {
  auto M = std::make_unique<DeviceModule>();
  M->Name = objectOf(Wrapper);
  const auto *W = static_cast<const FatbinWrapper *>(Wrapper);
  FatbinHeader Header;
  if (W && W->Data) {
    memcpy(&Header, W->Data, sizeof Header);
    if (Header.Magic == FatbinMagic)
      M->Snapshots = findSnapshots(W->Data, Header.HeaderBytes + Header.FatBytes,
                                   uint32_t(DeviceLimits::Architecture));
  }
  Modules.push_back(std::move(M));
  return Modules.back().get();
}

void ModuleRegistry::addKernel(DeviceModule *M, const void *HostFunction, const char *Symbol) {
  auto F = std::make_unique<KernelFunction>();
  F->Home = M;
  F->Symbol = Symbol;
  F->Pretty = demangle(Symbol);
  KernelsByAddress[HostFunction] = F.get();
  KernelsByAddress[F.get()] = F.get();
  M->Kernels.push_back(std::move(F));
}

DeviceVariable *ModuleRegistry::addVariable(DeviceModule *M, const void *HostVariable,
                                            const char *Symbol, size_t Size) {
  auto V = std::make_unique<DeviceVariable>();
  V->Home = M;
  V->Symbol = Symbol;
  V->Size = Size;
  VariablesByAddress[HostVariable] = V.get();
  M->Variables.push_back(std::move(V));
  return M->Variables.back().get();
}

void ModuleRegistry::complete(DeviceModule *M) {
  if (!M->instrumented() && !M->Kernels.empty()) {
    std::vector<std::string> Names;
    for (auto &F : M->Kernels)
      Names.push_back(F->Pretty);
    host::uninstrumentedModule(M->Name, Names);
  }
  // Host code may use a __managed__ variable before any call: it needs its memory now.
  bool HasManaged = std::any_of(M->Variables.begin(), M->Variables.end(),
                                [](auto &V) { return V->ManagedPointer != nullptr; });
  if (HasManaged && M->instrumented())
    load(M);
}

KernelFunction *ModuleRegistry::kernel(const void *Handle) {
  auto It = KernelsByAddress.find(Handle);
  return It == KernelsByAddress.end() ? nullptr : It->second;
}

DeviceVariable *ModuleRegistry::variable(const void *HostVariable) {
  auto It = VariablesByAddress.find(HostVariable);
  return It == VariablesByAddress.end() ? nullptr : It->second;
}

// ---------------------------------------------------------------- loading

static cudaError_t loadFailed(const DeviceModule &M, const std::string &Why) {
  host::toolFailure("device code of '" + M.Name + "' cannot run on the CPU backend: " + Why);
  return cudaErrorInvalidKernelImage;
}

/// Loads a generated library. Two units may hold the same device code, which the cache keeps once;
/// each module still has variables of its own, so every further one is loaded from a private copy.
static void *loadInstance(const std::string &Path, std::string &Error) {
  static auto *Loaded = new std::set<std::string>;
  std::string Source = Path;
  int Copy = -1;
  if (!Loaded->insert(Path).second) {
    Copy = memfd_create("scopesan-device-code", MFD_CLOEXEC);
    int From = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat Info;
    if (Copy < 0 || From < 0 || fstat(From, &Info) != 0 ||
        sendfile(Copy, From, nullptr, size_t(Info.st_size)) != Info.st_size)
      Error = "cannot copy '" + Path + "': " + strerror(errno);
    if (From >= 0)
      close(From);
    Source = "/proc/self/fd/" + std::to_string(Copy);
  }
  void *Library = Error.empty() ? dlopen(Source.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!Library && Error.empty()) {
    const char *Why = dlerror();
    Error = Why ? Why : "dlopen failed";
  }
  // The descriptor stays open: the loader tells libraries apart by name, and a number used again
  // would name the older copy.
  return Library;
}

/// Generates code and loads it. Null with `Error` set when either failed.
static const Module *generateAndLoad(const std::vector<Snapshot> &Units, std::string &Path,
                                     std::string &Error) {
  Error.clear();
  Path = generateCode(Units, Error);
  void *Library = Error.empty() ? loadInstance(Path, Error) : nullptr;
  if (!Library)
    return nullptr;
  auto *Code = static_cast<const Module *>(dlsym(Library, ModuleExport));
  if (Code && Code->abiVersion == CpuAbiVersion)
    return Code;
  Error = "'" + Path + "' was made for another version of ScopeSan; clear the cache";
  return nullptr;
}

const Module *ModuleRegistry::loadCode(DeviceModule *M) {
  std::string Path, Error;
  const Module *Code = generateAndLoad(M->Snapshots, Path, Error);
  if (!Code && !Path.empty()) {
    // Trimmed by another process since, or damaged (a machine that lost power): once more.
    unlink(Path.c_str());
    Code = generateAndLoad(M->Snapshots, Path, Error);
  }
  if (!Code) {
    loadFailed(*M, Error);
    return nullptr;
  }
  for (uint32_t I = 0; I < Code->siteTableCount; ++I)
    rememberSites(host::registerModule(*Code->siteTables[I], M->Name).value, Code->siteTables[I]);
  rememberRange(Code);
  return Code;
}

void ModuleRegistry::rememberRange(const Module *Code) {
  struct Search {
    uint64_t Address;
    std::vector<CodeRange> *Ranges;
  } What{reinterpret_cast<uint64_t>(Code), &CodeRanges};
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *P) {
        auto *What = static_cast<Search *>(P);
        CodeRange Extent{~0ull, 0};
        for (int I = 0; I < Info->dlpi_phnum; ++I)
          if (const auto &Segment = Info->dlpi_phdr[I]; Segment.p_type == PT_LOAD) {
            uint64_t Begin = Info->dlpi_addr + Segment.p_vaddr;
            Extent = {std::min(Extent.Begin, Begin), std::max(Extent.End, Begin + Segment.p_memsz)};
          }
        bool Found = What->Address >= Extent.Begin && What->Address < Extent.End;
        if (Found)
          What->Ranges->push_back(Extent);
        return int(Found);
      },
      &What);
}

bool ModuleRegistry::containsCode(uint64_t Address) const {
  return std::any_of(CodeRanges.begin(), CodeRanges.end(),
                     [&](const CodeRange &R) { return Address - R.Begin < R.End - R.Begin; });
}

void ModuleRegistry::bind(DeviceModule *M) {
  const Module *Code = M->Code;
  if (!Code)
    return;
  Context &C = context();
  for (uint32_t I = 0; I < Code->variableCount; ++I) {
    const Variable &V = Code->variables[I];
    Allocation A;
    A.Address = reinterpret_cast<uint64_t>(V.address);
    A.Bytes = V.size;
    A.Kind = V.managed    ? host::MemoryKind::Managed
             : V.constant ? host::MemoryKind::ConstantVariable
                          : host::MemoryKind::DeviceVariable;
    for (auto &Known : M->Variables) {
      if (Known->Address || Known->Symbol != V.name)
        continue;
      Known->Address = V.address;
      if (Known->ManagedPointer)
        *Known->ManagedPointer = V.address;
      if (V.managed)
        VariablesByAddress[V.address] = Known.get();
    }
    if (A.Bytes)
      C.Memory.adopt(A, V.demangled ? V.demangled : V.name);
  }
  for (uint32_t I = 0; I < Code->kernelCount; ++I)
    for (auto &F : M->Kernels)
      if (!F->Code && F->Symbol == Code->kernels[I].name)
        F->Code = &Code->kernels[I];
}

cudaError_t ModuleRegistry::load(DeviceModule *M) {
  if (M->Loaded)
    return M->LoadError;
  M->Loaded = true;
  if (M->instrumented() && !(M->Code = loadCode(M)))
    M->LoadError = cudaErrorInvalidKernelImage;
  bind(M);
  return M->LoadError;
}

cudaError_t ModuleRegistry::loadFor(DeviceModule *M, int Device) {
  cudaError_t E = load(M);
  while (E == cudaSuccess && M->Code && M->DevicesLoaded < Device) {
    ++M->DevicesLoaded;
    for (auto &F : M->Kernels)
      F->Others.push_back(nullptr);
    for (auto &V : M->Variables)
      V->Others.push_back(nullptr);
    const Module *Code = loadCode(M);
    if (!Code)
      return M->LoadError = cudaErrorInvalidKernelImage;
    bindFor(M, *Code, M->DevicesLoaded);
  }
  return E;
}

void ModuleRegistry::bindFor(DeviceModule *M, const Module &Code, int Device) {
  for (uint32_t I = 0; I < Code.variableCount; ++I) {
    const Variable &V = Code.variables[I];
    Allocation A;
    A.Address = reinterpret_cast<uint64_t>(V.address);
    A.Bytes = V.size;
    A.Device = Device;
    A.Kind = V.constant ? host::MemoryKind::ConstantVariable : host::MemoryKind::DeviceVariable;
    if (V.managed)
      host::incomplete("__managed__ variables are not shared between devices on the CPU backend");
    for (auto &Known : M->Variables)
      if (Known->Symbol == V.name)
        Known->Others.back() = V.address;
    if (A.Bytes)
      context().Memory.adopt(A, V.demangled ? V.demangled : V.name);
  }
  for (uint32_t I = 0; I < Code.kernelCount; ++I)
    for (auto &F : M->Kernels)
      if (F->Symbol == Code.kernels[I].name)
        F->Others.back() = &Code.kernels[I];
}

cudaError_t ModuleRegistry::prepare(KernelFunction &F, int Device) {
  cudaError_t E = loadFor(F.Home, Device);
  if (F.codeOn(Device))
    return cudaSuccess;
  if (E != cudaSuccess)
    return E;
  if (!F.Complained) {
    F.Complained = true;
    complain(
        "kernel '" + F.Pretty + "' of '" + F.Home->Name +
        "' is not instrumented and cannot run on the CPU backend; compile its file with ScopeSan "
        "(scopesan-clang++)");
    host::incomplete("kernel '" + F.Pretty + "' is not instrumented and did not run");
  }
  return cudaErrorInvalidDeviceFunction;
}

cudaError_t ModuleRegistry::prepare(DeviceVariable &V, int Device) {
  cudaError_t E = loadFor(V.Home, Device);
  if (V.addressOn(Device))
    return cudaSuccess;
  return E != cudaSuccess ? E : cudaErrorInvalidSymbol;
}

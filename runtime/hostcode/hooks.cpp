// host_abi.def: the fast path of plain accesses, everything else goes to the backend.
#include "hostcode/backend.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

using namespace scopesan;
using hostcode::backend;

namespace {

/// One state for the process's own copy of this library; a shared object may bring another one.
const abi::HostHooks *Found;
bool HasLooked;

bool isWatched(const abi::HostHooks &Hooks, const void *Address) {
  auto A = reinterpret_cast<uint64_t>(Address);
  for (uint32_t I = 0; I < Hooks.rangeCount; ++I)
    if (A >= Hooks.ranges[I].begin && A < Hooks.ranges[I].end)
      return true;
  return false;
}

using Getter = const abi::HostHooks *(*)();

/// The CPU backend is in the process. The GPU's is loaded when CUDA starts, which is too late for
/// threads and locks before that: it is named to the driver, and loaded here (only once in all).
Getter findBackend() {
  if (void *Get = dlsym(RTLD_DEFAULT, abi::HostHooksSymbol))
    return reinterpret_cast<Getter>(Get);
  const char *Path = getenv("CUDA_INJECTION64_PATH");
  const char *Name = Path ? strrchr(Path, '/') : nullptr;
  if (!Path || strncmp(Name ? Name + 1 : Path, "libscopesan_gpu", 15) != 0)
    return nullptr;
  void *Library = dlopen(Path, RTLD_NOW);
  return Library ? reinterpret_cast<Getter>(dlsym(Library, abi::HostHooksSymbol)) : nullptr;
}

/// Names of units that are not instrumented.
extern "C" const char __start_scopesan_plain[] __attribute__((weak, visibility("hidden")));
extern "C" const char __stop_scopesan_plain[] __attribute__((weak, visibility("hidden")));

/// Tells the backend's library, which need not be in the global scope.
void tellPlainUnits(const abi::HostHooks &Hooks) {
  static bool Told;
  Dl_info Info;
  if (Told || !__start_scopesan_plain || !dladdr(reinterpret_cast<void *>(Hooks.module), &Info))
    return;
  Told = true;
  using Taker = void (*)(const char *, uint64_t);
  void *Library = dlopen(Info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (auto Take = Library ? reinterpret_cast<Taker>(dlsym(Library, abi::PlainSymbol)) : nullptr)
    Take(__start_scopesan_plain, uint64_t(__stop_scopesan_plain - __start_scopesan_plain));
}

} // namespace

const abi::HostHooks *hostcode::backend() {
  if (!__atomic_load_n(&HasLooked, __ATOMIC_ACQUIRE)) {
    Getter Get = findBackend();
    const abi::HostHooks *Hooks = Get ? Get() : nullptr;
    if (Hooks && Hooks->version == abi::HostVersion)
      __atomic_store_n(&Found, Hooks, __ATOMIC_RELAXED);
    __atomic_store_n(&HasLooked, true, __ATOMIC_RELEASE);
  }
  return __atomic_load_n(&Found, __ATOMIC_RELAXED);
}

extern "C" {

void __scopesan_host_module(const abi::Module *Module) {
  // Brings threads.cpp and files.cpp along.
  __asm__ volatile("" ::"r"(&__scopesan_host_threads), "r"(&__scopesan_host_files));
  if (auto *Tell = backend()) {
    Tell->module(Module);
    tellPlainUnits(*Tell);
  }
}

void __scopesan_host_read(const void *Address, uint64_t Bytes, uint32_t Site) {
  const abi::HostHooks *Hooks = Found;
  if (!Hooks || !isWatched(*Hooks, Address))
    return;
  if (auto *Tell = backend())
    Tell->read(Address, Bytes, Site);
}

void __scopesan_host_write(const void *Address, uint64_t Bytes, uint32_t Site) {
  const abi::HostHooks *Hooks = Found;
  if (!Hooks || !isWatched(*Hooks, Address))
    return;
  if (auto *Tell = backend())
    Tell->write(Address, Bytes, Site);
}

void __scopesan_host_string(const void *Address, uint64_t Most, uint32_t Wrote, uint32_t Site) {
  const abi::HostHooks *Hooks = Found;
  if (!Hooks || !isWatched(*Hooks, Address))
    return;
  uint64_t Length = strnlen(static_cast<const char *>(Address), Most);
  auto Tell = Wrote ? __scopesan_host_write : __scopesan_host_read;
  Tell(Address, Length < Most ? Length + 1 : Most, Site);
}

void __scopesan_host_common(const void *Address, const void *Other, uint64_t Most, uint32_t Site) {
  const abi::HostHooks *Hooks = Found;
  if (!Hooks || !isWatched(*Hooks, Address))
    return;
  auto *A = static_cast<const char *>(Address), *B = static_cast<const char *>(Other);
  uint64_t Last = 0;
  while (Last < Most && A[Last] == B[Last] && A[Last])
    ++Last;
  __scopesan_host_read(Address, Last < Most ? Last + 1 : Most, Site);
}

// The backend holds its lock from the one to the other.

void __scopesan_host_atomic_before(const void *Address) {
  if (auto *Tell = backend())
    Tell->atomicBefore(Address);
}

void __scopesan_host_atomic_after(const void *Address, uint32_t Bytes, uint32_t Op, uint32_t Site,
                                  uint32_t Wrote) {
  if (auto *Tell = backend())
    Tell->atomicAfter(Address, Bytes, Op, Site, Wrote);
}

void __scopesan_host_fence(uint32_t Op, uint32_t Site) {
  if (auto *Tell = backend())
    Tell->fence(Op, Site);
}

void __scopesan_host_unmodelled(uint32_t Site) {
  if (auto *Tell = backend())
    Tell->unmodelled(Site);
}
}

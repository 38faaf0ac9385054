// Native kernels registered by hand, and the calls that the shim's tests make again and again.
#pragma once

#include "cpu/faults.h"
#include "cpu/hooks.h"
#include "cpu/shim/context.h"
#include "cpu/shim/modules.h"

#include <atomic>
#include <gtest/gtest.h>
#include <string.h>
#include <utility>

namespace scopesan::cpu::test {

inline void storeKernel(void **Args) { // (int *To, int Value)
  **static_cast<int **>(Args[0]) = *static_cast<int *>(Args[1]);
}
inline void spinKernel(void **Args) { // (volatile int *Flag): waits until it is not 0
  auto *Flag = *static_cast<std::atomic<int> **>(Args[0]);
  constexpr uint32_t Op =
      scopesan::abi::Op(scopesan::abi::AccessKind::Load, scopesan::abi::MemoryOrder::Relaxed,
                        scopesan::abi::Scope::System)
          .raw();
  for (int Seen = 0; !Seen;) {
    __scopesan_atomic_before(Flag, 4, Op, 0);
    Seen = Flag->load(std::memory_order_relaxed);
    __scopesan_atomic_after(Flag, 4, Op, 0, 0, uint64_t(Seen));
  }
}
// (volatile int *Steps): lets its dependents start, then needs one of them to go on.
inline void primaryKernel(void **Args) {
  auto *Steps = *static_cast<std::atomic<int> **>(Args[0]);
  __scopesan_griddep_launch(0);
  __scopesan_cpu_griddep_launch();
  while (!Steps[0])
    __scopesan_cpu_yield();
  Steps[1] = 1;
}
inline void dependentKernel(void **Args) { // sees the primary's end after its wait
  auto *Steps = *static_cast<std::atomic<int> **>(Args[0]);
  Steps[0] = 1;
  __scopesan_cpu_griddep_wait();
  __scopesan_griddep_wait(0);
  Steps[2] = Steps[1] + 1;
}
inline void countKernel(void **Args) { ++(*static_cast<std::atomic<int> **>(Args[0]))[3]; }
inline volatile uintptr_t WildAddress = 64;
inline void crashKernel(void **) { *reinterpret_cast<volatile int *>(WildAddress) = 1; }
inline void assertKernel(void **) { __scopesan_cpu_assertfail("1 == 2", "file.cu", 7, "f", 1); }

inline const uint32_t StoreSizes[] = {8, 4}, SpinSizes[] = {8};
inline int DeviceInt;

inline Kernel kernel(const char *Name, void (*Entry)(void **), uint32_t Count,
                     const uint32_t *Sizes) {
  Kernel K{};
  K.name = Name;
  K.entry = Entry;
  K.staticShared = ReservedShared;
  K.paramCount = Count;
  K.paramSizes = Sizes;
  return K;
}
inline const Kernel Kernels[] = {kernel("store", storeKernel, 2, StoreSizes),
                                 kernel("spin", spinKernel, 1, SpinSizes),
                                 kernel("crash", crashKernel, 0, nullptr),
                                 kernel("assert_", assertKernel, 0, nullptr),
                                 kernel("primary", primaryKernel, 1, SpinSizes),
                                 kernel("dependent", dependentKernel, 1, SpinSizes),
                                 kernel("count", countKernel, 1, SpinSizes)};
// Stand for the host stubs and the host shadow of the variable.
inline char StoreStub, SpinStub, CrashStub, AssertStub, PrimaryStub, DependentStub, CountStub,
    IntStub, UnknownStub;

class Shim : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    static bool Done = false;
    if (std::exchange(Done, true))
      return;
    OwnCodeIsTool = false;
    Context &C = context();
    DeviceModule *M = modules().add(nullptr);
    M->Loaded = true; // its code is linked in
    const void *Stubs[] = {&StoreStub,   &SpinStub,      &CrashStub, &AssertStub,
                           &PrimaryStub, &DependentStub, &CountStub};
    for (size_t I = 0; I < std::size(Stubs); ++I) {
      modules().addKernel(M, Stubs[I], Kernels[I].name);
      modules().kernel(Stubs[I])->Code = &Kernels[I];
    }
    modules().addVariable(M, &IntStub, "DeviceInt", sizeof DeviceInt)->Address = &DeviceInt;
    Allocation A;
    A.Address = reinterpret_cast<uint64_t>(&DeviceInt);
    A.Bytes = sizeof DeviceInt;
    A.Kind = host::MemoryKind::DeviceVariable;
    C.Memory.adopt(A, "DeviceInt");
  }
  void TearDown() override { cudaDeviceReset(); }

  int *deviceInts(size_t N = 4) {
    int *P = nullptr;
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void **>(&P), N * 4), cudaSuccess);
    EXPECT_EQ(cudaMemset(P, 0, N * 4), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    return P;
  }
  cudaError_t store(int *To, int Value, cudaStream_t S = nullptr) {
    void *Args[] = {&To, &Value};
    return cudaLaunchKernel(&StoreStub, dim3(1), dim3(1), Args, 0, S);
  }
  cudaError_t spin(int *Flag, cudaStream_t S = nullptr) {
    void *Args[] = {&Flag};
    return cudaLaunchKernel(&SpinStub, dim3(1), dim3(1), Args, 0, S);
  }
  cudaError_t programmatic(const void *Stub, int *Steps, cudaStream_t S = nullptr) {
    cudaLaunchAttribute A[1];
    A[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    A[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t Config{};
    Config.gridDim = Config.blockDim = dim3(1);
    Config.stream = S;
    Config.attrs = A;
    Config.numAttrs = 1;
    void *Args[] = {&Steps};
    return cudaLaunchKernelExC(&Config, Stub, Args);
  }
  int fetch(const int *P) {
    int V = -1;
    EXPECT_EQ(cudaMemcpy(&V, P, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    return V;
  }
};

} // namespace scopesan::cpu::test

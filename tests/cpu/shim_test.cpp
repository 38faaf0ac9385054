// The shim's API semantics, with native kernels registered by hand.
#include "shim_fixture.h"

#include <thread>

using namespace scopesan;
using namespace scopesan::cpu;
using namespace scopesan::cpu::test;

namespace {

TEST_F(Shim, ArgumentsAreCopiedAtLaunch) {
  int *D = deviceInts();
  EXPECT_EQ(store(D, 5), cudaSuccess);
  EXPECT_EQ(store(D + 1, 6), cudaSuccess);
  EXPECT_EQ(fetch(D), 5);
  EXPECT_EQ(fetch(D + 1), 6);
  EXPECT_EQ(cudaFree(D), cudaSuccess);
}

TEST_F(Shim, ProgrammaticLaunchesOverlapAndWait) {
  int *Steps = deviceInts();
  void *Args[] = {&Steps};
  EXPECT_EQ(cudaLaunchKernel(&PrimaryStub, dim3(1), dim3(1), Args, 0, nullptr), cudaSuccess);
  EXPECT_EQ(programmatic(&DependentStub, Steps), cudaSuccess);
  EXPECT_EQ(store(Steps + 3, 9), cudaSuccess);
  EXPECT_EQ(fetch(Steps + 2), 2) << "deadlock, or the wait returned early";
  EXPECT_EQ(fetch(Steps + 3), 9);
}

// The first launch of a stream, and one after a copy, have nothing to depend on.
TEST_F(Shim, ProgrammaticLaunchWithoutAPrimary) {
  int *Steps = deviceInts();
  cudaStream_t S;
  EXPECT_EQ(cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking), cudaSuccess);
  EXPECT_EQ(programmatic(&CountStub, Steps, S), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(Steps + 3, 0, 4, S), cudaSuccess);
  EXPECT_EQ(programmatic(&CountStub, Steps, S), cudaSuccess);
  EXPECT_EQ(programmatic(&CountStub, Steps, S), cudaSuccess);
  EXPECT_EQ(programmatic(&CountStub, Steps, S), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(S), cudaSuccess);
  EXPECT_EQ(fetch(Steps + 3), 3);
  EXPECT_EQ(cudaStreamDestroy(S), cudaSuccess);
}

TEST_F(Shim, WorkWaitsForASynchronization) {
  int *D = deviceInts();
  cudaStream_t S;
  EXPECT_EQ(cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking), cudaSuccess);
  store(D, 1, S);
  EXPECT_EQ(*D, 0) << "queued, not run";
  EXPECT_EQ(cudaStreamSynchronize(S), cudaSuccess);
  EXPECT_EQ(*D, 1);
  cudaStreamDestroy(S);
}

TEST_F(Shim, StreamsRunConcurrently) {
  int *D = deviceInts();
  cudaStream_t A, B;
  cudaStreamCreateWithFlags(&A, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&B, cudaStreamNonBlocking);
  spin(D, A);
  store(D, 1, B); // ends the spin only if both are active
  EXPECT_EQ(cudaStreamSynchronize(A), cudaSuccess);
  cudaStreamDestroy(A);
  cudaStreamDestroy(B);
}

TEST_F(Shim, LegacyStreamOrdersBlockingStreams) {
  int *D = deviceInts();
  cudaStream_t S;
  cudaStreamCreate(&S);
  spin(D, S);
  store(D, 1); // legacy: after S, which waits for it
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout) << "a deadlock in CUDA too";
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout) << "sticky";
  cudaDeviceReset();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Shim, EventsOrderStreams) {
  int *D = deviceInts();
  cudaStream_t A, B;
  cudaEvent_t E;
  cudaStreamCreateWithFlags(&A, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&B, cudaStreamNonBlocking);
  cudaEventCreate(&E);
  store(D, 1, A);
  cudaEventRecord(E, A);
  cudaStreamWaitEvent(B, E, 0);
  store(D, 2, B);
  EXPECT_EQ(cudaEventQuery(E) == cudaErrorNotReady || *D > 0, true);
  EXPECT_EQ(cudaStreamSynchronize(B), cudaSuccess);
  EXPECT_EQ(*D, 2);
  EXPECT_EQ(cudaEventQuery(E), cudaSuccess);
  // A later record does not change what was waited for.
  cudaEvent_t Start;
  cudaEventCreate(&Start);
  cudaEventRecord(Start, A);
  cudaEventRecord(E, A);
  cudaEventSynchronize(E);
  float Ms = 0;
  EXPECT_EQ(cudaEventElapsedTime(&Ms, Start, E), cudaSuccess);
  EXPECT_GT(Ms, 0);
}

TEST_F(Shim, WaitingForAnUnrecordedEventIsANoOp) {
  cudaEvent_t E;
  cudaEventCreate(&E);
  EXPECT_EQ(cudaEventQuery(E), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, E, 0), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(E), cudaSuccess);
  cudaEventDestroy(E);
  EXPECT_EQ(cudaEventQuery(E), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST_F(Shim, QueriesMakeProgress) {
  int *D = deviceInts();
  cudaStream_t S;
  cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking);
  store(D, 3, S);
  int Polls = 0;
  while (cudaStreamQuery(S) == cudaErrorNotReady)
    ASSERT_LT(++Polls, 100);
  EXPECT_EQ(*D, 3);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "not ready is no error";
}

TEST_F(Shim, PageableSourcesAreStagedPinnedOnesAreNot) {
  int *D = deviceInts(), Host = 1, *Pinned;
  cudaStream_t S;
  cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking);
  cudaMallocHost(reinterpret_cast<void **>(&Pinned), 4);
  *Pinned = 1;
  cudaMemcpyAsync(D, &Host, 4, cudaMemcpyHostToDevice, S);
  cudaMemcpyAsync(D + 1, Pinned, 4, cudaMemcpyHostToDevice, S);
  Host = *Pinned = 2;
  cudaStreamSynchronize(S);
  EXPECT_EQ(D[0], 1);
  EXPECT_EQ(D[1], 2);
  EXPECT_EQ(cudaFreeHost(Pinned), cudaSuccess);
}

TEST_F(Shim, HostFunctionsRunInStreamOrder) {
  int *D = deviceInts();
  static int Seen;
  Seen = -1;
  store(D, 4);
  cudaLaunchHostFunc(nullptr, [](void *P) { Seen = *static_cast<int *>(P); }, D);
  store(D, 5);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(Seen, 4);
  EXPECT_EQ(*D, 5);
}

TEST_F(Shim, TwoDimensionalCopies) {
  int Host[2][3] = {{1, 2, 3}, {4, 5, 6}}, Back[2][3] = {};
  void *D;
  size_t Pitch;
  ASSERT_EQ(cudaMallocPitch(&D, &Pitch, 12, 2), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(D, Pitch, Host, 12, 12, 2, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(static_cast<int *>(D)[Pitch / 4], 4);
  EXPECT_EQ(cudaMemcpy2D(Back, 12, D, Pitch, 12, 2, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(memcmp(Host, Back, sizeof Host), 0);
  EXPECT_EQ(cudaMemcpy2D(Back, 8, D, Pitch, 12, 2, cudaMemcpyDeviceToHost),
            cudaErrorInvalidPitchValue);
  cudaGetLastError();
}

TEST_F(Shim, Symbols) {
  int V = 9, Back = 0;
  EXPECT_EQ(cudaMemcpyToSymbol(&IntStub, &V, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(DeviceInt, 9);
  EXPECT_EQ(cudaMemcpyFromSymbol(&Back, &IntStub, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(Back, 9);
  void *P = nullptr;
  EXPECT_EQ(cudaGetSymbolAddress(&P, &IntStub), cudaSuccess);
  EXPECT_EQ(P, &DeviceInt);
  EXPECT_EQ(cudaMemcpyToSymbol(&IntStub, &V, 4, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetSymbolAddress(&P, &UnknownStub), cudaErrorInvalidSymbol);
  cudaGetLastError();
}

TEST_F(Shim, PointerAttributesAndArguments) {
  int *D = deviceInts(), Host = 0;
  cudaPointerAttributes A;
  EXPECT_EQ(cudaPointerGetAttributes(&A, D), cudaSuccess);
  EXPECT_EQ(A.type, cudaMemoryTypeDevice);
  EXPECT_EQ(cudaPointerGetAttributes(&A, &Host), cudaSuccess);
  EXPECT_EQ(A.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaMemcpy(&Host, &Host, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(D, &Host, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue)
      << "beyond the allocation";
  EXPECT_EQ(cudaFree(&Host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "reading forgets";
}

TEST_F(Shim, LaunchConfigurationsAreChecked) {
  int *D = deviceInts(), V = 1;
  void *Args[] = {&D, &V};
  EXPECT_EQ(cudaLaunchKernel(&StoreStub, dim3(0), dim3(1), Args, 0, nullptr),
            cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaLaunchKernel(&StoreStub, dim3(1), dim3(1025), Args, 0, nullptr),
            cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaLaunchKernel(&StoreStub, dim3(1), dim3(1), Args, 60000, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&StoreStub, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000),
            cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(&StoreStub, dim3(1), dim3(1), Args, 60000, nullptr), cudaSuccess);
  EXPECT_EQ(cudaLaunchCooperativeKernel(&StoreStub, dim3(100000), dim3(32), Args, 0, nullptr),
            cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(cudaLaunchKernel(&UnknownStub, dim3(1), dim3(1), Args, 0, nullptr),
            cudaErrorInvalidDeviceFunction);
  cudaGetLastError();
}

TEST_F(Shim, HintsAreReadBack) {
  cudaStream_t S, T;
  EXPECT_EQ(cudaStreamCreate(&S), cudaSuccess);
  EXPECT_EQ(cudaStreamCreate(&T), cudaSuccess);
  cudaStreamAttrValue Window{}, Back{};
  Window.accessPolicyWindow.num_bytes = 4096;
  Window.accessPolicyWindow.hitRatio = 0.5f;
  Window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  const auto Id = cudaLaunchAttributeAccessPolicyWindow;
  EXPECT_EQ(cudaStreamGetAttribute(S, Id, &Back), cudaSuccess);
  EXPECT_EQ(Back.accessPolicyWindow.num_bytes, 0u);
  EXPECT_EQ(cudaStreamSetAttribute(S, Id, &Window), cudaSuccess);
  EXPECT_EQ(cudaStreamCopyAttributes(T, S), cudaSuccess);
  EXPECT_EQ(cudaStreamGetAttribute(T, Id, &Back), cudaSuccess);
  EXPECT_EQ(Back.accessPolicyWindow.num_bytes, 4096u);
  EXPECT_EQ(Back.accessPolicyWindow.hitProp, cudaAccessPropertyPersisting);

  cudaGraph_t G;
  cudaGraphNode_t N;
  EXPECT_EQ(cudaGraphCreate(&G, 0), cudaSuccess);
  int *P = deviceInts(), Value = 1;
  void *Args[] = {&P, &Value};
  cudaKernelNodeParams K{};
  K.func = &StoreStub;
  K.gridDim = K.blockDim = dim3(1);
  K.kernelParams = Args;
  EXPECT_EQ(cudaGraphAddKernelNode(&N, G, nullptr, 0, &K), cudaSuccess);
  EXPECT_EQ(cudaGraphKernelNodeSetAttribute(N, Id, &Window), cudaSuccess);
  EXPECT_EQ(cudaGraphKernelNodeGetAttribute(N, Id, &Back), cudaSuccess);
  EXPECT_EQ(Back.accessPolicyWindow.hitRatio, 0.5f);
  EXPECT_EQ(cudaGraphDestroy(G), cudaSuccess);
}

TEST_F(Shim, DeviceErrorsAreSticky) {
  int *D = deviceInts();
  void *None[] = {nullptr};
  EXPECT_EQ(cudaLaunchKernel(&CrashStub, dim3(1), dim3(1), None, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(store(D, 1), cudaErrorIllegalAddress);
  cudaDeviceReset();
  EXPECT_EQ(cudaLaunchKernel(&AssertStub, dim3(1), dim3(1), None, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorAssert);
}

TEST_F(Shim, AnotherHostThreadCanReleaseAKernel) {
  int *Flag;
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void **>(&Flag), 4, cudaHostAllocMapped), cudaSuccess);
  *Flag = 0;
  spin(Flag);
  std::thread Other([&] {
    void *D = nullptr; // the API stays usable while the kernel spins
    EXPECT_EQ(cudaMalloc(&D, 4), cudaSuccess);
    reinterpret_cast<std::atomic<int> *>(Flag)->store(1, std::memory_order_relaxed);
  });
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  Other.join();
  EXPECT_EQ(cudaFreeHost(Flag), cudaSuccess);
}

TEST_F(Shim, MissingCallsFailByName) {
  cudaMipmappedArray_t A;
  cudaChannelFormatDesc D{};
  EXPECT_EQ(cudaMallocMipmappedArray(&A, &D, {1, 1, 1}, 1, 0), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

TEST_F(Shim, ErrorTexts) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorName(cudaError_t(12345)), "unrecognized error code");
}

TEST_F(Shim, DeviceQueries) {
  int V = 0, N = 0;
  EXPECT_EQ(cudaGetDeviceCount(&N), cudaSuccess);
  EXPECT_EQ(N, 1);
  cudaDeviceProp P;
  EXPECT_EQ(cudaGetDeviceProperties(&P, 0), cudaSuccess);
  EXPECT_EQ(P.major, 9);
  EXPECT_EQ(cudaDeviceGetAttribute(&V, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  EXPECT_EQ(V, P.multiProcessorCount);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&V, &StoreStub, 256, 0), cudaSuccess);
  EXPECT_EQ(V, 8);
  EXPECT_EQ(cudaGetDeviceProperties(&P, 1), cudaErrorInvalidDevice);
  cudaGetLastError();
}

TEST_F(Shim, FreedAddressesAreNotUsedAgainAtOnce) {
  void *A, *B;
  cudaMalloc(&A, 1000);
  cudaFree(A);
  cudaMalloc(&B, 1000);
  EXPECT_NE(A, B);
  cudaFree(B);
  for (void **P : {&A, &A, &B}) {
    cudaMalloc(P, 2ull << 30);
    if (P != &B)
      cudaFree(*P);
  }
  EXPECT_EQ(A, B) << "more than is kept out of use";
  cudaFree(B);
}

} // namespace

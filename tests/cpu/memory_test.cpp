// Calls about memory beside allocation: ranges of managed memory, pools by location, what graphs
// allocate, atomics between places.
#include "shim_fixture.h"

namespace scopesan::cpu::test {
namespace {

constexpr cudaMemLocation OnDevice{cudaMemLocationTypeDevice, {0}};
constexpr cudaMemLocation OnHost{cudaMemLocationTypeHost, {0}};

class Ranges : public Shim {
protected:
  void SetUp() override {
    ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&Data), Bytes, cudaMemAttachGlobal),
              cudaSuccess);
  }
  int attribute(cudaMemRangeAttribute What, size_t Begin, size_t Size) {
    int Value = 12345;
    EXPECT_EQ(cudaMemRangeGetAttribute(&Value, sizeof Value, What, Data + Begin, Size),
              cudaSuccess);
    return Value;
  }
  static constexpr size_t Bytes = 1 << 16;
  char *Data = nullptr;
};

TEST_F(Ranges, AdviceIsReadBackWhereAllOfTheRangeHasIt) {
  EXPECT_EQ(cudaMemAdvise(Data, Bytes / 2, cudaMemAdviseSetReadMostly, OnDevice), cudaSuccess);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, 0, Bytes / 2), 1);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, 0, Bytes / 2 + 1), 0);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, Bytes / 2, 16), 0);
  EXPECT_EQ(cudaMemAdvise(Data + 4096, 4096, cudaMemAdviseUnsetReadMostly, OnDevice), cudaSuccess);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, 0, 4096), 1);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, 0, 8192), 0);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, 8192, 4096), 1);
}

TEST_F(Ranges, Locations) {
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocation, 0, Bytes), cudaInvalidDeviceId);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocationType, 0, Bytes),
            cudaMemLocationTypeInvalid);
  EXPECT_EQ(cudaMemAdvise(Data, Bytes, cudaMemAdviseSetPreferredLocation, OnHost), cudaSuccess);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocation, 0, Bytes), cudaCpuDeviceId);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocationType, 0, Bytes),
            cudaMemLocationTypeHost);
  EXPECT_EQ(cudaMemPrefetchAsync(Data, 4096, OnDevice, 0, nullptr), cudaSuccess);
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocation, 0, 4096), 0);
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocationType, 0, 4096),
            cudaMemLocationTypeDevice);
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocation, 0, 8192), cudaInvalidDeviceId);
}

TEST_F(Ranges, AccessedByIsAList) {
  EXPECT_EQ(cudaMemAdvise(Data, Bytes, cudaMemAdviseSetAccessedBy, OnDevice), cudaSuccess);
  EXPECT_EQ(cudaMemAdvise(Data, Bytes, cudaMemAdviseSetAccessedBy, OnHost), cudaSuccess);
  int List[3], ReadMostly = 7;
  void *Out[] = {List, &ReadMostly};
  size_t Sizes[] = {sizeof List, sizeof ReadMostly};
  cudaMemRangeAttribute What[] = {cudaMemRangeAttributeAccessedBy, cudaMemRangeAttributeReadMostly};
  EXPECT_EQ(cudaMemRangeGetAttributes(Out, Sizes, What, 2, Data, Bytes), cudaSuccess);
  EXPECT_EQ(List[0], cudaCpuDeviceId);
  EXPECT_EQ(List[1], 0);
  EXPECT_EQ(List[2], cudaInvalidDeviceId);
  EXPECT_EQ(ReadMostly, 0);
  EXPECT_EQ(cudaMemAdvise(Data, Bytes, cudaMemAdviseUnsetAccessedBy, OnHost), cudaSuccess);
  EXPECT_EQ(attribute(cudaMemRangeAttributeAccessedBy, 0, Bytes), 0);
}

TEST_F(Ranges, WrongArguments) {
  int Value;
  int *Plain = deviceInts();
  EXPECT_EQ(cudaMemAdvise(Plain, 4, cudaMemAdviseSetReadMostly, OnDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemAdvise(Data, Bytes + 1, cudaMemAdviseSetReadMostly, OnDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      cudaMemAdvise(Data, Bytes, cudaMemAdviseSetAccessedBy, {cudaMemLocationTypeDevice, {99}}),
      cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemPrefetchAsync(Plain, 4, OnDevice, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemRangeGetAttribute(&Value, 8, cudaMemRangeAttributeReadMostly, Data, Bytes),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemRangeGetAttribute(&Value, 4, cudaMemRangeAttributeReadMostly, Plain, 4),
            cudaErrorInvalidValue);
}

TEST_F(Ranges, Batches) {
  void *Starts[] = {Data, Data + 8192};
  size_t Sizes[] = {4096, 4096}, First[] = {0, 1}, Wrong[] = {1};
  cudaMemLocation To[] = {OnDevice, OnHost};
  EXPECT_EQ(cudaMemPrefetchBatchAsync(Starts, Sizes, 2, To, First, 2, 0, nullptr), cudaSuccess);
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocation, 0, 4096), 0);
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocation, 8192, 4096), cudaCpuDeviceId);
  EXPECT_EQ(cudaMemPrefetchBatchAsync(Starts, Sizes, 2, To, Wrong, 1, 0, nullptr),
            cudaErrorInvalidValue);
  // What was discarded has lost its value.
  EXPECT_EQ(cudaMemset(Data, 1, Bytes), cudaSuccess);
  EXPECT_EQ(cudaMemDiscardBatchAsync(Starts, Sizes, 2, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_NE(Data[0], 1);
  EXPECT_EQ(Data[4096], 1);
  EXPECT_NE(Data[8192], 1);
  EXPECT_EQ(cudaMemset(Data, 1, Bytes), cudaSuccess);
  EXPECT_EQ(cudaMemDiscardAndPrefetchBatchAsync(Starts, Sizes, 2, To, First, 1, 0, nullptr),
            cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_NE(Data[0], 1);
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocation, 8192, 4096), 0);
}

TEST_F(Shim, PoolsByLocation) {
  cudaMemLocation Here = OnDevice, Nowhere{cudaMemLocationTypeDevice, {99}};
  cudaMemPool_t Default = nullptr, ByDevice = nullptr, Own = nullptr, Current = nullptr;
  EXPECT_EQ(cudaMemGetDefaultMemPool(&Default, &Here, cudaMemAllocationTypePinned), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&ByDevice, 0), cudaSuccess);
  EXPECT_EQ(Default, ByDevice);
  cudaMemPoolProps Props{};
  Props.allocType = cudaMemAllocationTypePinned;
  Props.location = OnDevice;
  EXPECT_EQ(cudaMemPoolCreate(&Own, &Props), cudaSuccess);
  EXPECT_EQ(cudaMemSetMemPool(&Here, cudaMemAllocationTypePinned, Own), cudaSuccess);
  EXPECT_EQ(cudaMemGetMemPool(&Current, &Here, cudaMemAllocationTypePinned), cudaSuccess);
  EXPECT_EQ(Current, Own);
  EXPECT_EQ(cudaMemGetMemPool(&Current, &Nowhere, cudaMemAllocationTypePinned),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemSetMemPool(&Here, cudaMemAllocationTypePinned, Default), cudaSuccess);
}

TEST_F(Shim, MemoryOfGraphs) {
  auto Attribute = [](cudaGraphMemAttributeType What) {
    uint64_t Value = ~0ull;
    EXPECT_EQ(cudaDeviceGetGraphMemAttribute(0, What, &Value), cudaSuccess);
    return Value;
  };
  cudaStream_t S;
  cudaGraph_t G;
  cudaGraphExec_t Exec;
  void *P = nullptr;
  EXPECT_EQ(cudaStreamCreate(&S), cudaSuccess);
  EXPECT_EQ(cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaMallocAsync(&P, 1000, S), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(S, &G), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&Exec, G, 0), cudaSuccess);
  EXPECT_EQ(Attribute(cudaGraphMemAttrUsedMemCurrent), 0u);
  EXPECT_EQ(cudaGraphLaunch(Exec, S), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(S), cudaSuccess);
  EXPECT_EQ(Attribute(cudaGraphMemAttrUsedMemCurrent), 1000u);
  EXPECT_EQ(cudaFreeAsync(P, S), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(S), cudaSuccess);
  EXPECT_EQ(Attribute(cudaGraphMemAttrUsedMemCurrent), 0u);
  EXPECT_EQ(Attribute(cudaGraphMemAttrUsedMemHigh), 1000u);
  EXPECT_EQ(Attribute(cudaGraphMemAttrReservedMemCurrent), 1000u);
  EXPECT_EQ(cudaDeviceGraphMemTrim(0), cudaSuccess);
  EXPECT_EQ(Attribute(cudaGraphMemAttrReservedMemCurrent), 0u);
  uint64_t Zero = 0, One = 1;
  EXPECT_EQ(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &Zero), cudaSuccess);
  EXPECT_EQ(Attribute(cudaGraphMemAttrUsedMemHigh), 0u);
  EXPECT_EQ(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &One),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &Zero),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphExecDestroy(Exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(G), cudaSuccess);
}

TEST_F(Shim, AtomicsBetweenPlaces) {
  cudaAtomicOperation List[] = {cudaAtomicOperationIntegerAdd, cudaAtomicOperationCAS,
                                cudaAtomicOperationFloatMin};
  unsigned Can[] = {9, 9, 9};
  EXPECT_EQ(cudaDeviceGetHostAtomicCapabilities(Can, List, 3, 0), cudaSuccess);
  for (unsigned C : Can) // the default device has no native atomics towards the host
    EXPECT_EQ(C, 0u);
  EXPECT_EQ(cudaDeviceGetHostAtomicCapabilities(Can, List, 3, 99), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetP2PAtomicCapabilities(Can, List, 3, 0, 0), cudaErrorInvalidDevice);
}

TEST_F(Shim, FunctionsBySymbol) {
  cudaFunction_t F = nullptr;
  EXPECT_EQ(cudaGetFuncBySymbol(&F, &StoreStub), cudaSuccess);
  int *P = deviceInts(), Value = 5;
  void *Args[] = {&P, &Value};
  EXPECT_EQ(cudaLaunchKernel(reinterpret_cast<const void *>(F), dim3(1), dim3(1), Args, 0, nullptr),
            cudaSuccess);
  EXPECT_EQ(fetch(P), 5);
  EXPECT_EQ(cudaGetFuncBySymbol(&F, &UnknownStub), cudaErrorInvalidDeviceFunction);
}

} // namespace
} // namespace scopesan::cpu::test

// The exported table, parameters, shared memory and control.
#include "FakeEngine.h"
#include "Library.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace scopesan;
using test::Library;

namespace {

const char ModuleText[] = R"(
target triple = "nvptx64-nvidia-cuda"
%pair = type { i64, i32 }
@tile = internal addrspace(3) global [32 x i32] undef, align 4
@other = internal addrspace(3) global [64 x i8] undef, align 64
@dynamic = external addrspace(3) global [0 x i32], align 16
@counter = addrspace(1) externally_initialized global i32 7, align 4
@_ZN5space5tableE = addrspace(4) externally_initialized global [3 x i32] [i32 1, i32 2, i32 3]
@.str = private addrspace(4) constant [3 x i8] c"no\00"
declare void @llvm.nvvm.exit()
declare void @llvm.trap()
declare i32 @llvm.nvvm.read.ptx.sreg.clock()
declare i32 @missing(i32)
declare void @__scopesan_write(ptr, i32, i32)

define ptx_kernel void @shared(ptr %out) #0 {
  %a = ptrtoint ptr addrspace(3) @tile to i64
  %b = ptrtoint ptr addrspace(3) @dynamic to i64
  store i64 %a, ptr %out
  %second = getelementptr i64, ptr %out, i64 1
  store i64 %b, ptr %second
  %cell = getelementptr [32 x i32], ptr addrspace(3) @tile, i64 0, i64 5
  store i32 9, ptr addrspace(3) %cell
  %flat = addrspacecast ptr addrspace(3) %cell to ptr
  call void @__scopesan_write(ptr %flat, i32 4, i32 0)
  %v = load i32, ptr addrspace(3) getelementptr inbounds ([32 x i32], ptr addrspace(3) @tile, i64 0, i64 5)
  %third = getelementptr i64, ptr %out, i64 2
  store i32 %v, ptr %third
  ret void
}
define ptx_kernel void @both(ptr %out) {
  call void @uses_both(ptr %out)
  ret void
}
define void @uses_both(ptr %out) noinline {
  store ptr addrspacecast (ptr addrspace(3) @tile to ptr), ptr %out
  %second = getelementptr ptr, ptr %out, i64 1
  store ptr addrspacecast (ptr addrspace(3) @other to ptr), ptr %second
  ret void
}
define ptx_kernel void @parameters(i8 %a, ptr byval(%pair) align 8 %p, double %d, i1 zeroext %flag, ptr %out) {
  %first = load i64, ptr %p
  %secondAt = getelementptr %pair, ptr %p, i64 0, i32 1
  %second = load i32, ptr %secondAt
  store i32 99, ptr %secondAt
  %wide = sext i32 %second to i64
  %small = sext i8 %a to i64
  %bit = zext i1 %flag to i64
  %s1 = add i64 %first, %wide
  %s2 = add i64 %s1, %small
  %s3 = add i64 %s2, %bit
  store i64 %s3, ptr %out
  %dAt = getelementptr i64, ptr %out, i64 1
  store double %d, ptr %dAt
  ret void
}
define ptx_kernel void @leaves(ptr %out) {
  store i32 1, ptr %out
  call void @llvm.nvvm.exit()
  store i32 2, ptr %out
  ret void
}
define ptx_kernel void @traps() {
  call void @llvm.trap()
  ret void
}
define ptx_kernel void @calls_missing(ptr %out) {
  %v = call i32 @missing(i32 1)
  store i32 %v, ptr %out
  ret void
}
define ptx_kernel void @waits(ptr %out) {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.clock()
  store i32 %v, ptr %out
  ret void
}
define ptx_kernel void @counts(ptr %out) {
  %old = atomicrmw add ptr addrspace(1) @counter, i32 1 syncscope("device") seq_cst
  store i32 %old, ptr %out
  ret void
}
attributes #0 = { "nvvm.reqntid"="32,4" "nvvm.maxntid"="1024,1,1" "nvvm.cluster_dim"="2" }
)";

const Library &library() {
  static Library L(ModuleText);
  return L;
}

template <typename... Ts> bool run(const char *Kernel, Ts *...Values) {
  void *Args[] = {Values...};
  const cpu::Kernel *K = library().kernel(Kernel);
  EXPECT_TRUE(K);
  return K && test::run(*K, Args);
}

} // namespace

TEST(Module, DescribesKernels) {
  EXPECT_EQ(library().module()->abiVersion, cpu::CpuAbiVersion);
  EXPECT_EQ(library().module()->siteTableCount, 0u);
  const cpu::Kernel &K = *library().kernel("shared");
  EXPECT_EQ(K.reqntid[0], 32u);
  EXPECT_EQ(K.reqntid[1], 4u);
  EXPECT_EQ(K.reqntid[2], 1u);
  EXPECT_EQ(K.maxThreads, 1024u);
  EXPECT_EQ(K.clusterDim[0], 2u);
  EXPECT_EQ(library().kernel("traps")->reqntid[0], 0u);
}

TEST(Module, DescribesParameters) {
  const cpu::Kernel &K = *library().kernel("parameters");
  ASSERT_EQ(K.paramCount, 5u);
  const uint32_t Sizes[] = {1, 16, 8, 1, 8};
  EXPECT_EQ(0, std::memcmp(K.paramSizes, Sizes, sizeof(Sizes)));
}

TEST(Module, DescribesVariables) {
  ASSERT_EQ(library().module()->variableCount, 2u);
  const cpu::Variable &Counter = *library().variable("counter");
  EXPECT_EQ(Counter.size, 4u);
  EXPECT_EQ(Counter.constant, 0u);
  const cpu::Variable &Table = *library().variable("_ZN5space5tableE");
  EXPECT_STREQ(Table.demangled, "space::table");
  EXPECT_EQ(Table.constant, 1u);
  EXPECT_EQ(static_cast<int32_t *>(Table.address)[2], 3);
  static_cast<int32_t *>(Table.address)[2] = 4; // cudaMemcpyToSymbol
}

TEST(Module, LaysOutSharedMemory) {
  const cpu::Kernel &K = *library().kernel("shared");
  uint64_t Out[3] = {}, *P = Out;
  ASSERT_TRUE(run("shared", &P));
  uint64_t Block = reinterpret_cast<uintptr_t>(__scopesan_cpu_current->shared);
  ASSERT_EQ(K.sharedCount, 2u);
  for (uint32_t I = 0; I < 2; ++I) {
    const cpu::SharedVariable &V = K.sharedVariables[I];
    bool Dynamic = std::string(V.name) == "dynamic";
    EXPECT_EQ(V.size, Dynamic ? 0u : 128u);
    EXPECT_EQ(Out[Dynamic], Block + V.offset);
    if (Dynamic) {
      EXPECT_EQ(V.offset, K.staticShared);
    }
  }
  EXPECT_GE(K.staticShared, cpu::ReservedShared + 128);
  EXPECT_EQ(Out[2], 9u);
}

TEST(Module, SharedVariablesOfOneKernelDoNotOverlap) {
  char *Out[2], **P = Out;
  ASSERT_TRUE(run("both", &P));
  EXPECT_TRUE(Out[0] + 128 <= Out[1] || Out[1] + 64 <= Out[0]);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(Out[1]) % 64, 0u);
  EXPECT_EQ(library().kernel("traps")->staticShared, cpu::ReservedShared);
}

TEST(Module, PassesParameters) {
  int8_t A = -3;
  struct {
    int64_t First;
    int32_t Second;
  } Pair = {1000, 20};
  double D = 2.5;
  bool Flag = true;
  int64_t Out[2], *P = Out;
  ASSERT_TRUE(run("parameters", &A, &Pair, &D, &Flag, &P));
  EXPECT_EQ(Out[0], 1018);
  EXPECT_EQ(0, std::memcmp(&Out[1], &D, 8));
  EXPECT_EQ(Pair.Second, 20) << "a kernel's writes to a parameter are its own";
}

TEST(Module, ExitAndTrapEndTheThread) {
  int Out = 0, *P = &Out;
  EXPECT_FALSE(run("leaves", &P));
  EXPECT_EQ(test::StoppedBy, "exit");
  EXPECT_EQ(Out, 1);
  EXPECT_FALSE(run("traps"));
  EXPECT_EQ(test::StoppedBy, "trap");
}

TEST(Module, UndefinedFunctionsStopTheKernelWhenCalled) {
  int Out, *P = &Out;
  EXPECT_FALSE(run("calls_missing", &P));
  EXPECT_EQ(test::StoppedBy, "call of the undefined device function missing");
}

TEST(Module, ClockReadsYieldFirst) {
  int Out, *P = &Out;
  test::Yields = 0;
  ASSERT_TRUE(run("waits", &P));
  EXPECT_EQ(test::Yields, 1u);
}

TEST(Module, VariablesKeepTheirValue) {
  int Out, *P = &Out;
  ASSERT_TRUE(run("counts", &P));
  EXPECT_EQ(Out, 7);
  EXPECT_EQ(*static_cast<int *>(library().variable("counter")->address), 8);
}

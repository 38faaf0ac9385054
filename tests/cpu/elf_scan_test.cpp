#include "cpu/elf_scan.h"

#include <gtest/gtest.h>

using namespace scopesan::cpu;

TEST(ElfScan, FilesWithoutDeviceCode) {
  EXPECT_EQ(scanCudartLinkage("/proc/self/exe"), CudartLinkage::None);
  EXPECT_EQ(scanCudartLinkage("/nonexistent"), CudartLinkage::None);
  EXPECT_EQ(scanCudartLinkage("/etc/passwd"), CudartLinkage::None);
}

TEST(ElfScan, SharedRuntime) { EXPECT_EQ(scanCudartLinkage(SHARED_SAMPLE), CudartLinkage::Shared); }

TEST(ElfScan, StaticRuntime) { EXPECT_EQ(scanCudartLinkage(STATIC_SAMPLE), CudartLinkage::Static); }

TEST(ElfScan, MessageSaysWhatToDo) {
  EXPECT_NE(staticCudartMessage("app").find("'app' has a statically linked CUDA runtime"),
            std::string::npos);
}

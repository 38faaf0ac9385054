// Site tables and symbols in device images.
#include "gpu/device_image.h"

#include <gtest/gtest.h>
#include <string.h>

using namespace scopesan;
using namespace scopesan::gpu;

namespace {

std::string blob(uint32_t version = scopesan::abi::Version, uint32_t flags = 0) {
  scopesan::abi::Site site{0, 1, 4, 1};
  scopesan::abi::Frame frame{1, 0, 12, 3, ~0u};
  char strings[] = "\0a.cu\0_Z1k";
  Kernel kernel{6, uint32_t(KernelMode::Syncless), 0, UsesShared};
  SiteBlob h{};
  std::string magic = std::string(SiteMagicHead) + SiteMagicTail;
  memcpy(h.magic, magic.data(), sizeof h.magic);
  h.version = version;
  h.siteCount = h.frameCount = 1;
  h.kernelCount = 1;
  h.flags = flags;
  h.stringBytes = sizeof strings;
  h.size = sizeof site + sizeof frame + sizeof kernel + sizeof strings;
  h.hash = 0x0123456789abcdef;
  std::string s(reinterpret_cast<char *>(&h), sizeof h);
  s.append(reinterpret_cast<char *>(&site), sizeof site);
  s.append(reinterpret_cast<char *>(&frame), sizeof frame);
  s.append(reinterpret_cast<char *>(&kernel), sizeof kernel);
  return s.append(strings, sizeof strings);
}

} // namespace

TEST(Image, FindsTablesAnywhere) {
  std::string image = "garbage" + blob() + "more" + blob() + "end";
  auto tables = findSiteTables(image.data(), image.size());
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0]->symbol, "__scopesan_gpu_sites_base_0123456789abcdef");
  EXPECT_EQ(tables[0]->module.siteCount, 1u);
  EXPECT_EQ(tables[0]->module.frames[0].line, 12u);
  EXPECT_STREQ(tables[0]->module.strings + tables[0]->module.frames[0].file, "a.cu");
  const Kernel *k = tables[1]->kernel("_Z1k");
  ASSERT_NE(k, nullptr);
  EXPECT_EQ(k->mode, uint32_t(KernelMode::Syncless));
  EXPECT_EQ(k->flags, UsesShared);
  EXPECT_EQ(tables[1]->kernel("_Z1"), nullptr);
}

TEST(Image, TellsWhetherHostCodeIsInstrumented) {
  std::string image = blob() + blob(scopesan::abi::Version, HostCode);
  auto tables = findSiteTables(image.data(), image.size());
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_FALSE(tables[0]->hostCode);
  EXPECT_TRUE(tables[1]->hostCode);
}

TEST(Image, IgnoresOtherVersionsAndCutTables) {
  std::string other = blob(scopesan::abi::Version + 1),
              cut = blob().substr(0, sizeof(SiteBlob) + 3);
  EXPECT_TRUE(findSiteTables(other.data(), other.size()).empty());
  EXPECT_TRUE(findSiteTables(cut.data(), cut.size()).empty());
}

TEST(Image, Names) {
  EXPECT_EQ(demangled("x"), "x");
  EXPECT_EQ(demangled("_Z1fPi"), "f(int*)");
}

TEST(Image, NoElfNoVariables) {
  EXPECT_TRUE(findVariables("text", 4).empty());
  EXPECT_TRUE(findVariables(nullptr, 0).empty());
}

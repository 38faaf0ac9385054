// Which snapshots of a fat binary are used (runtime/cpu/shim/fatbin.cpp).
#include "cpu/shim/modules.h"

#include <gtest/gtest.h>
#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

template <typename T> void put(std::string &To, size_t At, T Value) {
  To.resize(std::max(To.size(), At + sizeof Value));
  memcpy(To.data() + At, &Value, sizeof Value);
}

std::string snapshot(const std::string &Code, uint32_t Version = scopesan::abi::Version) {
  scopesan::abi::SnapshotHeader Header{};
  std::string Magic =
      std::string(scopesan::abi::SnapshotMagicHead) + scopesan::abi::SnapshotMagicTail;
  memcpy(Header.magic, Magic.data(), sizeof Header.magic);
  Header.version = Version;
  Header.size = Code.size();
  Header.hash = std::hash<std::string>()(Code);
  return std::string(reinterpret_cast<char *>(&Header), sizeof Header) + Code;
}

std::string image(uint32_t Architecture, const std::string &Content) {
  std::string Entry;
  put(Entry, 0, uint16_t(2));
  put(Entry, 4, uint32_t(64));
  put(Entry, 8, uint64_t(Content.size()));
  put(Entry, 28, Architecture);
  Entry.resize(64);
  return Entry + Content;
}

std::string fatbin(const std::string &Images) {
  std::string Container;
  put(Container, 0, uint32_t(0xBA55ED50));
  put(Container, 6, uint16_t(16));
  put(Container, 8, uint64_t(Images.size()));
  return Container + Images;
}

/// The code of the snapshots that a device of sm_90 runs, joined.
std::string chosen(const std::string &Bytes) {
  std::string Result;
  for (const Snapshot &S : findSnapshots(Bytes.data(), Bytes.size(), 90))
    Result += std::string(S.Bitcode, S.Bytes);
  return Result;
}

TEST(Fatbin, TheDevicesArchitecture) {
  std::string Old = image(75, snapshot("75")), Mid = image(80, snapshot("80")),
              Own = image(90, snapshot("90")), New = image(100, snapshot("100")),
              Newer = image(120, snapshot("120"));
  EXPECT_EQ(chosen(fatbin(Old + Mid + Own + New)), "90");
  EXPECT_EQ(chosen(fatbin(New + Mid + Old)), "80");
  EXPECT_EQ(chosen(fatbin(Newer + New)), "100");
  EXPECT_EQ(chosen(fatbin(image(90, "no snapshot") + Old)), "75");
  EXPECT_EQ(chosen(fatbin("")), "");
}

TEST(Fatbin, UnitsOfAnImage) {
  std::string Units = "cubin" + snapshot("first") + "more" + snapshot("second") + snapshot("first");
  EXPECT_EQ(chosen(fatbin(image(90, Units))), "firstsecond");
  EXPECT_EQ(chosen(fatbin(image(90, snapshot("other", scopesan::abi::Version + 1)))), "");
}

TEST(Fatbin, SomethingElseIsScanned) {
  EXPECT_EQ(chosen("any bytes" + snapshot("code")), "code");
  std::string Cut = fatbin(image(90, snapshot("code")));
  put(Cut, 16 + 8, uint64_t(1) << 40);
  EXPECT_EQ(chosen(Cut), "code");
  EXPECT_EQ(chosen(snapshot("code").substr(0, 42)), "");
}

} // namespace

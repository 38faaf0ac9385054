// Finds the bitcode snapshots inside a fat binary.
#include "cpu/shim/modules.h"
#include "host/collector.h"

#include <algorithm>
#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

/// The code for one architecture.
struct Image {
  uint32_t Architecture;
  std::vector<Snapshot> Snapshots;
};

std::vector<Snapshot> snapshotsIn(const char *P, const char *End) {
  // The magic is assembled here so that this library does not contain it.
  std::string Magic = std::string(abi::SnapshotMagicHead) + abi::SnapshotMagicTail;
  Magic.resize(sizeof abi::SnapshotHeader::magic);
  std::vector<Snapshot> Result;
  while (const char *Hit =
             static_cast<const char *>(memmem(P, size_t(End - P), Magic.data(), Magic.size()))) {
    P = Hit + Magic.size();
    abi::SnapshotHeader Header;
    if (size_t(End - Hit) < sizeof Header)
      break;
    memcpy(&Header, Hit, sizeof Header);
    if (Header.version != abi::Version) {
      host::incomplete(host::OtherVersion);
      continue;
    }
    if (Header.size > size_t(End - Hit) - sizeof Header)
      continue;
    bool Known = false;
    for (const Snapshot &S : Result)
      Known |= S.Hash == Header.hash;
    if (!Known)
      Result.push_back({Hit + sizeof Header, Header.size, Header.hash});
    P = Hit + sizeof Header + Header.size;
  }
  return Result;
}

template <typename T> T field(const char *P, size_t Offset) {
  T Value;
  memcpy(&Value, P + Offset, sizeof Value);
  return Value;
}

/// NVIDIA's format: a container (header size u16 at 6) of entries (header size u32 at 4, content
/// size u64 at 8, architecture u32 at 28). Empty when the bytes are something else.
std::vector<Image> imagesIn(const char *Fatbin, size_t Bytes) {
  constexpr size_t ContainerHeader = 16, SmallestEntry = 64;
  std::vector<Image> Images;
  if (Bytes < ContainerHeader)
    return Images;
  const char *End = Fatbin + Bytes, *Entry = Fatbin + field<uint16_t>(Fatbin, 6);
  while (Entry < End) {
    size_t Left = size_t(End - Entry);
    if (Left < SmallestEntry)
      return {};
    size_t Header = field<uint32_t>(Entry, 4);
    uint64_t Content = field<uint64_t>(Entry, 8);
    if (Header < SmallestEntry || Header > Left || Content > Left - Header)
      return {};
    std::vector<Snapshot> Found = snapshotsIn(Entry + Header, Entry + Header + Content);
    if (!Found.empty())
      Images.push_back({field<uint32_t>(Entry, 28), std::move(Found)});
    Entry += Header + Content;
  }
  return Images;
}

} // namespace

std::vector<Snapshot> scopesan::cpu::findSnapshots(const void *Fatbin, size_t Bytes,
                                                   uint32_t Architecture) {
  const char *P = static_cast<const char *>(Fatbin);
  std::vector<Image> Images = imagesIn(P, Bytes);
  if (Images.empty())
    return snapshotsIn(P, P + Bytes);
  // Of those that fit the newest first, then the others, the oldest first.
  auto rank = [&](const Image &I) {
    return I.Architecture <= Architecture ? Architecture - I.Architecture : I.Architecture;
  };
  return std::min_element(Images.begin(), Images.end(),
                          [&](const Image &A, const Image &B) { return rank(A) < rank(B); })
      ->Snapshots;
}

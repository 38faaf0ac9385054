// Finds the bitcode snapshots inside a fat binary.
#include "cpu/shim/modules.h"

#include <string.h>

using namespace scopesan;
using namespace scopesan::cpu;

std::vector<Snapshot> scopesan::cpu::findSnapshots(const void *Fatbin, size_t Bytes) {
  // The magic is assembled here so that this library does not contain it.
  std::string Magic = std::string(abi::SnapshotMagicHead) + abi::SnapshotMagicTail;
  Magic.resize(sizeof abi::SnapshotHeader::magic);
  std::vector<Snapshot> Result;
  const char *P = static_cast<const char *>(Fatbin), *End = P + Bytes;
  while (const char *Hit =
             static_cast<const char *>(memmem(P, size_t(End - P), Magic.data(), Magic.size()))) {
    P = Hit + Magic.size();
    abi::SnapshotHeader Header;
    if (size_t(End - Hit) < sizeof Header)
      break;
    memcpy(&Header, Hit, sizeof Header);
    if (Header.version != abi::Version || Header.size > size_t(End - Hit) - sizeof Header)
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

#include "Snapshots.h"

#include "scopesan/abi.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"

#include <cstring>

using namespace llvm;
using namespace scopesan;
using codegen::Snapshots;

static bool isIrText(StringRef Bytes) {
  return !Bytes.contains('\0') && (Bytes.contains("target triple") || Bytes.contains("define "));
}

using Hashes = DenseSet<uint64_t>;

/// Adds the snapshots in `Bytes` whose hash was not seen yet.
static Error collect(StringRef Bytes, Snapshots &Found, Hashes &Seen) {
  std::string Magic = std::string(abi::SnapshotMagicHead) + abi::SnapshotMagicTail;
  for (size_t At = Bytes.find(Magic); At != StringRef::npos; At = Bytes.find(Magic, At + 1)) {
    abi::SnapshotHeader Header;
    if (Bytes.size() - At < sizeof(Header))
      break;
    std::memcpy(&Header, Bytes.data() + At, sizeof(Header));
    if (Header.version != abi::Version)
      return createStringError("'" + Found.File->getBufferIdentifier() +
                               "' was instrumented by another version of ScopeSan (snapshot "
                               "version " +
                               Twine(Header.version) + ", expected " + Twine(abi::Version) +
                               "): rebuild it with this version");
    size_t Begin = At + sizeof(Header);
    if (Header.size > Bytes.size() - Begin)
      return createStringError("'" + Found.File->getBufferIdentifier() +
                               "' holds a truncated snapshot: rebuild it");
    if (Seen.insert(Header.hash).second)
      Found.Modules.push_back(
          MemoryBufferRef(Bytes.substr(Begin, Header.size), Found.File->getBufferIdentifier()));
  }
  return Error::success();
}

/// Fat binaries compress their entries when clang is given -O0 -g. The format is NVIDIA's: a
/// container (magic, header size at 6, size at 8) of entries (fields below). Only zstd is read.
static Error collectCompressed(Snapshots &Found, Hashes &Seen) {
  StringRef Bytes = Found.File->getBuffer();
  constexpr uint64_t EntryHeader = 64, ZstdFlag = 0x8000;
  const StringRef Magic("\x50\xed\x55\xba", 4);
  for (size_t At = Bytes.find(Magic); At != StringRef::npos; At = Bytes.find(Magic, At + 1)) {
    if (Bytes.size() - At < 16)
      break;
    size_t Entry = At + support::endian::read16le(Bytes.data() + At + 6);
    size_t End = Entry + support::endian::read64le(Bytes.data() + At + 8);
    while (End <= Bytes.size() && Entry + EntryHeader <= End) {
      const char *Header = Bytes.data() + Entry;
      uint64_t HeaderSize = support::endian::read32le(Header + 4);
      uint64_t Size = support::endian::read64le(Header + 8);
      uint64_t Compressed = support::endian::read32le(Header + 16);
      uint64_t Flags = support::endian::read64le(Header + 40);
      uint64_t Uncompressed = support::endian::read64le(Header + 56);
      if (HeaderSize < EntryHeader || Size > End - Entry || HeaderSize > End - Entry - Size)
        break;
      if (Compressed && Compressed <= Size && Flags & ZstdFlag &&
          compression::zstd::isAvailable()) {
        auto Image = std::make_unique<SmallVector<uint8_t, 0>>();
        ArrayRef Packed(reinterpret_cast<const uint8_t *>(Header + HeaderSize), Compressed);
        if (Error Err = compression::zstd::decompress(Packed, *Image, Uncompressed))
          return Err;
        Found.Decompressed.push_back(std::move(Image));
        if (Error Err = collect(toStringRef(*Found.Decompressed.back()), Found, Seen))
          return Err;
      }
      Entry += HeaderSize + Size;
    }
  }
  return Error::success();
}

Expected<Snapshots> codegen::readSnapshots(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFileOrSTDIN(Path);
  if (!File)
    return createStringError("cannot read '" + Path + "': " + File.getError().message());
  Snapshots Found;
  Found.File = std::move(*File);
  StringRef Bytes = Found.File->getBuffer();
  if (identify_magic(Bytes) == file_magic::bitcode || isIrText(Bytes)) {
    Found.Modules.push_back(Found.File->getMemBufferRef());
    return Found;
  }
  Hashes Seen;
  if (Error Err = collect(Bytes, Found, Seen))
    return Err;
  if (Error Err = collectCompressed(Found, Seen))
    return Err;
  if (Found.Modules.empty())
    return createStringError("'" + Path +
                             "' holds no ScopeSan snapshot and is no bitcode: was it compiled "
                             "with the ScopeSan plugin?");
  return Found;
}

#include "Snapshots.h"

#include "scopesan/abi.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/BinaryFormat/Magic.h"

#include <cstring>

using namespace llvm;
using namespace scopesan;
using codegen::Snapshots;

static bool isIrText(StringRef Bytes) {
  return !Bytes.contains('\0') && (Bytes.contains("target triple") || Bytes.contains("define "));
}

static Error collectEmbedded(Snapshots &Found) {
  StringRef Bytes = Found.File->getBuffer();
  std::string Magic = std::string(abi::SnapshotMagicHead) + abi::SnapshotMagicTail;
  DenseSet<uint64_t> Seen;
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
  if (Error Err = collectEmbedded(Found))
    return Err;
  if (Found.Modules.empty())
    return createStringError("'" + Path +
                             "' holds no ScopeSan snapshot and is no bitcode: was it compiled "
                             "with the ScopeSan plugin?");
  return Found;
}

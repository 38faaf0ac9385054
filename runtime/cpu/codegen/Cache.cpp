#include "Cache.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <tuple>

using namespace llvm;
using namespace scopesan;

std::string codegen::cacheKey(ArrayRef<StringRef> Parts) {
  BLAKE3 Hash;
  for (StringRef Part : Parts) {
    uint64_t Size = Part.size();
    Hash.update(ArrayRef(reinterpret_cast<const uint8_t *>(&Size), sizeof(Size)));
    Hash.update(Part);
  }
  return toHex(Hash.final<16>(), /*LowerCase=*/true);
}

/// Notes that the entry is in use: its modification time is the time of last use. A failure (a
/// directory that only others may write) costs nothing but a worse choice in trim().
static void touch(StringRef Entry) {
  int File;
  if (sys::fs::openFileForRead(Entry, File))
    return;
  (void)sys::fs::setLastAccessAndModificationTime(File, std::chrono::system_clock::now());
  sys::Process::SafelyCloseFileDescriptor(File);
}

/// Ends every entry, behind what the loader reads: the hash of all before it.
static constexpr StringLiteral SealMark("\x7fScopeSanSEAL");

static std::string sealOf(StringRef Content) {
  BLAKE3 Hash;
  Hash.update(Content);
  BLAKE3Result<16> Result = Hash.final<16>();
  return (SealMark + toStringRef(ArrayRef<uint8_t>(Result))).str();
}

static std::error_code seal(StringRef Path) {
  auto Content = MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Content)
    return Content.getError();
  std::error_code EC;
  raw_fd_ostream File(Path, EC, sys::fs::CD_OpenExisting, sys::fs::FA_Write, sys::fs::OF_Append);
  if (EC)
    return EC;
  File << sealOf((*Content)->getBuffer());
  File.close();
  EC = File.error();
  File.clear_error();
  return EC;
}

/// Whether the entry is what was built. Damaged code would run all the same, with any verdict.
static bool isWhole(StringRef Entry) {
  if (!sys::fs::is_regular_file(Entry))
    return false;
  auto File = MemoryBuffer::getFile(Entry, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!File)
    return false;
  StringRef Content = (*File)->getBuffer();
  size_t SealBytes = SealMark.size() + 16;
  return Content.size() > SealBytes &&
         Content.take_back(SealBytes) == sealOf(Content.drop_back(SealBytes));
}

static Error cannot(const Twine &What, StringRef Path, std::error_code EC) {
  return createStringError("cannot " + What + " '" + Path + "': " + EC.message() +
                           ": choose another --cache-dir");
}

Expected<std::string> codegen::findOrBuild(StringRef Directory, StringRef Key,
                                           function_ref<Error(StringRef)> Build) {
  SmallString<128> Base(Directory);
  sys::path::append(Base, Key);
  std::string Entry = (Base + ".so").str();
  if (isWhole(Entry)) {
    touch(Entry);
    return Entry;
  }
  if (std::error_code EC = sys::fs::create_directories(Directory))
    return cannot("create", Directory, EC);

  // The lock dies with its process. Its file may be removed by the holder: whoever waited on the
  // old one finds the entry present.
  std::string LockPath = (Base + ".lock").str();
  int Lock;
  if (std::error_code EC =
          sys::fs::openFileForReadWrite(LockPath, Lock, sys::fs::CD_OpenAlways, sys::fs::OF_None))
    return cannot("create", LockPath, EC);
  scope_exit CloseLock([&] { sys::Process::SafelyCloseFileDescriptor(Lock); });
  if (std::error_code EC = sys::fs::lockFile(Lock))
    return cannot("lock", LockPath, EC);
  sys::RemoveFileOnSignal(LockPath);
  scope_exit RemoveLock([&] {
    sys::fs::remove(LockPath);
    sys::DontRemoveFileOnSignal(LockPath);
    sys::fs::unlockFile(Lock);
  });
  if (isWhole(Entry))
    return Entry;
  if (sys::fs::is_directory(Entry)) // nothing else is in the way of rename()
    sys::fs::remove(Entry);

  SmallString<128> Temporary;
  sys::fs::createUniquePath(Base + ".%%%%%%%%.tmp", Temporary, /*MakeAbsolute=*/false);
  // A fatal error inside of LLVM ends the process: that leaves nothing behind either.
  sys::RemoveFileOnSignal(Temporary);
  scope_exit Forget([&] { sys::DontRemoveFileOnSignal(Temporary); });
  if (Error Err = Build(Temporary)) {
    sys::fs::remove(Temporary);
    return Err;
  }
  std::error_code EC = seal(Temporary);
  if (!EC)
    EC = sys::fs::rename(Temporary, Entry);
  if (EC) {
    sys::fs::remove(Temporary);
    return cannot("write", Entry, EC);
  }
  return Entry;
}

namespace {
struct OldFile {
  sys::TimePoint<> Used;
  uint64_t Bytes;
  std::string Path;
};
} // namespace

/// The files of `Directory` that this cache makes: entries, and what builds leave when they die.
static void listFiles(StringRef Directory, SmallVectorImpl<OldFile> &Entries,
                      SmallVectorImpl<OldFile> &Remains) {
  std::error_code EC;
  for (sys::fs::directory_iterator I(Directory, EC), End; I != End && !EC; I.increment(EC)) {
    StringRef Name = sys::path::filename(I->path()),
              Key = Name.take_until([](char C) { return C == '.'; });
    ErrorOr<sys::fs::basic_file_status> Status = I->status();
    if (!Status || Key.size() != 32 || !all_of(Key, isHexDigit))
      continue; // not ours
    OldFile File{Status->getLastModificationTime(), Status->getSize(), I->path()};
    (Name.drop_front(Key.size()) == ".so" ? Entries : Remains).push_back(std::move(File));
  }
}

void codegen::trim(StringRef Directory, uint64_t Bytes, StringRef Keep) {
  SmallVector<OldFile, 0> Entries, Remains;
  listFiles(Directory, Entries, Remains);
  for (const OldFile &File : Remains)
    if (std::chrono::system_clock::now() - File.Used > std::chrono::hours(24))
      sys::fs::remove(File.Path);
  uint64_t Total = 0;
  for (const OldFile &File : Entries)
    Total += File.Bytes;
  sort(Entries, [](const OldFile &A, const OldFile &B) {
    return std::tie(A.Used, A.Path) < std::tie(B.Used, B.Path);
  });
  for (const OldFile &File : Entries) {
    if (Total <= Bytes)
      break;
    if (File.Path == Keep)
      continue;
    sys::fs::remove(File.Path);
    Total -= File.Bytes;
  }
}

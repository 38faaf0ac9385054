#include "Cache.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

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

static Error cannot(const Twine &What, StringRef Path, std::error_code EC) {
  return createStringError("cannot " + What + " '" + Path + "': " + EC.message() +
                           ": choose another --cache-dir");
}

Expected<std::string> codegen::findOrBuild(StringRef Directory, StringRef Key,
                                           function_ref<Error(StringRef)> Build) {
  SmallString<128> Base(Directory);
  sys::path::append(Base, Key);
  std::string Entry = (Base + ".so").str();
  if (sys::fs::exists(Entry))
    return Entry;
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
  if (sys::fs::exists(Entry))
    return Entry;

  SmallString<128> Temporary;
  sys::fs::createUniquePath(Base + ".%%%%%%%%.tmp", Temporary, /*MakeAbsolute=*/false);
  // A fatal error inside of LLVM ends the process: that leaves nothing behind either.
  sys::RemoveFileOnSignal(Temporary);
  scope_exit Forget([&] { sys::DontRemoveFileOnSignal(Temporary); });
  if (Error Err = Build(Temporary)) {
    sys::fs::remove(Temporary);
    return Err;
  }
  if (std::error_code EC = sys::fs::rename(Temporary, Entry)) {
    sys::fs::remove(Temporary);
    return cannot("write", Entry, EC);
  }
  return Entry;
}

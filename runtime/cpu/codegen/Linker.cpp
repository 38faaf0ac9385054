#include "Linker.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>
#include <link.h>

using namespace llvm;

/// The linker found when ScopeSan was built, else one in PATH.
static Expected<std::string> findLinker() {
  if (sys::fs::can_execute(SCOPESAN_LLD))
    return SCOPESAN_LLD;
  for (const char *Name : {"ld.lld-22", "ld.lld", "ld"})
    if (ErrorOr<std::string> Path = sys::findProgramByName(Name))
      return *Path;
  return createStringError("no linker found: neither '" SCOPESAN_LLD
                           "' nor ld.lld or ld in PATH; install lld");
}

/// The mathematics library as the dynamic loader finds it; empty when there is none.
static std::string mathLibrary() {
  void *Handle = dlopen("libm.so.6", RTLD_LAZY);
  link_map *Map = nullptr;
  if (!Handle || dlinfo(Handle, RTLD_DI_LINKMAP, &Map) || !Map)
    return "";
  return Map->l_name;
}

static Error writeFile(StringRef Path, ArrayRef<char> Bytes) {
  std::error_code EC;
  raw_fd_ostream Stream(Path, EC, sys::fs::OF_None);
  if (!EC) {
    Stream.write(Bytes.data(), Bytes.size());
    Stream.close();
    EC = Stream.error();
    Stream.clear_error();
  }
  if (EC)
    return createStringError("cannot write '" + Path + "': " + EC.message());
  return Error::success();
}

Error scopesan::codegen::linkLibrary(ArrayRef<char> Object, StringRef Output) {
  Expected<std::string> Linker = findLinker();
  if (!Linker)
    return Linker.takeError();
  std::string Input = (Output + ".o").str(), Log = (Output + ".log").str(), Math = mathLibrary();
  scope_exit Cleanup([&] {
    sys::fs::remove(Input);
    sys::fs::remove(Log);
  });
  if (Error Err = writeFile(Input, Object))
    return Err;
  SmallVector<StringRef> Arguments = {*Linker, "-shared", "-Bsymbolic", "--gc-sections",
                                      "-z",    "now",     "-z",         "noexecstack",
                                      "-o",    Output,    Input};
  if (!Math.empty())
    Arguments.append({"--as-needed", Math});
  std::optional<StringRef> Redirects[] = {StringRef(""), StringRef(Log), StringRef(Log)};
  std::string Message;
  int Status = sys::ExecuteAndWait(*Linker, Arguments, std::nullopt, Redirects, 0, 0, &Message);
  if (Status == 0)
    return Error::success();
  if (auto Text = MemoryBuffer::getFile(Log); Text && Message.empty())
    Message = (*Text)->getBuffer().trim().str();
  return createStringError("'" + *Linker + "' failed: " + Message);
}

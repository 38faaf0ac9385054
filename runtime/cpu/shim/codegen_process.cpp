// Runs the code-generation helper: LLVM never enters the program's process.
#include "cpu/shim/context.h"
#include "cpu/shim/modules.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

std::string environmentOr(const char *Name, const std::string &Default) {
  const char *Value = getenv(Name);
  return Value && *Value ? Value : Default;
}

std::string cacheFolder() {
  std::string Folder = host::options().cache_dir;
  if (!Folder.empty())
    return Folder;
  std::string Base = environmentOr("XDG_CACHE_HOME", "");
  if (Base.empty()) {
    std::string Home = environmentOr("HOME", "");
    Base = Home.empty() ? "/tmp/scopesan-" + std::to_string(getuid()) : Home + "/.cache";
  }
  return Base + "/scopesan";
}

/// Code from the cache is executed: folders that are made here are this user's alone.
void makeFolders(const std::string &Path) {
  for (size_t I = 1; I <= Path.size(); ++I)
    if (I == Path.size() || Path[I] == '/')
      mkdir(Path.substr(0, I).c_str(), 0700);
}

/// Whether only this user (or root) can write the folder.
bool isTrusted(const std::string &Path) {
  struct stat Status;
  return !stat(Path.c_str(), &Status) && S_ISDIR(Status.st_mode) &&
         (Status.st_uid == getuid() || Status.st_uid == 0) && !(Status.st_mode & S_IWOTH);
}

std::string helperPath() {
  std::string Path = environmentOr("SCOPESAN_CODEGEN", "");
  if (!Path.empty())
    return Path;
  Dl_info Info;
  if (!dladdr(reinterpret_cast<void *>(&helperPath), &Info))
    return {};
  std::string Library = Info.dli_fname;
  size_t Slash = Library.rfind('/');
  return (Slash == std::string::npos ? std::string(".") : Library.substr(0, Slash)) +
         "/../bin/scopesan-cpu-codegen";
}

/// The environment without our preload: the helper is not a CUDA program.
std::vector<char *> cleanEnvironment() {
  std::vector<char *> Result;
  for (char **E = environ; *E; ++E)
    if (strncmp(*E, "LD_PRELOAD=", 11))
      Result.push_back(*E);
  Result.push_back(nullptr);
  return Result;
}

bool writeAll(int Fd, const char *Data, size_t Bytes) {
  while (Bytes) {
    ssize_t N = write(Fd, Data, Bytes);
    if (N <= 0)
      return false;
    Data += N;
    Bytes -= size_t(N);
  }
  return true;
}

std::string readAll(int Fd) {
  std::string Text;
  char Buffer[4096];
  for (ssize_t N; (N = read(Fd, Buffer, sizeof Buffer)) != 0;) {
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0)
      break;
    Text.append(Buffer, size_t(N));
  }
  return Text;
}

/// Runs the helper and returns its standard output.
std::string runHelper(const std::string &Helper, const std::string &Input, std::string &Error) {
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC)) {
    Error = "cannot create a pipe";
    return {};
  }
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_adddup2(&Actions, Pipe[1], STDOUT_FILENO);
  std::string Cache = "--cache-dir=" + cacheFolder();
  std::string Limit = "--cache-mb=" + std::to_string(host::options().cache_mb);
  const char *Arguments[] = {Helper.c_str(), Cache.c_str(), Limit.c_str(),
                             "--link",       Input.c_str(), nullptr};
  std::vector<char *> Environment = cleanEnvironment();
  pid_t Child;
  int Status = posix_spawn(&Child, Helper.c_str(), &Actions, nullptr,
                           const_cast<char **>(Arguments), Environment.data());
  posix_spawn_file_actions_destroy(&Actions);
  close(Pipe[1]);
  if (Status) {
    close(Pipe[0]);
    Error = "cannot start '" + Helper + "': " + strerror(Status) +
            "; set SCOPESAN_CODEGEN to the code-generation helper";
    return {};
  }
  std::string Text = readAll(Pipe[0]);
  close(Pipe[0]);
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  if (!WIFEXITED(Status) || WEXITSTATUS(Status)) {
    Error = "code generation failed ('" + Helper + "' " +
            (WIFEXITED(Status) ? "exited with " + std::to_string(WEXITSTATUS(Status))
                               : "was ended by signal " + std::to_string(WTERMSIG(Status))) +
            ")";
    return {};
  }
  return Text;
}

} // namespace

/// Writes the units one after the other, each with the header that the pass gave it.
static bool writeUnits(int Fd, const std::vector<Snapshot> &Units) {
  for (const Snapshot &S : Units)
    if (!writeAll(Fd, S.Bitcode - sizeof(abi::SnapshotHeader),
                  S.Bytes + sizeof(abi::SnapshotHeader)))
      return false;
  return true;
}

std::string scopesan::cpu::generateCode(const std::vector<Snapshot> &Units, std::string &Error) {
  std::string Folder = cacheFolder();
  makeFolders(Folder);
  if (!isTrusted(Folder)) {
    Error = "the folder of compiled kernels '" + Folder +
            "' does not exist and cannot be made, or others may write to it; name another one with "
            "the option cache_dir";
    return {};
  }
  std::string Input = environmentOr("TMPDIR", "/tmp") + "/scopesan-XXXXXX.snapshots";
  int Fd = mkostemps(Input.data(), 10, O_CLOEXEC);
  if (Fd < 0 || !writeUnits(Fd, Units)) {
    Error = "cannot write '" + Input + "': " + strerror(errno);
    if (Fd >= 0)
      close(Fd);
    return {};
  }
  close(Fd);
  std::string Text = runHelper(helperPath(), Input, Error);
  if (Error.empty() || !getenv("SCOPESAN_KEEP_TEMPORARIES"))
    unlink(Input.c_str());
  while (!Text.empty() && (Text.back() == '\n' || Text.back() == '\r'))
    Text.pop_back();
  size_t Newline = Text.rfind('\n');
  if (Newline != std::string::npos)
    Text = Text.substr(Newline + 1);
  if (Text.empty() && Error.empty())
    Error = "code generation printed no path";
  return Text;
}

#include "Launch.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace scopesan::tool {
namespace {

using Clock = std::chrono::steady_clock;

/// Between SIGTERM and SIGKILL: enough for the journal's last lines.
constexpr auto Grace = std::chrono::seconds(5);
constexpr int Forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

llvm::Error error(const std::string &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
}

bool isExecutableFile(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

/// Blocks the signals that waitFor() reads; the child undoes it.
class SignalBlock {
public:
  SignalBlock() {
    signal(SIGCHLD, SIG_DFL); // ignored by our parent, it would swallow the child's status
    sigemptyset(&waited);
    sigaddset(&waited, SIGCHLD);
    for (int number : Forwarded)
      sigaddset(&waited, number);
    sigprocmask(SIG_BLOCK, &waited, &before);
  }
  ~SignalBlock() { restore(); }
  void restore() const { sigprocmask(SIG_SETMASK, &before, nullptr); }
  const sigset_t &signals() const { return waited; }

private:
  sigset_t waited, before;
};

/// Lets the child's group own the terminal while it runs, so that it can read and Ctrl-C reaches
/// it.
class Terminal {
public:
  Terminal() : owns(isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp()) {}
  void giveTo(pid_t group) const {
    if (owns)
      tcsetpgrp(STDIN_FILENO, group);
  }
  ~Terminal() {
    if (!owns)
      return;
    signal(SIGTTOU, SIG_IGN); // we are in the background now
    tcsetpgrp(STDIN_FILENO, getpgrp());
    signal(SIGTTOU, SIG_DFL);
  }

private:
  bool owns;
};

[[noreturn]] void becomeProgram(const std::string &path, const Words &words, int errorPipe,
                                const SignalBlock &block, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL); // a killed `scopesan run` leaves nothing behind
  if (getppid() != parent)
    _exit(127);
  block.restore();
  std::vector<char *> vector;
  for (const std::string &word : words)
    vector.push_back(const_cast<char *>(word.c_str()));
  vector.push_back(nullptr);
  execv(path.c_str(), vector.data());
  int code = errno;
  ssize_t ignored = write(errorPipe, &code, sizeof code);
  (void)ignored;
  _exit(127);
}

/// Waits for `child`, passing signals on and keeping the time limit.
report::ProgramEnd waitFor(pid_t child, uint64_t timeoutSeconds, const sigset_t &signals) {
  report::ProgramEnd end;
  bool hasLimit = timeoutSeconds != 0, terminated = false;
  Clock::time_point deadline = Clock::now() + std::chrono::seconds(timeoutSeconds);
  for (int status = 0;;) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) {
      if (WIFSIGNALED(status))
        end.signal = WTERMSIG(status);
      else
        end.code = WEXITSTATUS(status);
      return end;
    }
    timespec wait{3600, 0};
    if (hasLimit) {
      auto left = std::max(Clock::duration(0), deadline - Clock::now());
      auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
      wait.tv_sec = whole.count();
      wait.tv_nsec = std::chrono::nanoseconds(left - whole).count();
    }
    int number = sigtimedwait(&signals, nullptr, &wait);
    if (number > 0 && number != SIGCHLD)
      kill(-child, number);
    if (hasLimit && Clock::now() >= deadline) {
      end.timedOut = true;
      kill(-child, terminated ? SIGKILL : SIGTERM);
      terminated = true;
      deadline = Clock::now() + Grace;
    }
  }
}

} // namespace

llvm::Expected<std::string> findProgram(const std::string &program) {
  if (program.find('/') != std::string::npos) {
    if (isExecutableFile(program))
      return program;
    return error("program '" + program + "': " +
                 (access(program.c_str(), F_OK) ? "no such file; build it first or correct the path"
                                                : "not an executable file"));
  }
  const char *path = getenv("PATH");
  llvm::StringRef folders = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!folders.empty()) {
    auto [folder, rest] = folders.split(':');
    folders = rest;
    std::string candidate = (folder.empty() ? "." : folder.str()) + "/" + program;
    if (isExecutableFile(candidate))
      return candidate;
  }
  return error("program '" + program +
               "' is in no folder of PATH; for a file in this folder write "
               "./" +
               program);
}

llvm::Expected<report::ProgramEnd> launchAndWait(const std::string &path, const Words &words,
                                                 uint64_t timeoutSeconds) {
  int errorPipe[2];
  if (pipe2(errorPipe, O_CLOEXEC) != 0)
    return error(std::string("cannot create a pipe: ") + strerror(errno));
  SignalBlock block;
  Terminal terminal;
  pid_t self = getpid(), child = fork();
  if (child == 0)
    becomeProgram(path, words, errorPipe[1], block, self);
  close(errorPipe[1]);
  if (child < 0) {
    close(errorPipe[0]);
    return error(std::string("cannot create a process: ") + strerror(errno));
  }
  setpgid(child, child); // both sides do it: whoever comes first
  terminal.giveTo(child);
  int code = 0;
  ssize_t got;
  do
    got = read(errorPipe[0], &code, sizeof code);
  while (got < 0 && errno == EINTR);
  close(errorPipe[0]);
  if (got == sizeof code) {
    waitpid(child, nullptr, 0);
    return error("cannot run '" + path + "': " + strerror(code));
  }
  return waitFor(child, timeoutSeconds, block.signals());
}

} // namespace scopesan::tool

#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace scopesan::host {
namespace {

/// Away from the small numbers: programs close or dup2 over those.
constexpr int LowestDescriptor = 200;

int moveUp(int fd) {
  int high = fcntl(fd, F_DUPFD_CLOEXEC, LowestDescriptor);
  if (high < 0)
    return fd;
  close(fd);
  return high;
}

} // namespace

void Journal::setFolder(const std::string &folder) {
  directory = folder;
  if (!folder.empty() && folder[0] != '/') {
    char here[4096];
    if (getcwd(here, sizeof here))
      directory = std::string(here) + '/' + folder;
  }
}

std::string Journal::open() {
  // A process that called exec has the same id again: number the files.
  for (int n = 1; n < 1000; ++n) {
    path = directory + '/' + std::to_string(getpid()) + (n > 1 ? "-" + std::to_string(n) : "") +
           ".jsonl";
    fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
    if (fd >= 0 || errno != EEXIST)
      break;
  }
  if (fd < 0)
    return "cannot create the journal '" + path + "': " + strerror(errno) +
           "; make the folder writable or set SCOPESAN_JOURNAL to another one";
  fd = moveUp(fd);
  struct stat info;
  fstat(fd, &info);
  device = info.st_dev;
  inode = info.st_ino;
  return {};
}

/// The program may have closed every descriptor and reused the number for a file of its own.
bool Journal::descriptorIsOurs() const {
  struct stat info;
  return fstat(fd, &info) == 0 && info.st_dev == device && info.st_ino == inode;
}

bool Journal::write(const std::string &json) {
  if (fd < 0)
    return false;
  if (!descriptorIsOurs()) {
    fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0)
      return false;
    fd = moveUp(fd);
  }
  std::string line = json + '\n';
  ssize_t written;
  do
    written = ::write(fd, line.data(), line.size());
  while (written < 0 && errno == EINTR);
  return written == static_cast<ssize_t>(line.size());
}

void Journal::abandon() {
  if (fd >= 0 && descriptorIsOurs())
    close(fd);
  fd = -1;
}

} // namespace scopesan::host

// What is written into a pipe, a socket or an eventfd comes before what is read from it: the
// program's definitions of read and write come before libc's.
//
// A release is told before the call that publishes, an acquisition after the call that waited. The
// ends of a pipe are known to be of one object; all sockets count as one, and so do all descriptors
// without a file (eventfd, timerfd). That may order too much, never too little.
#include "hostcode/backend.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace scopesan;
using hostcode::backend;

extern "C" const char __scopesan_host_files = 0;

namespace {

const char Sockets = 0, Nameless = 0;

/// What stands for the descriptor's object; null for what orders nobody.
const void *channel(int File) {
  struct stat Info;
  if (fstat(File, &Info) != 0)
    return nullptr;
  switch (Info.st_mode & S_IFMT) {
  case S_IFIFO: // no object of the program lies at an odd address
    return reinterpret_cast<const void *>((uint64_t(Info.st_ino) << 1) | 1);
  case S_IFSOCK:
    return &Sockets;
  case 0:
    return &Nameless;
  default:
    return nullptr;
  }
}

void publish(int File) {
  auto *Tell = backend();
  const void *Channel = Tell ? channel(File) : nullptr;
  if (Channel)
    Tell->release(Channel, 0);
}

/// Returns what the call returned.
ssize_t received(int File, ssize_t Got) {
  int Error = errno;
  auto *Tell = Got >= 0 ? backend() : nullptr;
  const void *Channel = Tell ? channel(File) : nullptr;
  if (Channel)
    Tell->acquire(Channel, 0);
  errno = Error;
  return Got;
}

#define SCOPESAN_NEXT(name)                                                                        \
  static const auto Real = reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name))

} // namespace

extern "C" {

ssize_t read(int File, void *To, size_t Bytes) {
  SCOPESAN_NEXT(read);
  return received(File, Real(File, To, Bytes));
}
ssize_t readv(int File, const iovec *Parts, int Count) {
  SCOPESAN_NEXT(readv);
  return received(File, Real(File, Parts, Count));
}
ssize_t recv(int File, void *To, size_t Bytes, int Flags) {
  SCOPESAN_NEXT(recv);
  return received(File, Real(File, To, Bytes, Flags));
}
ssize_t recvmsg(int File, msghdr *Message, int Flags) {
  SCOPESAN_NEXT(recvmsg);
  return received(File, Real(File, Message, Flags));
}
int eventfd_read(int File, eventfd_t *Value) {
  SCOPESAN_NEXT(eventfd_read);
  return int(received(File, Real(File, Value)));
}

ssize_t write(int File, const void *From, size_t Bytes) {
  SCOPESAN_NEXT(write);
  publish(File);
  return Real(File, From, Bytes);
}
ssize_t writev(int File, const iovec *Parts, int Count) {
  SCOPESAN_NEXT(writev);
  publish(File);
  return Real(File, Parts, Count);
}
ssize_t send(int File, const void *From, size_t Bytes, int Flags) {
  SCOPESAN_NEXT(send);
  publish(File);
  return Real(File, From, Bytes, Flags);
}
ssize_t sendmsg(int File, const msghdr *Message, int Flags) {
  SCOPESAN_NEXT(sendmsg);
  publish(File);
  return Real(File, Message, Flags);
}
int eventfd_write(int File, eventfd_t Value) {
  SCOPESAN_NEXT(eventfd_write);
  publish(File);
  return Real(File, Value);
}
}

#include "cpu/shim/idle_device.h"

#include "cpu/shim/context.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <thread>
#include <time.h>
#include <unistd.h>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

constexpr long SampleMs = 20;
constexpr uint32_t SamplesAsleep = 5;  ///< all threads sleep: 0.1 s
constexpr uint32_t SamplesAwake = 100; ///< some thread computes or spins: 2 s

std::atomic<bool> Stopped;

void pauseFor(long Milliseconds) {
  timespec T{0, Milliseconds * 1'000'000};
  nanosleep(&T, nullptr);
}

/// The state letter in /proc/self/task/TID/stat, 0 when the thread is gone.
char stateOf(const char *Tid) {
  std::string Path = std::string("/proc/self/task/") + Tid + "/stat";
  int File = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return 0;
  char Text[128];
  ssize_t Got = ::read(File, Text, sizeof(Text) - 1);
  close(File);
  if (Got <= 0)
    return 0;
  Text[Got] = 0;
  const char *Name = strrchr(Text, ')');
  return Name && Name[1] ? Name[2] : 0;
}

/// Does every other thread of the process sleep?
bool othersSleep() {
  DIR *Tasks = opendir("/proc/self/task");
  if (!Tasks)
    return false;
  const long Me = syscall(SYS_gettid);
  bool Sleep = true;
  while (const dirent *Task = Sleep ? readdir(Tasks) : nullptr) {
    if (Task->d_name[0] == '.' || atol(Task->d_name) == Me)
      continue;
    char State = stateOf(Task->d_name);
    Sleep = State == 'S' || State == 0;
  }
  closedir(Tasks);
  return Sleep;
}

/// Runs the device a turn at a time, as long as no other thread calls the API.
void runDevice(Context &C, uint64_t Ticket) {
  while (!Stopped && C.Mutex.lockIfUnused(Ticket)) {
    bool More = !Stopped && C.Work.runBeside();
    Ticket = C.Mutex.ticket() + 1; // the next one's, after this turn
    C.Mutex.unlock();
    if (!More)
      return;
    pauseFor(1);
  }
}

void watch(Context &C) {
  ++host::InsideTool; // whatever this thread does is the tool's own
  uint64_t Last = ~0ull;
  uint32_t Quiet = 0, Asleep = 0;
  while (!Stopped) {
    pauseFor(SampleMs);
    uint64_t Ticket = C.Mutex.ticket();
    if (Ticket != Last || !C.Work.hasWork()) {
      Last = Ticket;
      Quiet = Asleep = 0;
      continue;
    }
    ++Quiet;
    Asleep = othersSleep() ? Asleep + 1 : 0;
    if (Asleep < SamplesAsleep && Quiet < SamplesAwake)
      continue;
    runDevice(C, Ticket);
    Last = C.Mutex.ticket();
  }
}

} // namespace

void scopesan::cpu::watchIdleDevice(Context &C) {
  static bool Started = false;
  if (Started || Stopped)
    return;
  Started = true;
  sigset_t All, Before; // the program's signals are for its own threads
  sigfillset(&All);
  for (int Fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    sigdelset(&All, Fault);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  std::thread([&C] { watch(C); }).detach();
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

void scopesan::cpu::stopIdleDevice() { Stopped = true; }

#include "cpu/shim/standstill.h"

#include "host/standstill.h"
#include "host/tool_mutex.h"

#include <atomic>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

using namespace scopesan;

namespace {

struct Launch {
  std::string Kernel;
  uint32_t Index;
};

/// Only for the watching thread and the lock's holders.
std::mutex Lock;
std::map<uint64_t, Launch> &waiting() {
  static auto *Map = new std::map<uint64_t, Launch>;
  return *Map;
}
std::atomic<uint64_t> Signs;

constexpr uint32_t SecondsToComplaint = 10;
/// Of each second, on a machine that does much else. A thread that blocks uses none.
constexpr uint64_t BusyMilliseconds = 20;

uint64_t processorMilliseconds() {
  timespec T{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
  return uint64_t(T.tv_sec) * 1000 + uint64_t(T.tv_nsec) / 1'000'000;
}

/// The oldest launch that waits. False: none does.
bool oldest(Launch &L) {
  std::lock_guard Guard(Lock);
  if (waiting().empty())
    return false;
  L = waiting().begin()->second;
  return true;
}

void complain(const Launch &L) {
  fprintf(
      stderr,
      "scopesan: launch %u of kernel '%s' waits since %u seconds and cannot go on, and the host "
      "computes without a call of the CUDA API. If the host waits for the kernel, call "
      "cudaStreamQuery in its loop, or build host code with -fscopesan-host.\n",
      L.Index, L.Kernel.c_str(), SecondsToComplaint);
}

/// Looks once a second: the host computes and has not called, the device moves nothing, a launch
/// waits.
void *watch(void *) {
  ++host::InsideTool;
  uint64_t SignsBefore = Signs, TimeBefore = processorMilliseconds();
  uint32_t Seconds = 0;
  for (;;) {
    timespec Second{1, 0};
    nanosleep(&Second, nullptr);
    uint64_t SignsNow = Signs, TimeNow = processorMilliseconds();
    Launch L;
    bool Stands = SignsNow == SignsBefore && TimeNow - TimeBefore > BusyMilliseconds && oldest(L);
    SignsBefore = SignsNow;
    TimeBefore = TimeNow;
    if (!Stands && Seconds)
      host::standstill("", 0, 0);
    Seconds = Stands ? Seconds + 1 : 0;
    if (Stands && (Seconds & (Seconds - 1)) == 0)
      host::standstill(L.Kernel, L.Index, Seconds);
    if (Seconds == SecondsToComplaint)
      complain(L);
  }
}

/// The program's signal handlers run in the program's threads.
void startWatching() {
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  pthread_attr_t Attributes;
  pthread_attr_init(&Attributes);
  pthread_attr_setdetachstate(&Attributes, PTHREAD_CREATE_DETACHED);
  pthread_t Thread;
  // The system's own: instrumented host code takes threads that it creates for the program's.
  if (void *Create = dlsym(RTLD_NEXT, "pthread_create"))
    reinterpret_cast<decltype(&pthread_create)>(Create)(&Thread, &Attributes, watch, nullptr);
  pthread_attr_destroy(&Attributes);
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

} // namespace

void cpu::launchWaits(uint64_t Sequence, const std::string &Kernel, uint32_t Index) {
  static bool Watched = (startWatching(), true);
  (void)Watched;
  std::lock_guard Guard(Lock);
  waiting()[Sequence] = {Kernel, Index};
}

void cpu::operationDone(uint64_t Sequence) {
  std::lock_guard Guard(Lock);
  waiting().erase(Sequence);
}

void cpu::hostIsAlive() { Signs.fetch_add(1, std::memory_order_relaxed); }

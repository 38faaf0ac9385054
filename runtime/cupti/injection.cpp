// The collector's life in the process: it starts when CUDA initialises and ends with the program.
#include "cupti/collector.h"
#include "cupti/host_code.h"

#include "host/options.h"

#include <stdlib.h>
#include <thread>
#include <unistd.h>

namespace scopesan::cupti {
namespace {

/// Judges while a kernel runs, so that a program that hangs or is killed still leaves findings.
void watch() {
  Inside = true;
  for (;;) {
    usleep(100'000);
    Collector &c = Collector::get();
    if (c.Lock.try_lock()) {
      c.peek();
      c.Lock.unlock();
    }
  }
}

void atExit() {
  Collector &c = Collector::get();
  Inside = true;
  c.Lock.lock(); // and keep: nothing is judged any more
  c.finish();
}

} // namespace

void startOnce() {
  static bool started = (host::initialise("gpu"), Collector::get(), atexit(atExit), true);
  (void)started;
}

static void subscribeOrFail() {
  InsideScope inside;
  startOnce();
  if (std::string problem = subscribeCollector(); !problem.empty()) {
    host::toolFailure(problem);
    host::finish();
    _exit(int(host::options().failure_exit_code));
  }
  std::thread(watch).detach();
}

} // namespace scopesan::cupti

/// Called by the driver's injection (CUDA_INJECTION64_PATH) while CUDA initialises.
extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  scopesan::cupti::subscribeOrFail();
  return 1;
}

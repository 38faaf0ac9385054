// Device printf, assert, trap and exit.
#include "cpu/device_io.h"

#include "cpu/engine.h"
#include "host/collector.h"

#include <algorithm>
#include <stdio.h>
#include <string.h>
#include <string>

using namespace scopesan;
using namespace scopesan::cpu;

namespace {

std::string Output;
constexpr size_t OutputLimit = 1 << 20; // flushed early rather than dropped, unlike CUDA's FIFO

/// Reads the argument buffer of vprintf: values in order at their natural alignment.
class ArgumentReader {
public:
  explicit ArgumentReader(const char *P) : P(P) {}
  template <typename T> T take() {
    auto Address = (reinterpret_cast<uint64_t>(P) + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    P = reinterpret_cast<const char *>(Address) + sizeof(T);
    T Value;
    memcpy(&Value, reinterpret_cast<const char *>(Address), sizeof(T));
    return Value;
  }

private:
  const char *P;
};

/// One conversion: flags, width and precision as text, without length modifiers.
struct Conversion {
  std::string Text = "%";
  int Longs = 0;
  char Kind = 0;
};

const char *parse(const char *F, ArgumentReader &Args, Conversion &C) {
  for (; *F && strchr("-+ #0123456789.*hlzjtL", *F); ++F) {
    if (*F == '*')
      C.Text += std::to_string(Args.take<int>());
    else if (*F == 'l')
      ++C.Longs;
    else if (strchr("zjt", *F))
      C.Longs = 2;
    else if (!strchr("hL", *F))
      C.Text += *F;
  }
  C.Kind = *F ? *F++ : '%';
  return F;
}

template <typename T> void print(const std::string &Format, T Value) {
  char Small[128];
  int Length = snprintf(Small, sizeof Small, Format.c_str(), Value);
  if (Length < int(sizeof Small)) {
    Output.append(Small, size_t(std::max(Length, 0)));
    return;
  }
  std::string Large(size_t(Length) + 1, '\0');
  snprintf(Large.data(), Large.size(), Format.c_str(), Value);
  Output.append(Large.data(), size_t(Length));
}

void format(const Conversion &C, ArgumentReader &Args) {
  if (strchr("fFeEgGaA", C.Kind))
    print(C.Text + C.Kind, Args.take<double>());
  else if (C.Kind == 's')
    print(C.Text + C.Kind, Args.take<const char *>());
  else if (C.Kind == 'p')
    print(C.Text + C.Kind, Args.take<const void *>());
  else if (C.Longs)
    print(C.Text + "ll" + C.Kind, Args.take<long long>());
  else
    print(C.Text + C.Kind, Args.take<int>());
}

} // namespace

void scopesan::cpu::flushDeviceOutput() {
  if (Output.empty())
    return;
  fwrite(Output.data(), 1, Output.size(), stdout);
  fflush(stdout);
  Output.clear();
}

extern "C" {
#pragma GCC visibility push(default)

int32_t __scopesan_cpu_vprintf(const char *Format, const char *Arguments) {
  ArgumentReader Args(Arguments);
  int32_t Count = 0;
  while (*Format) {
    if (*Format != '%') {
      Output += *Format++;
      continue;
    }
    if (Format[1] == '%') {
      Output += '%';
      Format += 2;
      continue;
    }
    Conversion C;
    Format = parse(Format + 1, Args, C);
    format(C, Args);
    ++Count;
  }
  if (Output.size() > OutputLimit)
    flushDeviceOutput();
  return Count;
}

void __scopesan_cpu_assertfail(const char *Message, const char *File, uint32_t Line,
                               const char *Function, size_t) {
  const Thread &T = *Engine::current();
  fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", File,
          Line, Function, T.ctaid[0], T.ctaid[1], T.ctaid[2], T.tid[0], T.tid[1], T.tid[2],
          Message);
  std::string Failed = "assertion `" + std::string(Message) + "` failed at " + File + ":" +
                       std::to_string(Line) + " in " + describePlace(T);
  TheEngine.failFromFiber({FailureCode::Assert, Failed, 0, /*Told=*/true});
}

void __scopesan_cpu_trap(void) {
  const Thread &T = *Engine::current();
  TheEngine.failFromFiber(FailureCode::LaunchFailure, "trap", T, T.Site);
}

void __scopesan_cpu_unsupported(const char *Text) {
  const Thread &T = *Engine::current();
  std::string What = "the CPU backend cannot execute: " + std::string(Text);
  host::incomplete(What);
  TheEngine.failFromFiber(FailureCode::NotSupported, What, T);
}

void __scopesan_cpu_exit(void) { TheEngine.exitThread(); }

#pragma GCC visibility pop
}

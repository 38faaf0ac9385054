#include "cpu/faults.h"

#include "cpu/division.h"
#include "cpu/engine.h"

#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

using namespace scopesan;
using namespace scopesan::cpu;

volatile bool scopesan::cpu::ProbingDeviceAddress = false;
bool scopesan::cpu::OwnCodeIsTool = true;

namespace {

constexpr int Signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction Previous[64];

/// What the handler saw; read by reportFault on the fiber.
struct {
  int Signal;
  void *Address;
} Fault;

/// This library's own code, where a fault is ours and not the kernel's.
struct {
  uint64_t Begin = 0, End = 0;
} OwnCode;

void findOwnCode() {
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *) {
        auto Here = reinterpret_cast<uint64_t>(&findOwnCode);
        for (int I = 0; I < Info->dlpi_phnum; ++I) {
          const auto &Segment = Info->dlpi_phdr[I];
          uint64_t Begin = Info->dlpi_addr + Segment.p_vaddr;
          if (Segment.p_type == PT_LOAD && Here - Begin < Segment.p_memsz) {
            OwnCode = {Begin, Begin + Segment.p_memsz};
            return 1;
          }
        }
        return 0;
      },
      nullptr);
}

/// The operation that faulted; 0 where that is not certain.
uint32_t siteOfFault(const Thread &T, const AsyncCopy *Copy) {
  constexpr uint64_t LargestAccess = 32;
  if (Copy)
    return Copy->Site;
  auto At = reinterpret_cast<uint64_t>(Fault.Address);
  return At - reinterpret_cast<uint64_t>(T.Accessed) < LargestAccess ? T.AccessSite : 0;
}

/// Runs on the faulting fiber's rewound stack, outside the handler.
void reportFault() {
  Thread &T = *Engine::current();
  ProbingDeviceAddress = false;
  char Address[32];
  snprintf(Address, sizeof Address, "%p", Fault.Address);
  const AsyncCopy *Copy = TheEngine.Copies.executing();
  const Thread &By = Copy ? *Copy->Issuer : T;
  std::string Of = Copy ? " of an asynchronous copy" : "";
  switch (Fault.Signal) {
  case SIGFPE:
    TheEngine.failFromFiber(FailureCode::LaunchFailure, "arithmetic exception" + Of, By);
  case SIGILL:
    TheEngine.failFromFiber(FailureCode::LaunchFailure, "unreachable code was executed" + Of, By);
  default:
    if (T.Stack->inGuard(Fault.Address))
      TheEngine.failFromFiber(FailureCode::IllegalAddress,
                              "stack overflow (a larger fiber_stack_kb option may help)" + Of, By);
    TheEngine.failFromFiber(FailureCode::IllegalAddress,
                            "illegal address " + std::string(Address) + Of, By,
                            siteOfFault(T, Copy));
  }
}

void handle(int Signal, siginfo_t *Info, void *Context) {
  auto *Machine = &static_cast<ucontext_t *>(Context)->uc_mcontext;
  auto Pc = uint64_t(Machine->gregs[REG_RIP]);
  bool Ours = OwnCodeIsTool && Pc >= OwnCode.Begin && Pc < OwnCode.End && !ProbingDeviceAddress;
  Thread *T = Engine::current();
  if (!T || Ours) {
    // Host code, or a defect of the tool: the signal takes its course.
    sigaction(Signal, &Previous[Signal], nullptr);
    return;
  }
  if (Signal == SIGFPE && completeDivision(*static_cast<ucontext_t *>(Context)))
    return; // the GPU does not trap
  Fault = {Signal, Info->si_addr};
  // Continue on the fiber, as if reportFault had been called on its empty stack. Returning from
  // the handler restores the signal mask.
  Machine->gregs[REG_RSP] = greg_t(reinterpret_cast<uint64_t>(T->Stack->top()) - 8);
  Machine->gregs[REG_RBP] = 0;
  Machine->gregs[REG_RIP] = greg_t(reinterpret_cast<uint64_t>(&reportFault));
}

void installAlternateStack() {
  stack_t Old;
  if (!sigaltstack(nullptr, &Old) && !(Old.ss_flags & SS_DISABLE))
    return;
  constexpr size_t Bytes = 64 * 1024;
  void *P = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (P == MAP_FAILED)
    return;
  stack_t Stack{};
  Stack.ss_sp = P;
  Stack.ss_size = Bytes;
  sigaltstack(&Stack, nullptr);
}

} // namespace

void scopesan::cpu::prepareFaultHandling() {
  static thread_local bool HaveStack = false;
  if (!HaveStack) {
    installAlternateStack();
    HaveStack = true;
  }
  static bool Installed = false;
  if (Installed)
    return;
  Installed = true;
  findOwnCode();
  for (int Signal : Signals) {
    struct sigaction Action{};
    Action.sa_sigaction = handle;
    Action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&Action.sa_mask);
    sigaction(Signal, &Action, &Previous[Signal]);
  }
}

#include "fiber.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

using namespace scopesan::cpu;

// Only the callee-saved registers of the System V ABI travel; MXCSR and the x87 control word are
// the same in all fibers by contract with the generated code.
asm(R"(
.text
.p2align 4
.globl scopesanSwitchStack
.hidden scopesanSwitchStack
.type scopesanSwitchStack,@function
scopesanSwitchStack:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size scopesanSwitchStack, .-scopesanSwitchStack

.p2align 4
.globl scopesanRestartStack
.hidden scopesanRestartStack
.type scopesanRestartStack,@function
scopesanRestartStack:
  mov %rdi, %rsp
  xor %ebp, %ebp
  call *%rsi
  ud2
.size scopesanRestartStack, .-scopesanRestartStack

.p2align 4
.globl scopesanCallOnStack
.hidden scopesanCallOnStack
.type scopesanCallOnStack,@function
scopesanCallOnStack:
  push %rbp
  mov %rsp, %rbp
  mov %rdi, %rsp
  mov %rdx, %rdi
  call *%rsi
  mov %rbp, %rsp
  pop %rbp
  ret
.size scopesanCallOnStack, .-scopesanCallOnStack
.section .note.GNU-stack,"",@progbits
.text
)");

void FiberPool::configure(size_t Bytes, void (*Entry)()) {
  StackBytes = (Bytes + Fiber::GuardBytes - 1) / Fiber::GuardBytes * Fiber::GuardBytes;
  Body = Entry;
}

void FiberPool::rewind(Fiber *F) {
  // Frame that switchStack pops: six registers, then the return address; the slot above keeps the
  // stack pointer at entry congruent 8 modulo 16, as after a call.
  auto *Top = reinterpret_cast<void **>(F->top());
  *--Top = nullptr;
  *--Top = reinterpret_cast<void *>(Body);
  for (int I = 0; I < 6; ++I)
    *--Top = nullptr;
  F->StackPointer = Top;
}

uintptr_t FiberStacks::Base = 0;

/// The next stack with its guard, or null when the reserved range or memory is exhausted.
static void *takeStack(size_t Bytes, size_t &Used) {
  if (!FiberStacks::Base) {
    void *P = mmap(nullptr, FiberStacks::Bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (P == MAP_FAILED)
      return nullptr;
    FiberStacks::Base = reinterpret_cast<uintptr_t>(P);
  }
  if (Bytes > FiberStacks::Bytes - Used)
    return nullptr;
  auto *P = reinterpret_cast<char *>(FiberStacks::Base + Used);
  // The page below stays without access: it is the guard.
  if (mprotect(P + Fiber::GuardBytes, Bytes - Fiber::GuardBytes, PROT_READ | PROT_WRITE) != 0)
    return nullptr;
  Used += Bytes;
  return P;
}

Fiber *FiberPool::create() {
  void *P = takeStack(StackBytes + Fiber::GuardBytes, Used);
  if (!P) {
    fprintf(stderr,
            "scopesan: no memory for the stack of CUDA thread %zu (%zu KiB each); lower "
            "fiber_stack_kb or resident_blocks, or raise vm.max_map_count\n",
            All.size() + 1, StackBytes / 1024);
    abort();
  }
  auto *F = new Fiber;
  F->Base = static_cast<char *>(P) + Fiber::GuardBytes;
  F->Bytes = StackBytes;
  F->Index = uint32_t(All.size());
  All.push_back(F);
  rewind(F);
  return F;
}

Fiber *FiberPool::acquire() {
  if (!Free)
    return create();
  Fiber *F = Free;
  Free = F->NextFree;
  return F;
}

void FiberPool::rewindAll() {
  Free = nullptr;
  for (size_t I = All.size(); I--;) {
    rewind(All[I]);
    release(All[I]);
  }
}

// Fibers: a stack with a guard page and a saved stack pointer. x86-64 System V only.
//
// Life of a fiber: pooled (its saved context continues in the body's loop) -> runs one CUDA thread
// at a time -> pooled again. A fiber is never destroyed while the process lives.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <vector>

namespace scopesan::cpu {

struct Fiber {
  void *StackPointer = nullptr; ///< saved by switchStack while the fiber does not run
  char *Base = nullptr;         ///< lowest usable byte; the page below is the guard
  size_t Bytes = 0;
  uint32_t Index = 0;
  Fiber *NextFree = nullptr;

  bool contains(const void *P) const {
    return static_cast<const char *>(P) >= Base && static_cast<const char *>(P) < Base + Bytes;
  }
  bool inGuard(const void *P) const {
    return static_cast<const char *>(P) < Base && static_cast<const char *>(P) >= Base - GuardBytes;
  }
  /// First stack pointer. Staggered by index so that equal frames of many fibers do not compete
  /// for the same cache sets.
  char *top() const { return Base + Bytes - 64 - size_t(Index * 5 % 61) * 64; }

  static constexpr size_t GuardBytes = 4096;
};

/// All fiber stacks lie in one reserved range, so that private memory (P5: never checked) is told
/// from everything else by one comparison.
struct FiberStacks {
  static constexpr size_t Bytes = size_t(1) << 38; ///< address space only
  static uintptr_t Base;                           ///< 0 until the first stack
  static bool contain(const void *P) {
    return Base && reinterpret_cast<uintptr_t>(P) - Base < Bytes;
  }
};

/// Saves the callee-saved registers and the stack pointer in `*Save`, then continues on `To`.
extern "C" void scopesanSwitchStack(void **Save, void *To);
/// Forgets the current stack's contents and calls `Body` on `Top`. Never returns.
extern "C" [[noreturn]] void scopesanRestartStack(void *Top, void (*Body)());
/// Calls `Function(Argument)` on another stack and returns here.
extern "C" void scopesanCallOnStack(void *Top, void (*Function)(void *), void *Argument);

class FiberPool {
public:
  /// `Body` is entered on a fresh fiber and must never return.
  void configure(size_t StackBytes, void (*Body)());
  Fiber *acquire();
  void release(Fiber *F) {
    F->NextFree = Free;
    Free = F;
  }
  /// Rewinds every fiber and makes all of them free; for use after a kernel was abandoned.
  void rewindAll();
  size_t size() const { return All.size(); }

private:
  Fiber *create();
  void rewind(Fiber *F);

  size_t StackBytes = 64 * 1024;
  size_t Used = 0; ///< bytes of FiberStacks taken
  void (*Body)() = nullptr;
  Fiber *Free = nullptr;
  std::vector<Fiber *> All;
};

} // namespace scopesan::cpu

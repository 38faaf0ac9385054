#include "FakeEngine.h"

#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace scopesan;

std::string test::StoppedBy;
unsigned test::Yields;

static jmp_buf Return;
static constexpr uint32_t Lane = 5;
static constexpr size_t SharedBytes = 256 << 10;

static cpu::ThreadContext makeContext() {
  void *Shared = mmap(nullptr, SharedBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (Shared == MAP_FAILED)
    std::abort();
  return {{1, 2, 3}, {4, 5, 6}, {8, 16, 32}, {64, 65, 66}, Lane, 0, static_cast<char *>(Shared)};
}
static cpu::ThreadContext Context = makeContext();

[[noreturn]] static void stop(const char *Why) {
  test::StoppedBy = Why;
  longjmp(Return, 1);
}

bool test::run(const cpu::Kernel &K, void **Args) {
  StoppedBy.clear();
  if (setjmp(Return))
    return false;
  K.entry(Args);
  return true;
}

extern "C" {
cpu::ThreadContext *__scopesan_cpu_current = &Context;

uint32_t __scopesan_cpu_bar_sync(uint32_t, uint32_t, uint32_t, uint32_t predicate) {
  return predicate;
}
void __scopesan_cpu_bar_arrive(uint32_t, uint32_t) {}
/// A warp of one lane: shuffles and reductions return the value, votes the lane's bit.
uint64_t __scopesan_cpu_warp(uint32_t op, uint32_t mask, uint64_t value, uint32_t, uint32_t) {
  switch (cpu::WarpOp(op)) {
  case cpu::WarpOp::VoteBallot:
    return value ? 1u << Lane : 0;
  case cpu::WarpOp::MatchAny:
  case cpu::WarpOp::MatchAll:
    return mask;
  case cpu::WarpOp::Elect:
    return Lane;
  default:
    return value;
  }
}
uint32_t __scopesan_cpu_warp_predicate(void) { return 1; }
uint32_t __scopesan_cpu_activemask(uint32_t) { return 1u << Lane; }
void __scopesan_cpu_yield(void) { ++test::Yields; }
uint64_t __scopesan_cpu_sreg(uint32_t sreg) { return 1000 + sreg; }
void __scopesan_cpu_exit(void) { stop("exit"); }
void __scopesan_cpu_trap(void) { stop("trap"); }
void __scopesan_cpu_assertfail(const char *message, const char *, uint32_t, const char *, size_t) {
  stop(message);
}
void __scopesan_cpu_unsupported(const char *text) { stop(text); }
int32_t __scopesan_cpu_vprintf(const char *, const char *) { return 0; }
void *__scopesan_cpu_malloc(uint64_t bytes) { return std::malloc(bytes); }
void __scopesan_cpu_free(void *p) { std::free(p); }
uint32_t __scopesan_cpu_isspacep(const void *p, uint32_t space) {
  return reinterpret_cast<uintptr_t>(p) == space;
}
uint64_t __scopesan_cpu_mapa(uint64_t shared, uint32_t rank) { return shared + rank; }
uint32_t __scopesan_cpu_getctarank(uint64_t) { return 0; }
void __scopesan_cpu_cluster_arrive(void) {}
void __scopesan_cpu_cluster_wait(void) {}

#define ptr const void *
#define i32 uint32_t
#define i64 uint64_t
#define SCOPESAN_ABI(name, result, parameters)                                                     \
  result name parameters {}
#include "scopesan/abi.def"
}

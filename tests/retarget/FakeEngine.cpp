#include "FakeEngine.h"

#include "mbarrier_object.h"

#include <bit>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sys/mman.h>
#include <vector>

using namespace scopesan;

std::string test::StoppedBy;
unsigned test::Yields;
test::Bulk test::LastBulk;

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

/// Copies happen as late as they may: when something is waited for.
static std::vector<std::function<void()>> Pending;
static void finishCopies() {
  std::vector<std::function<void()>> All;
  All.swap(Pending);
  for (auto &Copy : All)
    Copy();
}
static cpu::MbarrierObject &object(void *Barrier) {
  return *static_cast<cpu::MbarrierObject *>(Barrier);
}

bool test::run(const cpu::Kernel &K, void **Args) {
  StoppedBy.clear();
  Pending.clear();
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

void __scopesan_cpu_mbarrier_init(void *barrier, uint32_t count) { object(barrier).init(count); }
uint64_t __scopesan_cpu_mbarrier_arrive(void *barrier, uint32_t count, uint32_t bytes,
                                        uint32_t drop) {
  uint64_t state = object(barrier).state();
  object(barrier).Bytes += bytes;
  object(barrier).arrive(count, drop);
  return state;
}
void __scopesan_cpu_mbarrier_expect(void *barrier, uint32_t bytes) {
  object(barrier).Bytes += bytes;
}
void __scopesan_cpu_mbarrier_complete(void *barrier, uint32_t bytes) {
  object(barrier).complete(bytes);
}
uint32_t __scopesan_cpu_mbarrier_wait(void *barrier, uint64_t state) {
  finishCopies();
  return object(barrier).phaseOver(state);
}
uint32_t __scopesan_cpu_mbarrier_pending(uint64_t state) {
  return uint32_t(cpu::MbarrierObject::of(state).Pending);
}
void __scopesan_cpu_cp_async(void *to, const void *from, uint32_t bytes, uint32_t source) {
  Pending.push_back([=] {
    std::memcpy(to, from, source);
    std::memset(static_cast<char *>(to) + source, 0, bytes - source);
  });
}
void __scopesan_cpu_cp_async_commit(void) {}
void __scopesan_cpu_cp_async_wait(uint32_t) { finishCopies(); }
void __scopesan_cpu_cp_async_mbarrier_arrive(void *barrier, uint32_t noinc) {
  if (!noinc)
    ++object(barrier).Pending;
  Pending.push_back([=] { object(barrier).arrive(1, false); });
}
void __scopesan_cpu_bulk_copy(void *to, const void *from, uint64_t bytes, void *barrier,
                              uint32_t reduction, uint32_t masks) {
  test::LastBulk = {reduction, masks};
  Pending.push_back([=] {
    for (uint64_t i = 0; i < bytes; ++i)
      if (!(masks >> 16 >> i % 16 & 1))
        static_cast<char *>(to)[i] = static_cast<const char *>(from)[i];
    if (barrier)
      object(barrier).complete(uint32_t(bytes));
  });
}
void __scopesan_cpu_bulk_commit(void) {}
void __scopesan_cpu_bulk_wait(uint32_t, uint32_t) { finishCopies(); }
void __scopesan_cpu_tensormap_replace(void *, uint32_t, uint32_t, uint64_t) {}
void __scopesan_cpu_store_async(void *to, const void *values, uint32_t bytes, void *barrier,
                                uint32_t reduction) {
  test::LastBulk = {reduction, 0};
  std::string copy(static_cast<const char *>(values), bytes);
  Pending.push_back([=] {
    std::memcpy(to, copy.data(), bytes);
    object(barrier).complete(bytes);
  });
}
/// Element k: object + 10 x first coordinate + 100 x second ... + 100000 x component + k.
void __scopesan_cpu_texture(uint64_t object, uint32_t form, const uint32_t *coordinates,
                            void *result) {
  auto f = abi::TextureForm::fromRaw(form);
  uint64_t sum = object + 100000u * f.Component, factor = 10;
  for (unsigned i = 0; i < f.coordinates(); ++i, factor *= 10) {
    bool isFloat = f.FloatCoordinates && !(i == 0 && isArray(f.Geometry));
    sum += factor * (isFloat ? uint32_t(std::bit_cast<float>(coordinates[i])) : coordinates[i]);
  }
  for (unsigned k = 0; k < 4; ++k)
    static_cast<uint32_t *>(result)[k] = uint32_t(sum + k);
}
/// What was written last, at the place of the object's first coordinate.
static unsigned char Surface[64];
void __scopesan_cpu_surface_read(uint64_t, uint32_t form, const uint32_t *coordinates,
                                 void *result) {
  std::memcpy(result, Surface + coordinates[0], abi::TextureForm::fromRaw(form).bytes());
}
void __scopesan_cpu_surface_write(uint64_t, uint32_t form, const uint32_t *coordinates,
                                  const void *values) {
  std::memcpy(Surface + coordinates[0], values, abi::TextureForm::fromRaw(form).bytes());
}
void __scopesan_cpu_griddep_wait(void) {}
void __scopesan_cpu_griddep_launch(void) {}

#define ptr const void *
#define i32 uint32_t
#define i64 uint64_t
#define SCOPESAN_ABI(name, result, parameters)                                                     \
  result name parameters {}
#include "scopesan/abi.def"
}

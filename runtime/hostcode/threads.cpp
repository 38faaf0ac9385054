// Threads and what orders them, seen in the functions that make them: the program's definition
// comes before libc's, also for calls from shared libraries (std::thread, std::condition_variable).
//
// Rules: a release is told before the call that publishes, an acquisition after the call that
// waited for it. A condition variable's wait gives the mutex up and takes it again.
#include "hostcode/backend.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

using namespace scopesan;
using hostcode::backend;

namespace {

/// libc's own function. The versions that condition variables had before 2.3.2 are another kind.
template <typename F> F real(F, const char *Name) {
  void *Found = dlvsym(RTLD_NEXT, Name, "GLIBC_2.3.2");
  return reinterpret_cast<F>(Found ? Found : dlsym(RTLD_NEXT, Name));
}
// Without a guard (-fno-threadsafe-statics): guards come by here themselves.
#define SCOPESAN_REAL(name) static const auto Real = real(&name, #name)

void tellAcquire(const void *Object, uint32_t Shared = 0) {
  if (auto *Tell = backend())
    Tell->acquire(Object, Shared);
}
void tellRelease(const void *Object, uint32_t Shared = 0) {
  if (auto *Tell = backend())
    Tell->release(Object, Shared);
}
void tellForget(const void *Object) {
  if (auto *Tell = backend())
    Tell->forget(Object);
}

/// Read-write locks that the thread holds as a reader. One that found no room is given up like a
/// writer's, which loses a finding at most.
thread_local pthread_rwlock_t *ReadLocks[16];

// ---------------------------------------------------------------- threads

/// What the new thread gets instead of its function. Its number, so that whoever joins it finds it.
struct Start {
  void *(*Function)(void *);
  void *Argument;
  uint32_t Number;
};

/// Numbers of threads that nobody has joined, by handle. Threads are few.
struct Entry {
  pthread_t Handle;
  uint32_t Number;
  Entry *Next;
};
Entry *Entries;
/// Held for a few instructions; a lock of pthread would be told about.
int EntriesLock;

struct Locked {
  Locked() {
    while (__atomic_exchange_n(&EntriesLock, 1, __ATOMIC_ACQUIRE))
      ;
  }
  ~Locked() { __atomic_store_n(&EntriesLock, 0, __ATOMIC_RELEASE); }
};

void remember(pthread_t Handle, uint32_t Number) {
  auto *E = static_cast<Entry *>(malloc(sizeof(Entry)));
  Locked Guard;
  *E = {Handle, Number, Entries};
  Entries = E;
}
/// 0 for a thread that is not known.
uint32_t takeNumber(pthread_t Handle) {
  Entry *Found = nullptr;
  {
    Locked Guard;
    for (Entry **At = &Entries; *At; At = &(*At)->Next)
      if (pthread_equal((*At)->Handle, Handle)) {
        Found = *At;
        *At = Found->Next;
        break;
      }
  }
  uint32_t Number = Found ? Found->Number : 0;
  free(Found);
  return Number;
}

/// Tells the end of a thread that returns, is cancelled or calls pthread_exit.
struct Ending {
  uint32_t Number;
  ~Ending() {
    if (auto *Tell = backend())
      Tell->end(Number);
  }
};

void *run(void *P) {
  Start Mine = *static_cast<Start *>(P);
  free(P);
  if (auto *Tell = backend())
    Tell->begin(Mine.Number);
  Ending End{Mine.Number};
  return Mine.Function(Mine.Argument);
}

} // namespace

extern "C" {

int pthread_create(pthread_t *Handle, const pthread_attr_t *Attributes, void *(*Function)(void *),
                   void *Argument) {
  SCOPESAN_REAL(pthread_create);
  uint32_t Number = 0;
  if (auto *Tell = backend())
    Number = Tell->create();
  if (!Number)
    return Real(Handle, Attributes, Function, Argument);
  auto *S = static_cast<Start *>(malloc(sizeof(Start)));
  *S = {Function, Argument, Number};
  int Error = Real(Handle, Attributes, run, S);
  if (Error)
    free(S);
  else
    remember(*Handle, Number);
  return Error;
}

int pthread_join(pthread_t Handle, void **Result) {
  SCOPESAN_REAL(pthread_join);
  int Error = Real(Handle, Result);
  if (uint32_t Number = Error ? 0 : takeNumber(Handle))
    if (auto *Tell = backend())
      Tell->join(Number);
  return Error;
}

int pthread_detach(pthread_t Handle) {
  SCOPESAN_REAL(pthread_detach);
  takeNumber(Handle);
  return Real(Handle);
}

// ---------------------------------------------------------------- mutexes

int pthread_mutex_lock(pthread_mutex_t *M) {
  SCOPESAN_REAL(pthread_mutex_lock);
  int Error = Real(M);
  if (!Error)
    tellAcquire(M);
  return Error;
}
int pthread_mutex_trylock(pthread_mutex_t *M) {
  SCOPESAN_REAL(pthread_mutex_trylock);
  int Error = Real(M);
  if (!Error)
    tellAcquire(M);
  return Error;
}
int pthread_mutex_timedlock(pthread_mutex_t *M, const timespec *T) {
  SCOPESAN_REAL(pthread_mutex_timedlock);
  int Error = Real(M, T);
  if (!Error)
    tellAcquire(M);
  return Error;
}
int pthread_mutex_clocklock(pthread_mutex_t *M, clockid_t C, const timespec *T) {
  SCOPESAN_REAL(pthread_mutex_clocklock);
  int Error = Real(M, C, T);
  if (!Error)
    tellAcquire(M);
  return Error;
}
int pthread_mutex_unlock(pthread_mutex_t *M) {
  SCOPESAN_REAL(pthread_mutex_unlock);
  tellRelease(M);
  return Real(M);
}
int pthread_mutex_destroy(pthread_mutex_t *M) {
  SCOPESAN_REAL(pthread_mutex_destroy);
  tellForget(M);
  return Real(M);
}

int pthread_spin_lock(pthread_spinlock_t *M) {
  SCOPESAN_REAL(pthread_spin_lock);
  int Error = Real(M);
  if (!Error)
    tellAcquire(const_cast<int *>(M));
  return Error;
}
int pthread_spin_trylock(pthread_spinlock_t *M) {
  SCOPESAN_REAL(pthread_spin_trylock);
  int Error = Real(M);
  if (!Error)
    tellAcquire(const_cast<int *>(M));
  return Error;
}
int pthread_spin_unlock(pthread_spinlock_t *M) {
  SCOPESAN_REAL(pthread_spin_unlock);
  tellRelease(const_cast<int *>(M));
  return Real(M);
}

// ---------------------------------------------------------------- read-write locks

static void tellReaderAcquire(pthread_rwlock_t *L) {
  tellAcquire(L, 1);
  for (pthread_rwlock_t *&Held : ReadLocks)
    if (!Held) {
      Held = L;
      return;
    }
}

int pthread_rwlock_rdlock(pthread_rwlock_t *L) {
  SCOPESAN_REAL(pthread_rwlock_rdlock);
  int Error = Real(L);
  if (!Error)
    tellReaderAcquire(L);
  return Error;
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t *L) {
  SCOPESAN_REAL(pthread_rwlock_tryrdlock);
  int Error = Real(L);
  if (!Error)
    tellReaderAcquire(L);
  return Error;
}
int pthread_rwlock_wrlock(pthread_rwlock_t *L) {
  SCOPESAN_REAL(pthread_rwlock_wrlock);
  int Error = Real(L);
  if (!Error)
    tellAcquire(L);
  return Error;
}
int pthread_rwlock_trywrlock(pthread_rwlock_t *L) {
  SCOPESAN_REAL(pthread_rwlock_trywrlock);
  int Error = Real(L);
  if (!Error)
    tellAcquire(L);
  return Error;
}
int pthread_rwlock_unlock(pthread_rwlock_t *L) {
  SCOPESAN_REAL(pthread_rwlock_unlock);
  uint32_t Shared = 0;
  for (pthread_rwlock_t *&Held : ReadLocks)
    if (Held == L) {
      Held = nullptr;
      Shared = 1;
      break;
    }
  tellRelease(L, Shared);
  return Real(L);
}
int pthread_rwlock_destroy(pthread_rwlock_t *L) {
  SCOPESAN_REAL(pthread_rwlock_destroy);
  tellForget(L);
  return Real(L);
}

// ---------------------------------------------------------------- condition variables
// Order comes from the mutex. A waiter that was told to go on also comes after whoever told it.

int pthread_cond_wait(pthread_cond_t *C, pthread_mutex_t *M) {
  SCOPESAN_REAL(pthread_cond_wait);
  tellRelease(M);
  int Error = Real(C, M);
  tellAcquire(M);
  tellAcquire(C);
  return Error;
}
int pthread_cond_timedwait(pthread_cond_t *C, pthread_mutex_t *M, const timespec *T) {
  SCOPESAN_REAL(pthread_cond_timedwait);
  tellRelease(M);
  int Error = Real(C, M, T);
  tellAcquire(M);
  if (!Error)
    tellAcquire(C);
  return Error;
}
int pthread_cond_clockwait(pthread_cond_t *C, pthread_mutex_t *M, clockid_t K, const timespec *T) {
  SCOPESAN_REAL(pthread_cond_clockwait);
  tellRelease(M);
  int Error = Real(C, M, K, T);
  tellAcquire(M);
  if (!Error)
    tellAcquire(C);
  return Error;
}
int pthread_cond_signal(pthread_cond_t *C) {
  SCOPESAN_REAL(pthread_cond_signal);
  tellRelease(C);
  return Real(C);
}
int pthread_cond_broadcast(pthread_cond_t *C) {
  SCOPESAN_REAL(pthread_cond_broadcast);
  tellRelease(C);
  return Real(C);
}

// ---------------------------------------------------------------- semaphores, barriers, once

int sem_post(sem_t *S) {
  SCOPESAN_REAL(sem_post);
  tellRelease(S);
  return Real(S);
}
int sem_wait(sem_t *S) {
  SCOPESAN_REAL(sem_wait);
  int Error = Real(S);
  if (!Error)
    tellAcquire(S);
  return Error;
}
int sem_trywait(sem_t *S) {
  SCOPESAN_REAL(sem_trywait);
  int Error = Real(S);
  if (!Error)
    tellAcquire(S);
  return Error;
}
int sem_timedwait(sem_t *S, const timespec *T) {
  SCOPESAN_REAL(sem_timedwait);
  int Error = Real(S, T);
  if (!Error)
    tellAcquire(S);
  return Error;
}
int pthread_barrier_wait(pthread_barrier_t *B) {
  SCOPESAN_REAL(pthread_barrier_wait);
  tellRelease(B);
  int Result = Real(B);
  tellAcquire(B);
  return Result;
}

/// What pthread_once runs: it takes no argument.
struct Once {
  pthread_once_t *Control;
  void (*Function)();
};
static thread_local Once TheOnce;
static void runOnce() {
  Once Mine = TheOnce;
  Mine.Function();
  tellRelease(Mine.Control);
}
int pthread_once(pthread_once_t *Control, void (*Function)()) {
  SCOPESAN_REAL(pthread_once);
  Once Outer = TheOnce;
  TheOnce = {Control, Function};
  int Error = Real(Control, runOnce);
  TheOnce = Outer;
  if (!Error)
    tellAcquire(Control);
  return Error;
}

// Initialisation of function-local statics. Compiled code reads the guard's first byte with an
// acquire load of its own before it comes here.
static void tellGuard(uint64_t *Guard, abi::AccessKind Kind, abi::MemoryOrder Order) {
  if (auto *Tell = backend())
    Tell->atomicAfter(Guard, 1, abi::Op(Kind, Order, abi::Scope::System).raw(), 0,
                      Kind == abi::AccessKind::Store);
}
int __cxa_guard_acquire(uint64_t *Guard) {
  using Function = int (*)(uint64_t *);
  static const auto Real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "__cxa_guard_acquire"));
  int MustRun = Real(Guard);
  if (auto *Tell = MustRun ? nullptr : backend()) {
    Tell->atomicBefore(Guard);
    tellGuard(Guard, abi::AccessKind::Load, abi::MemoryOrder::Acquire);
  }
  return MustRun;
}
void __cxa_guard_release(uint64_t *Guard) {
  using Function = void (*)(uint64_t *);
  static const auto Real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "__cxa_guard_release"));
  auto *Tell = backend();
  if (Tell)
    Tell->atomicBefore(Guard);
  Real(Guard);
  if (Tell)
    tellGuard(Guard, abi::AccessKind::Store, abi::MemoryOrder::Release);
}

const char __scopesan_host_threads = 0;
}

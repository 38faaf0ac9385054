// The ABI between instrumented host code (-mllvm -scopesan-host) and the runtimes (S15).
//
//   instrumented code --host_abi.def--> libscopesan_hostcode.a in the program --HostHooks-->
//   backend
//
// The archive drops what no backend asks for, and is all there is when the program runs by itself.
// Freestanding.
#pragma once

#include "scopesan/abi.h"

namespace scopesan::abi {

/// Bumped whenever a layout or a signature in this file or in host_abi.def changes.
inline constexpr uint32_t HostVersion = 1;

/// Addresses [begin, end): plain accesses outside every range need no report.
struct WatchedRange {
  uint64_t begin, end;
};

/// What a backend offers to host code. Every function may be called from any thread at any time.
struct HostHooks {
  uint32_t version; ///< HostVersion
  uint32_t rangeCount;
  /// Ranges that only grow; read without a lock.
  const volatile WatchedRange *ranges;

  /// Registers a module's sites and writes its first site id through Module::siteBase.
  void (*module)(const Module *);
  void (*read)(const void *addr, uint64_t bytes, uint32_t site);
  void (*write)(const void *addr, uint64_t bytes, uint32_t site);
  /// Brackets a strong operation: nobody else executes one in between.
  void (*atomicBefore)(const void *addr);
  /// `op` is Op::raw() at system scope, `wrote` 1 when memory was written.
  void (*atomicAfter)(const void *addr, uint32_t bytes, uint32_t op, uint32_t site, uint32_t wrote);
  void (*fence)(uint32_t op, uint32_t site);
  /// An operation that is not modelled (X1).
  void (*unmodelled)(uint32_t site);

  /// The calling thread comes after the releases of `object` (locked, waited); `shared` 1 for
  /// readers of a read-write lock.
  void (*acquire)(const void *object, uint32_t shared);
  void (*release)(const void *object, uint32_t shared);
  /// The object was destroyed.
  void (*forget)(const void *object);

  /// The calling thread is about to start another one; returns that one's number.
  uint32_t (*create)();
  /// The calling thread is number `thread`; it ends.
  void (*begin)(uint32_t thread);
  void (*end)(uint32_t thread);
  /// The calling thread waited for the end of `thread`.
  void (*join)(uint32_t thread);
};

/// Section with the names of units whose host code is not instrumented, each ended by a NUL.
inline constexpr const char PlainSection[] = "scopesan_plain";
/// void scopesan_host_plain(const char *names, uint64_t bytes): told of that section, once.
inline constexpr const char PlainSymbol[] = "scopesan_host_plain";

/// const HostHooks *scopesan_host_hooks(void): exported by a backend that takes host facts.
inline constexpr const char HostHooksSymbol[] = "scopesan_host_hooks";

} // namespace scopesan::abi

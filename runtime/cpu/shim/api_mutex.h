// The one lock around every API entry: recursive, first come first served.
#pragma once

#include "host/tool_mutex.h"

#include <condition_variable>
#include <mutex>
#include <stdint.h>
#include <thread>

namespace scopesan::cpu {

class ApiMutex {
public:
  void lock() {
    ++host::InsideTool;
    std::unique_lock Guard(Inner);
    if (Owner == std::this_thread::get_id()) {
      ++Depth;
      return;
    }
    acquire(Guard);
    Depth = 1;
  }
  void unlock() {
    {
      std::unique_lock Guard(Inner);
      if (!--Depth)
        releaseOwner();
    }
    --host::InsideTool;
  }
  /// Lets every thread that waits now have its turn before the caller continues.
  void relinquish() {
    std::unique_lock Guard(Inner);
    if (NextTicket == Serving + 1)
      return;
    uint32_t Kept = Depth;
    releaseOwner();
    acquire(Guard);
    Depth = Kept;
  }
  /// Gives the lock up while the program's code runs within an API call.
  class Released {
  public:
    explicit Released(ApiMutex &M) : M(M), Inside(host::InsideTool) {
      std::unique_lock Guard(M.Inner);
      Kept = M.Depth;
      M.releaseOwner();
      Guard.unlock();
      host::InsideTool = 0;
    }
    ~Released() {
      host::InsideTool = Inside;
      std::unique_lock Guard(M.Inner);
      M.acquire(Guard);
      M.Depth = Kept;
    }
    Released(const Released &) = delete;

  private:
    ApiMutex &M;
    uint32_t Inside, Kept = 0;
  };
  /// Who is being served; changes with every use of the lock.
  uint64_t ticket() {
    std::unique_lock Guard(Inner);
    return Serving;
  }
  /// Locks only if nobody holds the lock, waits for it or has had it since `Ticket`.
  bool lockIfUnused(uint64_t Ticket) {
    std::unique_lock Guard(Inner);
    if (Serving != Ticket || NextTicket != Serving)
      return false;
    ++host::InsideTool;
    acquire(Guard);
    Depth = 1;
    return true;
  }
  bool contended() {
    std::unique_lock Guard(Inner);
    return NextTicket != Serving + 1;
  }

private:
  void acquire(std::unique_lock<std::mutex> &Guard) {
    uint64_t Ticket = NextTicket++;
    Changed.wait(Guard, [&] { return Serving == Ticket; });
    Owner = std::this_thread::get_id();
  }
  void releaseOwner() {
    Owner = {};
    ++Serving;
    Changed.notify_all();
  }

  std::mutex Inner;
  std::condition_variable Changed;
  std::thread::id Owner;
  uint32_t Depth = 0;
  uint64_t NextTicket = 0, Serving = 0; ///< the owner holds ticket `Serving`
};

} // namespace scopesan::cpu

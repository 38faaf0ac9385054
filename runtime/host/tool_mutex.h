// Locks of the tool itself. Host code may be watched down to its locks, and the tool runs in the
// same process: what a thread does inside the tool is nobody's concern.
#pragma once

#include <mutex>
#include <stdint.h>

namespace scopesan::host {

/// Depth of the calling thread's locks of the tool; 0 = it runs the program's code.
inline thread_local uint32_t InsideTool = 0;

class ToolMutex {
public:
  void lock() {
    ++InsideTool;
    Inner.lock();
  }
  void unlock() {
    Inner.unlock();
    --InsideTool;
  }

private:
  std::mutex Inner;
};

} // namespace scopesan::host

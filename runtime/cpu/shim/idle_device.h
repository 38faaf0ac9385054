// The device goes on while the host is blocked.
//
// Outside API calls the CPU backend gives the device no time, which keeps runs repeatable. A host
// that waits for what a host function or a kernel does (a condition variable, a pipe, a loop that
// is not instrumented) would wait for ever. So a thread watches: when every thread of the program
// sleeps, or none has called the API for long, it runs the device until one of them comes back.
#pragma once

namespace scopesan::cpu {

class Context;

/// Starts the watching thread, once; called with the first work.
void watchIdleDevice(Context &C);
/// The process ends: the device is not touched any more. Called under the API's lock.
void stopIdleDevice();

} // namespace scopesan::cpu

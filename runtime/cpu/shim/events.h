// Recording of events, shared by streams and graphs.
#pragma once

#include "cpu/shim/stream.h"

namespace scopesan::cpu {

/// A new record of `E` is enqueued: what to do when it is reached (it takes the time).
std::function<void()> startRecord(Event &E);
/// The record stands for `What`.
void finishRecord(Event &E, Dependencies What);

} // namespace scopesan::cpu

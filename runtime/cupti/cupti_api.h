// CUPTI, loaded at run time: its library may be missing, or its one subscription taken.
#pragma once

#include <cupti.h>
#include <string>

namespace scopesan::cupti {

/// Subscribes `callback` to the driver API, the runtime API and module loading. Returns what went
/// wrong and what to do, or the empty string.
std::string subscribe(CUpti_CallbackFunc callback);

} // namespace scopesan::cupti

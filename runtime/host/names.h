// The words of docs/journal.md for the enumerations of the ABI and the detector.
#pragma once

#include "collector.h"

namespace scopesan::host {

const char *nameOf(abi::AccessKind);
const char *nameOf(abi::MemoryOrder);
const char *nameOf(abi::Scope);
const char *nameOf(abi::Proxy);
const char *nameOf(core::Hazard);
const char *nameOf(core::Distance);
const char *nameOf(core::Misuse);
const char *nameOf(core::BarrierKind);
const char *nameOf(MemoryKind);
const char *nameOf(StreamKind);

struct RuleText {
  const char *id;
  const char *name;
  bool isAdvisory;
};
const RuleText &textOf(core::Rule);

} // namespace scopesan::host

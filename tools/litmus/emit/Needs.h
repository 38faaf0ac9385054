// What a row asks of the command that compiles its unit and of the backend that runs it.
#pragma once

#include "Program.h"

namespace scopesan::litmus {

struct UnitNeeds {
  uint32_t devices = 1;
  std::string compilerFlags; ///< separated by spaces
  auto operator<=>(const UnitNeeds &) const = default;
};

UnitNeeds needsOf(const Program &p);

/// Number of devices that the launches of a program name.
uint32_t devicesOf(const Program &p);

/// The thread is a whole warpgroup: it multiplies by wgmma.
bool isWarpgroup(const ThreadCode &t);
/// The program uses an operation that is named so.
bool uses(const Program &p, std::string_view operation);

/// The location holds a tensor map.
bool isTensorMap(const Program &p, uint32_t location);
/// Device code changes a tensor map.
bool writesTensorMap(const Program &p);

/// A launch by device code.
bool launchesFromDevice(const Program &p);

/// The first operation of the program that the CPU backend does not model (X1), as its report names
/// it; empty: it models all.
std::string unmodelledOperation(const Program &p);

} // namespace scopesan::litmus

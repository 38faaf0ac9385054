// Resolves a finding against the registries and writes its journal line.
#pragma once

#include "allocations.h"
#include "nodes.h"
#include "sites.h"

namespace scopesan::host {

struct Registries {
  SiteRegistry sites;
  AllocationRegistry allocations;
  NodeRegistry nodes;
  StackRegistry stacks;
};

/// `shared` is the place of the first overlapping byte if that byte is shared memory.
std::string findingLine(const Registries &, const core::Finding &, uint32_t id,
                        const SharedPlace &shared);

/// The journal line about the scope of an operation (A1 over-synchronized).
std::string scopeUseLine(const Registries &, const core::ScopeUse &);

/// First byte that both accesses touch, and how many; when they do not overlap, the first access.
struct Overlap {
  uint64_t address = 0;
  uint64_t bytes = 0;
};
Overlap overlapOf(const core::Finding &);

} // namespace scopesan::host

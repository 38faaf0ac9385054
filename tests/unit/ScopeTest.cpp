#include "scopesan/core/scope.h"

#include <gtest/gtest.h>

using namespace scopesan::core;

namespace {
Place at(uint32_t block, uint32_t cluster, uint32_t node, uint16_t device, uint8_t domain) {
  Place p;
  p.block = {block};
  p.cluster = cluster;
  p.node = {node};
  p.device = {device};
  p.domain = {domain};
  return p;
}
} // namespace

TEST(P4, ScopesIncludeByLevel) {
  Place a = at(1, 0, 1, 0, 0);
  EXPECT_TRUE(p4Includes(Scope::Block, a, at(1, 0, 1, 0, 0)));
  EXPECT_FALSE(p4Includes(Scope::Block, a, at(2, 0, 1, 0, 0)));
  EXPECT_TRUE(p4Includes(Scope::Cluster, a, at(2, 0, 1, 0, 0)));
  EXPECT_FALSE(p4Includes(Scope::Cluster, a, at(3, 1, 1, 0, 0)));
  EXPECT_FALSE(p4Includes(Scope::Cluster, a, at(9, 0, 2, 0, 0))) << "same index, other launch";
  EXPECT_TRUE(p4Includes(Scope::Device, a, at(9, 0, 2, 0, 0)));
  EXPECT_FALSE(p4Includes(Scope::Device, a, at(9, 0, 2, 0, 1))) << "other memory-sync domain";
  EXPECT_FALSE(p4Includes(Scope::Device, a, at(9, 0, 2, 1, 0))) << "other device";
  EXPECT_TRUE(p4Includes(Scope::System, a, at(9, 0, 2, 1, 0)));
  EXPECT_FALSE(p4Includes(Scope::Thread, a, a));
}

TEST(P4, HostIsIncludedBySystemOnly) {
  Place host = at(7, 0, 3, 0, 0);
  host.host = true;
  EXPECT_FALSE(p4Includes(Scope::Device, host, at(1, 0, 1, 0, 0)));
  EXPECT_FALSE(p4Includes(Scope::Device, at(1, 0, 1, 0, 0), host));
  EXPECT_TRUE(p4Includes(Scope::System, host, at(1, 0, 1, 0, 0)));
}

TEST(P3, NeededScopeIsTheSmallest) {
  Place a = at(1, 0, 1, 0, 0);
  EXPECT_EQ(p4NeededScope(a, at(1, 0, 1, 0, 0)), Scope::Block);
  EXPECT_EQ(p4NeededScope(a, at(2, 0, 1, 0, 0)), Scope::Cluster);
  EXPECT_EQ(p4NeededScope(a, at(2, 1, 1, 0, 0)), Scope::Device);
  EXPECT_EQ(p4NeededScope(a, at(2, 1, 2, 0, 1)), Scope::System);
  EXPECT_TRUE(onlyDomainsDiffer(a, at(2, 1, 2, 0, 1)));
  EXPECT_FALSE(onlyDomainsDiffer(a, at(2, 1, 2, 1, 0)));
}

TEST(P3, InclusionIsMonotoneInScope) {
  Place places[] = {at(1, 0, 1, 0, 0), at(2, 0, 1, 0, 0), at(3, 1, 1, 0, 0), at(4, 0, 2, 0, 1)};
  for (const Place &a : places)
    for (const Place &b : places) {
      bool before = false;
      for (Scope s : {Scope::Thread, Scope::Block, Scope::Cluster, Scope::Device, Scope::System}) {
        bool now = p4Includes(s, a, b);
        EXPECT_TRUE(now || !before);
        before = now;
      }
    }
}

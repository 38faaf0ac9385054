#include "Log.h"

#include "gpu/flat_graph.h"

using namespace scopesan;
using namespace scopesan::gpu;
using namespace scopesan::gpu::test;

namespace {

using Places = std::vector<uint32_t>;

FlatNode node(std::vector<FlatNode::Before> after, bool isKernel = false) {
  FlatNode n;
  n.after = std::move(after);
  n.isKernel = isKernel;
  return n;
}

} // namespace

TEST(FlatGraph, EachNodeFollowsItsDependencies) {
  EXPECT_EQ(topologicalOrder(4, {{3, 0}, {0, 2}, {2, 1}}), (Places{3, 0, 2, 1}));
  EXPECT_EQ(topologicalOrder(3, {}), (Places{0, 1, 2}));
  EXPECT_EQ(topologicalOrder(3, {{0, 1}, {1, 2}, {2, 1}}), Places{}) << "a cycle";
}

TEST(FlatGraph, KernelsRunAsLateAsTheGraphAllows) {
  FlatGraph g{node({}, true), node({{0, false}}, true), node({}), node({{2, false}}),
              node({{1, false}})};
  EXPECT_EQ(serialOrder(g), (Places{2, 3, 0, 1, 4}));
}

TEST(FlatGraph, ProgrammaticEdgesStartNoLine) {
  Sink sink;
  core::Detector d(sink, {});
  FlatGraph g{node({}), node({{0, false}}), node({{0, false}}), node({{1, true}})};
  assignLines(g, d);
  EXPECT_EQ(g[1].line.value, g[0].line.value);
  EXPECT_NE(g[2].line.value, g[0].line.value) << "beside the node that continued the line";
  EXPECT_NE(g[3].line.value, g[1].line.value);
  EXPECT_FALSE(g[0].isSink);
  EXPECT_TRUE(g[1].isSink) << "its end is awaited by nobody";
  EXPECT_TRUE(g[2].isSink && g[3].isSink);
}

#include "Effects.h"
#include "Parser.h"

#include <gtest/gtest.h>

#include <utility>

using namespace scopesan::abi;
using namespace scopesan::ptx;

namespace {

std::vector<Effect> effectsOf(std::string_view Text) {
  std::string Error;
  auto P = parse(Text, Error);
  EXPECT_TRUE(P) << Error;
  return P ? effects(*P) : std::vector<Effect>();
}

Effect only(std::string_view Text) {
  auto All = effectsOf(Text);
  EXPECT_EQ(All.size(), 1u) << Text;
  return All.empty() ? Effect() : All[0];
}

Effect access(std::string_view Text, AccessKind K, MemoryOrder O, Scope S, unsigned Bytes) {
  Effect E = only(Text);
  EXPECT_EQ(E.Kind, EffectKind::Access) << Text;
  EXPECT_EQ(E.Op.kind(), K) << Text;
  EXPECT_EQ(E.Op.order(), O) << Text;
  EXPECT_EQ(E.Op.scope(), S) << Text;
  EXPECT_EQ(E.bytes(), Bytes) << Text;
  return E;
}

// O1: unqualified accesses are weak; volatile is relaxed at system scope (O2).
TEST(Effects, LoadsAndStores) {
  Effect E = access("ld.global.v4.u32 {$0,$1,$2,$3}, [$4+16];", AccessKind::Load, MemoryOrder::Weak,
                    Scope::Thread, 16);
  EXPECT_EQ(E.Op.space(), Space::Global);
  EXPECT_EQ(E.Op.elementBytes(), 4u);
  EXPECT_EQ(E.Address.Value, ValueRef::asmOperand(4, 16));
  ASSERT_EQ(E.Result.size(), 4u);
  EXPECT_EQ(E.Result[3], ValueRef::asmOperand(3));

  access("st.weak.cs.v2.b64 [$0], {$1, $2};", AccessKind::Store, MemoryOrder::Weak, Scope::Thread,
         16);
  E = access("ld.volatile.global.b8 $0, [$1];", AccessKind::Load, MemoryOrder::Relaxed,
             Scope::System, 1);
  EXPECT_TRUE(E.Op.isVolatile());
  E = access("st.mmio.relaxed.sys.global.b64 [$0], $1;", AccessKind::Store, MemoryOrder::Relaxed,
             Scope::System, 8);
  EXPECT_TRUE(E.Op.isMmio());
  E = access("ld.global.nc.L1::no_allocate.L2::128B.v2.u64 {$0, $1}, [$2];", AccessKind::Load,
             MemoryOrder::Weak, Scope::Thread, 16);
  EXPECT_TRUE(E.Op.isNonCoherent());
  access("ld.relaxed.sys.global.L1::no_allocate.b8 $0, [$1];", AccessKind::Load,
         MemoryOrder::Relaxed, Scope::System, 1);
  E = access("ld.shared::cluster.u32 $0, [$1];", AccessKind::Load, MemoryOrder::Weak, Scope::Thread,
             4);
  EXPECT_EQ(E.Op.space(), Space::SharedCluster);
}

// O3: atom and red without qualifiers are relaxed.gpu. O5: red is a kind of its own.
TEST(Effects, AtomsAndReds) {
  access("atom.add.u32 $0,[$1],$2;", AccessKind::Rmw, MemoryOrder::Relaxed, Scope::Device, 4);
  access("atom.cta.exch.b32 $0,[$1],$2;", AccessKind::Rmw, MemoryOrder::Relaxed, Scope::Block, 4);
  access("atom.global.acq_rel.sys.inc.u32 $0,[$1],$2;", AccessKind::Rmw, MemoryOrder::AcqRel,
         Scope::System, 4);
  access("red.and.release.cta.b32 [$0],$1;", AccessKind::Red, MemoryOrder::Release, Scope::Block,
         4);
  access("red.global.add.f32 [$0],$1;", AccessKind::Red, MemoryOrder::Relaxed, Scope::Device, 4);
  Effect E = access("{ atom.add.noftz.f16x2 $0,[$1],$2; }", AccessKind::Rmw, MemoryOrder::Relaxed,
                    Scope::Device, 4);
  EXPECT_EQ(E.Op.elementBytes(), 2u);
  access("atom.global.v4.f32.add {$0,$1,$2,$3}, [$4], {$5,$6,$7,$8};", AccessKind::Rmw,
         MemoryOrder::Relaxed, Scope::Device, 16);
}

TEST(Effects, CompareAndSwap) {
  Effect E = access("atom.cas.acquire.cluster.b64 $0,[$1],$2,$3;", AccessKind::Cas,
                    MemoryOrder::Acquire, Scope::Cluster, 8);
  EXPECT_EQ(E.Result, std::vector{ValueRef::asmOperand(0)});
  EXPECT_EQ(E.Compare, std::vector{ValueRef::asmOperand(2)});
  E = access("{.reg .b128 a,b,r; mov.b128 a,{$3,$4}; mov.b128 b,{$5,$6}; "
             "atom.relaxed.gpu.cas.b128 r,[$2],a,b; mov.b128 {$0,$1},r;}",
             AccessKind::Cas, MemoryOrder::Relaxed, Scope::Device, 16);
  EXPECT_EQ(E.PartBytes, 8u);
  EXPECT_EQ(E.Result, (std::vector{ValueRef::asmOperand(0), ValueRef::asmOperand(1)}));
  EXPECT_EQ(E.Compare, (std::vector{ValueRef::asmOperand(3), ValueRef::asmOperand(4)}));
}

// O4
TEST(Effects, Fences) {
  using Expectation = std::tuple<const char *, MemoryOrder, Scope>;
  for (auto [Text, O, S] : {Expectation{"membar.cta;", MemoryOrder::SeqCst, Scope::Block},
                            {"membar.gl;", MemoryOrder::SeqCst, Scope::Device},
                            {"membar.sys;", MemoryOrder::SeqCst, Scope::System},
                            {"fence.sc.cluster;", MemoryOrder::SeqCst, Scope::Cluster},
                            {"fence.acq_rel.gpu;", MemoryOrder::AcqRel, Scope::Device},
                            {"fence.acquire.sys;", MemoryOrder::Acquire, Scope::System},
                            {"fence.release.cta;", MemoryOrder::Release, Scope::Block},
                            {"fence.gpu;", MemoryOrder::AcqRel, Scope::Device}}) {
    Effect E = only(Text);
    EXPECT_EQ(E.Kind, EffectKind::Fence) << Text;
    EXPECT_EQ(E.Op.order(), O) << Text;
    EXPECT_EQ(E.Op.scope(), S) << Text;
  }
}

// S7
TEST(Effects, BlockBarriers) {
  Effect E = only("bar.sync 1, 64;");
  EXPECT_EQ(E.Kind, EffectKind::BlockBarrier);
  EXPECT_EQ(E.Barrier, BarrierKind::Sync);
  EXPECT_EQ(E.BarrierId, ValueRef::constant(1));
  EXPECT_EQ(E.BarrierCount, ValueRef::constant(64));
  E = only("barrier.cta.sync.aligned $0;");
  EXPECT_EQ(E.BarrierId, ValueRef::asmOperand(0));
  EXPECT_EQ(E.BarrierCount, ValueRef::constant(0));
  E = only("bar.arrive $0, $1;");
  EXPECT_EQ(E.Barrier, BarrierKind::Arrive);
  EXPECT_EQ(E.BarrierCount, ValueRef::asmOperand(1));
  E = only("{ .reg .pred p, q; setp.ne.u32 p, $1, 0; bar.red.or.pred q, 2, 96, !p; "
           "selp.u32 $0, 1, 0, q; }");
  EXPECT_EQ(E.Barrier, BarrierKind::Red);
  EXPECT_EQ(E.BarrierId, ValueRef::constant(2));
  EXPECT_EQ(E.BarrierCount, ValueRef::constant(96));
  E = only("{ .reg .pred p; setp.ne.u32 p, $1, 0; bar.red.popc.u32 $0, 0, p; }");
  EXPECT_EQ(E.BarrierCount, ValueRef::constant(0));
}

// S8
TEST(Effects, WarpOperations) {
  Effect E = only("bar.warp.sync $0;");
  EXPECT_EQ(E.Kind, EffectKind::WarpBarrier);
  EXPECT_EQ(E.Mask, ValueRef::asmOperand(0));
  for (const char *Text :
       {"shfl.sync.down.b32 $0, $1, $2, $3, $4;", "vote.sync.any.pred p, q, -1;",
        "match.any.sync.b32 $0, $1, -1;", "redux.sync.add.s32 $0, $1, -1;", "activemask.b32 $0;",
        "nanosleep.u32 $0;", "elect.sync _|p, -1;", "prefetch.global.L2 [$0];", "exit;", "trap;"})
    EXPECT_TRUE(effectsOf(Text).empty()) << Text;
}

TEST(Effects, ConstantMemory) {
  Effect E = only("ld.const.v2.u32 {$0, $1}, [$2+8];");
  EXPECT_EQ(E.Kind, EffectKind::Access);
  EXPECT_EQ(E.Op.space(), Space::Const);
  EXPECT_EQ(E.bytes(), 8u);
}

TEST(Effects, NothingToCheck) {
  for (const char *Text :
       {"ld.param.u64 $0, [p];", "st.local.u32 [$0], $1;", "mov.u32 $0, %laneid;",
        "cvta.to.shared.u64 $0, $1;", "mapa.shared::cluster.u32 $0, $1, $2;",
        "{ .reg .pred p; isspacep.local p, $1; selp.u32 $0, 1, 0, p; }",
        "lop3.b32 $0, $1, $2, $3, 0xe8;",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {$0,$1,"
        "$2,$3}, {$4,$5}, {$6}, {$7,$8,$9,$10};"})
    EXPECT_TRUE(effectsOf(Text).empty()) << Text;
}

// X1
TEST(Effects, Unmodelled) {
  for (const char *Text : {"frobnicate.u32 $0;", "ld.sparkling.u32 $0, [$1];", "ld.u32 $0, $1;",
                           "fence.relaxed.gpu;", "ld.sc.gpu.u32 $0, [$1];", "bar.sync;"}) {
    Effect E = only(Text);
    EXPECT_EQ(E.Kind, EffectKind::Unmodelled) << Text;
    EXPECT_FALSE(E.Reason.empty()) << Text;
  }
}

TEST(Effects, InProgramOrder) {
  auto All = effectsOf("fence.sc.gpu; ld.acquire.gpu.u32 $0, [$1]; st.u32 [$2], 1;");
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(All[0].Kind, EffectKind::Fence);
  EXPECT_EQ(All[1].Op.kind(), AccessKind::Load);
  EXPECT_EQ(All[2].Op.kind(), AccessKind::Store);
}

} // namespace

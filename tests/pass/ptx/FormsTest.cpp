// The effects table as a whole: a row for every opcode of ptx.def, and the forms of memory
// instructions by all their modifiers.
#include "Show.h"

#include "Effects.h"
#include "Parser.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

using scopesan::test::show;

namespace {

struct Row {
  const char *Text, *Effects;
};

// One form at least of each opcode that does more than compute. Others of a kind are in
// EffectsTest, AsyncEffectsTest and MatrixEffectsTest.
constexpr Row Rows[] = {
    // Memory.
    {"ld.global.u32 $0, [$1];", "access(&$1@global, 4) load weak thread @global"},
    {"ldu.global.b64 $0, [$1];", "access(&$1@global, 8) load weak thread @global"},
    {"st.shared.v2.f32 [$0], {$1, $2};", "access(&$0@shared, 8) store weak thread @shared"},
    {"atom.add.u32 $0, [$1], $2;", "access(&$1@, 4) rmw relaxed gpu"},
    {"red.shared.or.b32 [$0], $1;", "access(&$0@shared, 4) red relaxed gpu @shared"},
    {"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [$0], $1, [$2];",
     "store_async(&$0@cluster, 4, &$2@cluster) store weak thread @cluster publishes"},
    {"st.bulk.shared::cta [$0], $1, 0;", "write_range(&$0@shared, $1) store weak thread @shared"},
    {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [$0], $1, "
     "[$2];",
     "store_async(&$0@cluster, 4, &$2@cluster) red relaxed cluster @cluster publishes"},
    {"multimem.red.relaxed.sys.global.add.u32 [$0], $1;", "X1 not modelled yet"},
    {"multimem.ld_reduce.relaxed.sys.global.add.u32 $0, [$1];", "X1 not modelled yet"},
    {"multimem.st.weak.global.u32 [$0], $1;", "X1 not modelled yet"},
    {"cp.somehow [$0], [$1];", "X1 not modelled yet"},
    {"cp.async.ca.shared.global [$0], [$1], 4;",
     "cp_async(&$0@shared, &$1@global, 4, 4) copy weak thread @shared"},
    {"cp.async.mbarrier.arrive.shared.b64 [$0];",
     "cp_async_mbarrier_arrive(&$0@shared, 0) publishes"},
    {"cp.async.commit_group;", "cp_async_commit()"},
    {"cp.async.wait_group 1;", "cp_async_wait(1) after"},
    {"cp.async.wait_all;", "cp_async_wait(4294967295) after"},
    {"cp.async.bulk.global.shared::cta.bulk_group [$0], [$1], $2;",
     "bulk_copy(&$0@global, &$1@shared, $2, null, 0) copy weak thread @global publishes"},
    {"cp.async.bulk.commit_group;", "bulk_commit()"},
    {"cp.async.bulk.wait_group 0;", "bulk_wait(0, 0) after"},
    {"cp.async.bulk.prefetch.L2.global [$0], $1;", ""},
    {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$0, {$1, $2}], [$3];",
     "tensor_copy() copy weak thread @global publishes cpu; "
     "gpu_tensor_copy(&$0@, &$3@shared, null, $1, $2, 0, 0, 0, 1179648, 0) "
     "copy weak thread @global publishes gpu"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [$0], [$1], $2;",
     "bulk_copy(&$0@global, &$1@shared, $2, null, 0) red relaxed gpu @global publishes"},
    {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.bulk_group [$0, {$1, $2}], [$3];",
     "tensor_copy() red relaxed gpu @global publishes cpu; "
     "gpu_tensor_copy(&$0@, &$3@shared, null, $1, $2, 0, 0, 0, 3276800, 0) "
     "red relaxed gpu @global publishes gpu"},
    {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {$0, $1}, [$2];",
     "access(&$2@shared, 16, lanes 16) load weak thread @shared"},
    {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [$0], {$1};",
     "access(&$0@shared, 16, lanes 8) store weak thread @shared"},
    {"movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", ""},
    {"tensormap.replace.tile.global_address.global.b1024.b64 [$0], $1;",
     "access(&$0@global, 128) store weak thread @global; "
     "gpu_tensormap_before(&$0@global, 0, 0, $1) gpu; gpu_tensormap_after(&$0@global) after gpu"},
    {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
     "[$0], [$1], 128;",
     "warp_barrier; access(&$1@shared, 128, lanes 1) load weak thread @shared; "
     "access(&$0@global, 128, lanes 1) store weak thread @global; "
     "tensormap_fence(null, 0) fence release gpu"},
    {"tex.1d.v4.f32.s32 {$0, $1, $2, $3}, [$4, {$5}];",
     "texture() load weak thread @global cpu; "
     "X1 texture fetch, which the CPU backend models gpu"},
    {"tld4.r.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];",
     "texture() load weak thread @global cpu; "
     "X1 texture fetch, which the CPU backend models gpu"},
    {"suld.b.1d.b32.trap $0, [$1, {$2}];", "texture() load weak thread @global cpu; "
                                           "X1 surface access, which the CPU backend models gpu"},
    {"sust.b.1d.b32.trap [$0, {$1}], $2;", "texture() store weak thread @global cpu; "
                                           "X1 surface access, which the CPU backend models gpu"},
    {"sured.b.add.1d.u32.trap [$0, {$1}], $2;", "X1 reduction on a surface"},
    {"discard.global.L2 [$0], 128;", "write_range(&$0@global, 128) store weak thread @global"},
    {"prefetch.global.L1 [$0];", ""},
    {"prefetch.tensormap [$0];", ""},
    {"prefetchu.L1 [$0];", ""},
    {"applypriority.global.L2::evict_normal [$0], 128;", ""},
    // Order and synchronization.
    {"fence.acq_rel.gpu;", "fence() fence acq_rel gpu"},
    {"fence.proxy.alias;", "proxy_fence(2, 0)"},
    {"membar.gl;", "fence() fence sc gpu"},
    {"membar.proxy.async;", "proxy_fence(0, 0)"},
    {"bar.sync 0;", "block_barrier aligned"},
    {"barrier.cta.arrive 1, 64;", "block_barrier"},
    {"bar.warp.sync $0;", "warp_barrier"},
    {"barrier.cluster.arrive.relaxed;", "cluster_arrive(1) publishes"},
    {"mbarrier.init.shared.b64 [$0], 1;", "mbarrier_init(&$0@shared, 1) publishes"},
    {"mbarrier.pending_count.b64 $0, $1;", ""},
    {"griddepcontrol.wait;", "griddep_wait() after"},
    {"griddepcontrol.launch_dependents;", "griddep_launch() publishes"},
    {"clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [$0], [$1];",
     "X1 not modelled yet"},
    {"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 $0, $1;", ""},
    {"shfl.sync.idx.b32 $0, $1, $2, 31, -1;", ""},
    {"vote.sync.ballot.b32 $0, $1, -1;", ""},
    {"match.all.sync.b32 $0, $1, -1;", ""},
    {"redux.sync.add.s32 $0, $1, -1;", ""},
    {"elect.sync $0|p, -1;", ""},
    {"activemask.b32 $0;", ""},
    {"nanosleep.u32 20;", ""},
    {"setmaxnreg.inc.sync.aligned.u32 96;", ""},
    {"pmevent 7;", ""},
    // Matrix units.
    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0, $1}, {$2}, {$3}, {$0, $1};", ""},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {$0}, {$1}, {$2}, {$3};", ""},
    {"wmma.frob.sync.aligned;", "X1 not modelled yet"},
    {"wmma.load.b.sync.aligned.col.m8n8k128.shared.b1 {$0}, [$1], 256;",
     "access(&$1@shared, 16, lanes 8, stride 256x1) load weak thread @shared"},
    {"wmma.store.d.sync.aligned.row.m8n8k32.s32 [$0], {$1, $2}, $3;",
     "access(&$0@, 32, lanes 8, stride $3x32) store weak thread"},
    {"wgmma.frob.sync.aligned;", "X1 not modelled yet"},
    {"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {$0, $1, $2, $3}, $4, $5, 1;",
     "wgmma() load weak thread @shared cpu; "
     "gpu_wgmma($4, $5, 2056, 0, 0) load weak thread @shared gpu"},
    {"wgmma.fence.sync.aligned;", ""},
    {"wgmma.commit_group.sync.aligned;", "gpu_wgmma_commit() gpu"},
    {"wgmma.wait_group.sync.aligned 0;", "gpu_wgmma_wait(0) after gpu"},
    {"tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$1];", "X1 not modelled yet"},
    {"tcgen05.fence::before_thread_sync;", "X1 not modelled yet"},
    // Control.
    {"bra THERE; THERE:", ""},
    {"brx.idx $0, TABLE;", ""},
    {"ret;", ""},
    {"exit;", ""},
    {"trap;", ""},
    {"brkpt;", ""},
    {"call (r), f, (x);", "X1 not modelled yet"},
    {"stackrestore.u64 $0;", ""},
    // Not in the table.
    {"frobnicate.u32 $0, $1;", "X1 unknown instruction"},
    {"ldq.u32 $0, [$1];", "X1 unknown instruction"},
};

std::vector<std::string> opcodes(bool Computing) {
  std::vector<std::string> All;
  auto Add = [&](const char *Name, const std::string &Class) {
    if ((Class == "Value") == Computing)
      All.emplace_back(Name);
  };
#define SCOPESAN_PTX_OPCODE(name, class) Add(name, #class);
#include "ptx.def"
  return All;
}

/// The opcode of the table that decides: the longest dotted prefix.
std::string decidingOpcode(const std::string &Opcode) {
  std::string Best;
  for (bool Computing : {false, true})
    for (const std::string &Name : opcodes(Computing))
      if ((Opcode + ".").starts_with(Name + ".") && Name.size() > Best.size())
        Best = Name;
  return Best;
}

TEST(Forms, EveryOpcodeHasARow) {
  std::set<std::string> Named;
  for (const Row &R : Rows) {
    EXPECT_EQ(show(R.Text), R.Effects) << R.Text;
    std::string Error;
    auto P = scopesan::ptx::parse(R.Text, Error);
    ASSERT_TRUE(P) << R.Text << ": " << Error;
    for (const auto &S : P->Statements)
      Named.insert(decidingOpcode(S.Opcode));
  }
  for (const std::string &Name : opcodes(false))
    EXPECT_TRUE(Named.contains(Name)) << "no row for " << Name;
}

TEST(Forms, ComputingHasNoEffects) {
  for (const std::string &Name : opcodes(true))
    EXPECT_EQ(show(Name + ".b32 $0, $1, $2;"), "") << Name;
}

struct Space {
  const char *Text, *Shown;
};
constexpr Space Spaces[] = {{"", ""},
                            {".global", "global"},
                            {".shared", "shared"},
                            {".shared::cta", "shared"},
                            {".shared::cluster", "cluster"}};

std::string shownIn(const Space &S) { return *S.Shown ? std::string(" @") + S.Shown : ""; }

TEST(Forms, LoadsAndStoresBySpaceOrderAndScope) {
  for (const Space &S : Spaces) {
    auto At = [&](const char *Operand) {
      return std::string("access(&") + Operand + "@" + S.Shown;
    };
    std::string In = shownIn(S), Place = S.Text;
    EXPECT_EQ(show("ld" + Place + ".b64 $0, [$1];"), At("$1") + ", 8) load weak thread" + In);
    EXPECT_EQ(show("ld.weak" + Place + ".b64 $0, [$1];"), At("$1") + ", 8) load weak thread" + In);
    EXPECT_EQ(show("ld.volatile" + Place + ".b64 $0, [$1];"),
              At("$1") + ", 8) load relaxed sys" + In);
    EXPECT_EQ(show("st" + Place + ".b64 [$0], $1;"), At("$0") + ", 8) store weak thread" + In);
    EXPECT_EQ(show("st.volatile" + Place + ".b64 [$0], $1;"),
              At("$0") + ", 8) store relaxed sys" + In);
    for (std::string Scope : {"cta", "cluster", "gpu", "sys"}) {
      for (std::string Order : {"relaxed", "acquire"})
        EXPECT_EQ(show("ld." + Order + "." + Scope + Place + ".b64 $0, [$1];"),
                  At("$1") + ", 8) load " + Order + " " + Scope + In);
      for (std::string Order : {"relaxed", "release"})
        EXPECT_EQ(show("st." + Order + "." + Scope + Place + ".b64 [$0], $1;"),
                  At("$0") + ", 8) store " + Order + " " + Scope + In);
    }
  }
}

TEST(Forms, MemoryThatIsNeverChecked) {
  EXPECT_EQ(show("ld.const.b32 $0, [$1];"), "access(&$1@const, 4) load weak thread @const")
      << "the host may write it";
  for (std::string Space : {"param", "param::entry", "param::func", "local"})
    EXPECT_EQ(show("ld." + Space + ".b32 $0, [$1];"), "") << Space;
  for (std::string Space : {"local", "param", "param::func"})
    EXPECT_EQ(show("st." + Space + ".b32 [$0], $1;"), "") << Space;
}

TEST(Forms, HintsChangeNothing) {
  const char *Load = "access(&$1@global, 4) load weak thread @global";
  for (std::string Hint :
       {"ca", "cg", "cs", "lu", "cv", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
        "L1::evict_last", "L1::no_allocate", "L2::evict_first", "L2::64B", "L2::128B", "L2::256B"})
    EXPECT_EQ(show("ld.global." + Hint + ".u32 $0, [$1];"), Load) << Hint;
  EXPECT_EQ(show("ld.global.L2::cache_hint.u32 $0, [$1], $2;"), Load);
  EXPECT_EQ(show("ld.global.unified.u32 $0, [$1];"), Load);
  const char *Store = "access(&$0@global, 4) store weak thread @global";
  for (std::string Hint : {"wb", "cg", "cs", "wt", "L1::no_allocate", "L2::evict_last"})
    EXPECT_EQ(show("st.global." + Hint + ".u32 [$0], $1;"), Store) << Hint;
  EXPECT_EQ(show("st.global.L2::cache_hint.u32 [$0], $1, $2;"), Store);
}

struct Type {
  const char *Name;
  unsigned Bytes;
};

TEST(Forms, LoadsAndStoresByTypeAndVector) {
  for (auto [Name, Bytes] : {Type{"b8", 1},
                             {"u8", 1},
                             {"s8", 1},
                             {"b16", 2},
                             {"u16", 2},
                             {"s16", 2},
                             {"f16", 2},
                             {"bf16", 2},
                             {"f16x2", 4},
                             {"bf16x2", 4},
                             {"b32", 4},
                             {"u32", 4},
                             {"s32", 4},
                             {"f32", 4},
                             {"b64", 8},
                             {"u64", 8},
                             {"s64", 8},
                             {"f64", 8},
                             {"b128", 16}})
    for (auto [Vector, Count] : {Type{"", 1}, {".v2", 2}, {".v4", 4}, {".v8", 8}}) {
      std::string Size = std::to_string(Bytes * Count);
      EXPECT_EQ(show("ld.global.nc" + std::string(Vector) + "." + Name + " $0, [$1];"),
                "access(&$1@global, " + Size + ") load weak thread @global");
      EXPECT_EQ(show("st.global" + std::string(Vector) + "." + Name + " [$0], $1;"),
                "access(&$0@global, " + Size + ") store weak thread @global");
    }
}

TEST(Forms, AtomsAndRedsByOperationAndType) {
  struct {
    const char *Operation, *Type;
    unsigned Bytes;
  } Forms[] = {{"and", "b32", 4},          {"and", "b64", 8},         {"or", "b32", 4},
               {"xor", "b64", 8},          {"add", "u32", 4},         {"add", "s32", 4},
               {"add", "u64", 8},          {"add", "f32", 4},         {"add", "f64", 8},
               {"add.noftz", "f16", 2},    {"add.noftz", "f16x2", 4}, {"add.noftz", "bf16", 2},
               {"add.noftz", "bf16x2", 4}, {"min", "s32", 4},         {"min", "u64", 8},
               {"max", "u32", 4},          {"max", "s64", 8},         {"inc", "u32", 4},
               {"dec", "u32", 4}};
  for (auto [Operation, Type, Bytes] : Forms) {
    std::string Tail = std::string(".") + Operation + "." + Type;
    std::string Size = ", " + std::to_string(Bytes) + ") ";
    for (const Space &S : Spaces) {
      std::string At = std::string("@") + S.Shown + Size, In = shownIn(S);
      EXPECT_EQ(show(std::string("atom") + S.Text + Tail + " $0, [$1], $2;"),
                "access(&$1" + At + "rmw relaxed gpu" + In);
      EXPECT_EQ(show(std::string("red") + S.Text + Tail + " [$0], $1;"),
                "access(&$0" + At + "red relaxed gpu" + In);
    }
    for (std::string Scope : {"cta", "cluster", "gpu", "sys"}) {
      for (std::string Order : {"relaxed", "acquire", "release", "acq_rel"})
        EXPECT_EQ(show("atom." + Order + "." + Scope + Tail + " $0, [$1], $2;"),
                  "access(&$1@" + Size + "rmw " + Order + " " + Scope);
      for (std::string Order : {"relaxed", "release"})
        EXPECT_EQ(show("red." + Order + "." + Scope + Tail + " [$0], $1;"),
                  "access(&$0@" + Size + "red " + Order + " " + Scope);
    }
  }
}

TEST(Forms, ExchangeAndCompare) {
  for (auto [Name, Bytes] : {Type{"b16", 2}, {"b32", 4}, {"b64", 8}, {"b128", 16}}) {
    std::string Size = ", " + std::to_string(Bytes) + ") ";
    EXPECT_EQ(show(std::string("atom.acquire.sys.cas.") + Name + " $0, [$1], $2, $3;"),
              "access(&$1@" + Size + "cas acquire sys");
    EXPECT_EQ(show(std::string("atom.global.exch.") + Name + " $0, [$1], $2;"),
              "access(&$1@global" + Size + "rmw relaxed gpu @global");
  }
}

TEST(Forms, VectorsOfAtomsAndReds) {
  for (auto [Vector, Name, Bytes] : {std::tuple{"v2", "f32", 8u},
                                     {"v4", "f32", 16u},
                                     {"v2", "f16", 4u},
                                     {"v4", "f16", 8u},
                                     {"v8", "f16", 16u},
                                     {"v2", "bf16x2", 8u},
                                     {"v4", "f16x2", 16u}}) {
    std::string Tail = std::string(".global.") + Vector + "." + Name + ".add.noftz";
    std::string Size = "@global, " + std::to_string(Bytes) + ") ";
    EXPECT_EQ(show("atom" + Tail + " $0, [$1], $2;"),
              "access(&$1" + Size + "rmw relaxed gpu @global");
    EXPECT_EQ(show("red" + Tail + " [$0], $1;"), "access(&$0" + Size + "red relaxed gpu @global");
  }
}

// Forms of other architectures, and forms that PTX does not have: X1.
TEST(Forms, WhatIsNotModelledIsNeverSilent) {
  for (const char *Text :
       {"st.async.release.cta.global.u32 [$0], $1;",
        "st.async.mmio.release.sys.global.v2.u32 [$0], {$1, $2};",
        "red.async.release.gpu.global.u32 [$0], $1;", "ld.global.frob.u32 $0, [$1];",
        "atom.add.sc.gpu.u32 $0, [$1], $2;", "fence.proxy.surface;",
        "mbarrier.arrive.release.sys.shared.b64 $0, [$1];",
        "cp.async.bulk.shared::cluster.global.bulk_group [$0], [$1], $2;",
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes "
        "[$0], [$1, {$2, $3, $4}], [$5], {$6, $7};",
        "multimem.cp.async.bulk.global.shared::cta.bulk_group [$0], [$1], $2;",
        "griddepcontrol.frob;", "bar.frob 0;", "barrier.cluster.arrive.acq_rel;"})
    EXPECT_TRUE(show(Text).starts_with("X1 ")) << Text << ": " << show(Text);
}

} // namespace

// Rows as CUDA kernels: the PTX form of each operation, places, barriers, launches.
#include "RowParser.h"
#include "emit/Needs.h"
#include "emit/Unit.h"

#include <gtest/gtest.h>
#include <set>

using namespace scopesan::litmus;

namespace {

Program parse(const std::string &ops, const std::string &placement = "same CTA") {
  Row r;
  r.id = "TEST/row";
  r.ops = ops;
  r.placement = placement;
  Program p = parseRow(r);
  EXPECT_EQ(p.notRunnable, "") << ops;
  return p;
}
std::string unitOf(const Program &p) {
  UnitWriter w;
  EXPECT_EQ(w.add(0, p), "");
  return w.text();
}
bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

struct Form {
  const char *op, *ptx, *placement = "same CTA";
};
class EmittedForm : public testing::TestWithParam<Form> {};

TEST_P(EmittedForm, IsExact) {
  const Form &f = GetParam();
  std::string text = unitOf(parse(std::string("T0: ") + f.op + " ## T1: Ww other", f.placement));
  EXPECT_TRUE(has(text, f.ptx)) << f.op << " must become " << f.ptx << " in\n" << text;
}

INSTANTIATE_TEST_SUITE_P(
    Accesses, EmittedForm,
    testing::Values(
        Form{"Rrlx@gpu x->r0", "ld.relaxed.gpu.global.b32 %0, [%1];"},
        Form{"Racq@cta x->r0", "ld.acquire.cta.global.b32 %0, [%1];"},
        Form{"Rrlx.b64@clu x->r0", "ld.relaxed.cluster.global.b64 %0, [%1];"},
        Form{"Wrel@sys x=5", "int v = 5; asm volatile(\"st.release.sys.global.b32 [%0], %1;\""},
        Form{"Wvol x=1", "*(volatile int *)(m + 0) = v;"},
        Form{"Rw x->r0", "int v = *(int *)(m + 0);"},
        Form{"Rrlx.v2.b64@gpu x", "ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];"},
        Form{"Wrlx.b128@gpu x", "mov.b128 t, {%1, %1}; st.relaxed.gpu.global.b128 [%0], t;"},
        Form{"Rmmio x->r0", "ld.mmio.relaxed.sys.global.b32"},
        Form{"Rw s->r0", "int v = *(int *)(s + 0);"},
        Form{"Racq@cta s->r0", "ld.acquire.cta.shared.b32 %0, [%1];\" : \"=r\"(v) : \"r\"(window("},
        Form{"ld.global.nc x", "ld.global.nc.b32 %0, [%1];"}));

INSTANTIATE_TEST_SUITE_P(
    ReadModifyWrites, EmittedForm,
    testing::Values(
        Form{"U[add]ar@gpu x(1)->r0", "atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"},
        Form{"U[sub]rlx@gpu x(3)->r0", "int v = -(3), old; asm volatile(\"atom.relaxed"},
        Form{"U[cas]acq@cta x(0;7)->r0", "atom.acquire.cta.global.cas.b32 %0, [%1], %2, %3;"},
        Form{"U[exch]rel@sys x(2)->r0", "atom.release.sys.global.exch.b32 %0, [%1], %2;"},
        Form{"U[min]rlx@gpu x(2)->r0", "atom.relaxed.gpu.global.min.s32"},
        Form{"U0[add]rlx@gpu x(1)", "red.relaxed.gpu.global.add.u32 [%0], %1;"},
        Form{"U0[add]ar@gpu x(1)", "red.release.gpu.global.add.u32 [%0], %1;"}, // O5
        Form{"U[add].f16x2@gpu x", "atom.relaxed.gpu.global.add.noftz.f16x2"}));

INSTANTIATE_TEST_SUITE_P(
    FencesAndBarriers, EmittedForm,
    testing::Values(Form{"Fsc@gpu", "fence.sc.gpu;"}, Form{"Far@cta", "fence.acq_rel.cta;"},
                    Form{"Facq@clu", "fence.acquire.cluster;"},
                    Form{"Frel@sys", "fence.release.sys;"}, Form{"PF.async", "fence.proxy.async;"},
                    Form{"PF.alias", "fence.proxy.alias;"},
                    Form{"B.sync(3)", "barrier.sync %0, %1;\" :: \"r\"((int)3), \"r\"(32)"},
                    Form{"BAR", "barrier.sync %0;\" :: \"r\"((int)0)"},
                    Form{"bar.arrive 1,64", "barrier.arrive %0, %1;\" :: \"r\"((int)1), \"r\"(32)"},
                    Form{"__syncwarp", "__syncwarp(1u);"},
                    Form{"barrier.cluster.arrive.relaxed; barrier.cluster.wait",
                         "barrier.cluster.arrive.relaxed;", "two CTAs one cluster"},
                    Form{"griddepcontrol.wait", "griddepcontrol.wait;"}));

INSTANTIATE_TEST_SUITE_P(
    Asynchronous, EmittedForm,
    testing::Values(
        Form{"mbar.arrive m", "mbarrier.arrive.release.cta.shared::cta.b64 state, [%0];"},
        Form{"mbar.arrive.relaxed m", "mbarrier.arrive.relaxed.cta.shared::cta.b64"},
        Form{"mbar.arrive.expect_tx m", "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64"},
        Form{"try_wait.parity(1) m",
             "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], 1;"},
        Form{"cp.async g->d", "cp.async.ca.shared.global [%0], [%1], 16;"},
        Form{"cp.async.bulk g->d [m]", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx:"
                                       ":bytes [%0], [%1], 16, [%2];"},
        Form{"bulk s->g", "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;"},
        Form{"cp.reduce.async.bulk g",
             "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 16;"},
        Form{"cp.async A; commit; wait_group 0", "cp.async.wait_group 0;"},
        Form{"bulk s->g; commit; bulk.wait_group.read 0", "cp.async.bulk.wait_group.read 0;"}));

TEST(Emit, EveryOperationHasALineOfItsOwn) {
  Program p = parse("T0: Ww x=1; Wrel@cta f=1 ## T1: spin Racq@cta f==1; Rw x->r9");
  UnitWriter w;
  ASSERT_EQ(w.add(7, p), "");
  std::vector<std::string> lines(1);
  for (char c : w.text())
    c == '\n' ? (void)lines.emplace_back() : (void)(lines.back() += c);
  std::set<uint32_t> seen;
  for (const EmittedSite &s : w.sites()) {
    EXPECT_EQ(s.row, 7u);
    EXPECT_TRUE(seen.insert(s.line).second);
    const Instr &i = p.threads[s.thread].code[s.instr];
    const std::string &text = lines.at(s.line - 1);
    EXPECT_TRUE(i.verb != Verb::Store || i.isStrong() || has(text, "= v;")) << text;
    EXPECT_TRUE(i.verb != Verb::Branch || has(text, "goto")) << text;
  }
  EXPECT_EQ(seen.size(), 5u);
}

TEST(Emit, CountsAreWarps) {
  std::string text = unitOf(parse("T0: B.sync(1;1;3) ## T1: B.sync(1;1;3) ## T2: B.sync(1;1;3)"));
  EXPECT_TRUE(has(text, "\"r\"((int)1), \"r\"(96)"));
  // Each id has its own members; the whole block needs no count.
  text = unitOf(parse("T0: B.sync(1;1) ## T1: B.sync(1;2) ## T2: B.sync(1;2)"));
  EXPECT_TRUE(has(text, "\"r\"((int)1), \"r\"(32)"));
  EXPECT_TRUE(has(text, "\"r\"((int)2), \"r\"(64)"));
  EXPECT_TRUE(has(unitOf(parse("T0: B.sync(1) ## T1: B.sync(1)")), "barrier.sync %0;"));
}

TEST(Emit, BarriersNamedByRegisters) {
  std::string text = unitOf(parse("T0: Rw z->r2; B.sync(1;r2) ## T1: B.sync(1;1)"));
  EXPECT_TRUE(has(text, "if (!((1 == 1 && q0 == 1))) asm volatile(\"barrier.sync %0, %1;"));
}

TEST(Emit, PlacesThreads) {
  std::string text = unitOf(parse("T0: Ww x ## T1: Ww x", "two CTAs one cluster"));
  EXPECT_TRUE(has(text, "row.launch(row0_K0, {2, 33, 2, 0}"));
  EXPECT_TRUE(has(text, "blockIdx.x == 1 && threadIdx.x == 32) row0_T1"));
  text = unitOf(parse("T0: Ww x ## T1: Ww x", "T0=g0.b0 T1=g0.b1.dom1"));
  EXPECT_TRUE(has(text, "row.launch(row0_K1, {1, 1, 1, 1}"));
}

TEST(Emit, NeedsOfRows) {
  auto needs = [](const char *ops, const char *placement) {
    return needsOf(parse(ops, placement));
  };
  EXPECT_EQ(needs("T0: Ww x ## T1: Ww x", "different CTAs"), UnitNeeds());
  EXPECT_EQ(needs("T0: Ww x ## T1: Ww x", "different GPUs").devices, 2u);
  EXPECT_EQ(needs("host: Ww x; launch K ## K: Rw x", "host; K").compilerFlags, "-fscopesan-host");
  EXPECT_EQ(needs("host: launch K; cudaDeviceSynchronize ## K: Rw x", "host; K"), UnitNeeds());
  EXPECT_EQ(needs("wgmma.mma_async(smemA)", "warpgroup").compilerFlags,
            "--no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a");
  EXPECT_EQ(needs("T0: Ww g; launch child ## child: Rw g", "parent t0").compilerFlags, "-fgpu-rdc");
}

TEST(Emit, AWarpgroupIsOneThread) {
  std::string text =
      unitOf(parse("Ww smemA; PF.async; wgmma.mma_async(smemA); commit; Ww smemA", "warpgroup"));
  EXPECT_TRUE(has(text, "{1, 128, 1, 0}")) << text;
  EXPECT_TRUE(has(text, "if (blockIdx.x == 0) row0_T0(")) << text;
  EXPECT_TRUE(has(text, "if (threadIdx.x == 0) { { int v = 1;")) << text;
  EXPECT_TRUE(has(text, "wgmma.mma_async.sync.aligned.m64n8k16")) << text;
  EXPECT_TRUE(has(
      text, "wgmma.commit_group.sync.aligned;\" ::: \"memory\"); if (threadIdx.x == 0) log.note(3, "
            "false, 0); "
            "warpgroupBarrier();"))
      << text;
  EXPECT_TRUE(has(text, "static __shared__ __align__(128) char s[128]")) << text;
}

TEST(Emit, TensorMaps) {
  std::string text =
      unitOf(parse("T0: Ww g=1; PF.tensormap.rel@gpu; Wrel@gpu f=1 ## "
                   "T1: spin Racq@gpu f==1; PF.tensormap.acq@gpu [g]; bulk.tensor uses g",
                   "T0=g0.b0 T1=g0.b1"));
  for (const char *part :
       {"row.setTensorMap(0, 192);", "tensormap.replace.tile.global_address.global.b1024.b64",
        "fence.proxy.tensormap::generic.release.gpu;",
        "fence.proxy.tensormap::generic.acquire.gpu [%0], 128;\" :: \"l\"(m + 0)",
        "cp.async.bulk.tensor.1d.shared::cluster.global"})
    EXPECT_TRUE(has(text, part)) << part << " in\n" << text;
}

TEST(Emit, SeveralAddressesOfOneMemory) {
  Row r;
  r.id = "TEST/alias";
  r.ops = "T0: Ww x=1; PF.alias; Rw y";
  r.placement = "same CTA";
  r.notes = "aliases: y=generic view of x (distinct VA),z=generic view of x (distinct VA)";
  std::string text = unitOf(parseRow(r));
  EXPECT_TRUE(has(text, "Row row(0, 1, 64, false, 2);")) << text;
  EXPECT_TRUE(has(text, "*(int *)(m + 0) = v;")) << text;
  EXPECT_TRUE(has(text, "int v = *(int *)(m + 1 * MappingDistance + 0);")) << text;
}

TEST(Emit, StreamsPassValues) {
  std::string text = unitOf(parse("K1@s1: Ww g ## K2@s2: Rw g", "s1 writeValue; s2 waitValue"));
  size_t write = text.find("row.writeValue(row.stream(\"s1\""),
         wait = text.find("row.waitValue(row.stream(\"s2\"");
  EXPECT_LT(text.find("row.launch(row0_K0"), write) << text;
  EXPECT_LT(write, wait);
  EXPECT_LT(wait, text.find("row.launch(row0_K1")) << text;
}

TEST(Emit, SeveralHostThreads) {
  std::string text =
      unitOf(parse("T0: spin U[cas]acq@sys l(0;1); Wrel@sys l=0 ## T1: U[add]rlx@sys l(2)->r0",
                   "T0=host T1=host"));
  EXPECT_TRUE(has(text, "__atomic_compare_exchange_n((int *)(row.memory() + 0), &old, 1, false, "
                        "__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)"))
      << text;
  EXPECT_TRUE(has(text, "__atomic_fetch_add((int *)(row.memory() + 0), 2, __ATOMIC_RELAXED)"));
  EXPECT_TRUE(has(text, "std::thread thread0(host0, row.host(0)); std::thread thread1(")) << text;
  // Host code has one scope.
  EXPECT_TRUE(hasNoCudaForm(UnitWriter().add(0, parse("T0: Wrel@gpu x=1", "T0=host"))));
}

TEST(Emit, LaunchesByThreads) {
  std::string text = unitOf(parse("t0: Ww g; launch child ## child: Rw g", "parent t0"));
  EXPECT_TRUE(has(text, "row0_K1<<<1, 1>>>(m, log.all, log.delays);")) << text;
  EXPECT_FALSE(has(text, "row.launch(row0_K1")) << text;
}

TEST(Emit, WhatCudaCannotSay) {
  auto reason = [](const char *ops) {
    Row r;
    r.id = "TEST/views";
    r.ops = ops;
    r.placement = "same CTA";
    r.notes = "aliases: s=surface view of x";
    return UnitWriter().add(0, parseRow(r));
  };
  EXPECT_TRUE(
      has(reason("T0: Wsurf s=2; PF.surface ## T1: Rw x"), "PTX has no fence of the surface"));
  EXPECT_TRUE(has(reason("T0: Wsurf s=2 ## T1: Rw x"), "a surface is a view of an array"));
  EXPECT_FALSE(hasNoCudaForm(reason("T0: Wsurf s=2 ## T1: Rsurf s"))) << "an array's own surface";
}

TEST(Emit, PeersKeepTheirSharedMemory) {
  std::string text =
      unitOf(parse("T0: st.async s [m] ## T1: try_wait m; Rw s", "two CTAs one cluster"));
  EXPECT_TRUE(has(text, "peerWindow(window(s + 64), 1)")) << text;
  // Around the threads' code: shared memory is set up before it and lives until all are through.
  EXPECT_LT(text.find("clusterBarrier();"), text.find("row0_T0(m, s"));
  EXPECT_GT(text.rfind("clusterBarrier();"), text.rfind("row0_T1(m, s"));
}

TEST(Emit, LaunchOrder) {
  std::string text = unitOf(parse("K1: Ww g ## K2: Rw g", "K1@s1; record e; s2 waits e; K2"));
  size_t first = text.find("row.launch(row0_K0, {1, 1, 1, 0}, row.stream(\"s1\", true))"),
         record = text.find("cudaEventRecord(row.event(\"e\"), row.stream(\"s1\", true))"),
         wait = text.find("cudaStreamWaitEvent(row.stream(\"s2\", true), row.event(\"e\"), 0)"),
         second = text.find("row.launch(row0_K1, {1, 1, 1, 0}, row.stream(\"s2\", true))");
  EXPECT_LT(first, record);
  EXPECT_LT(record, wait);
  EXPECT_LT(wait, second);
  EXPECT_NE(second, std::string::npos);
  EXPECT_TRUE(has(unitOf(parse("A: Ww g ## B: Rw g", "nodes A->B")),
                  "row.node(row0_K1, {1, 1, 1, 0}, {0});"));
  EXPECT_TRUE(has(unitOf(parse("K1: trigger ## K2: Rw g", "K1 triggers; K2 programmatic")),
                  "row.stream(\"s1\", true), true);"));
}

TEST(Emit, HostThreads) {
  std::string text =
      unitOf(parse("K: Ww managed ## host: cudaStreamSynchronize; Rw managed", "K; host"));
  size_t launch = text.find("row.launch("),
         wait = text.find("cudaStreamSynchronize(row.latestStream())"),
         read = text.find("int v = *(int *)(row.memory() + 0);");
  EXPECT_LT(launch, wait);
  EXPECT_LT(wait, read);
  EXPECT_NE(read, std::string::npos);
  EXPECT_TRUE(has(text, "Row row(0, 2, 64, true);")) << "managed memory";
}

TEST(Emit, SaysWhatHasNoCudaForm) {
  UnitWriter w;
  std::string why = w.add(0, parse("T0: Ww x=1; PF.texture"));
  EXPECT_TRUE(hasNoCudaForm(why)) << why;
  why = w.add(0, parse("T0: Rtex t"));
  EXPECT_NE(why, "");
  EXPECT_FALSE(hasNoCudaForm(why)) << why;
  EXPECT_EQ(w.rows(), 0u);
}

} // namespace

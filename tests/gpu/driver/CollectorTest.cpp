// The collector against a made-up driver: launches, copies, memory, contexts.
#include "Program.h"

// ---------------------------------------------------------------- logged kernels

TEST_F(Collector, LoggedKernelRaces) {
  uint64_t p = allocate();
  launch("logged", nullptr, [&] {
    EXPECT_EQ(state().table, 0u);
    record(0, EventKind::Write, p);
    record(1, EventKind::Write, p);
  });
  synchronize();
  EXPECT_EQ(found(), 1u);
}

TEST_F(Collector, CopyOnAnotherStream) {
  uint64_t p = allocate(), q = allocate();
  synchronize();
  launch("logged", stream(), [&] { record(0, EventKind::Write, p); });
  copy(q, p, 4, stream());
  synchronize();
  EXPECT_EQ(found(), 1u);
}

TEST_F(Collector, LargeFills) {
  constexpr uint64_t bytes = 1ull << 33; // too many words for the host
  uint64_t p = allocate(bytes), q = allocate(bytes);
  CUstream s = stream();
  fill(p, bytes / 4, s);
  copy(q, p, bytes, s);
  launch("logged", s, [&] { record(0, EventKind::Write, p); });
  EXPECT_EQ(lines("large copy"), 0u);
  launch("logged", stream(), [&] { record(0, EventKind::Write, p + 64); });
  EXPECT_EQ(lines("large copy"), 1u);
  synchronize();
  EXPECT_EQ(found(), 0u);
  release(p);
  release(q);
}

TEST_F(Collector, ProgrammaticLaunchDoesNotFollow) {
  uint64_t p = allocate();
  CUstream s = stream();
  CUlaunchAttribute a{};
  a.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  a.value.programmaticStreamSerializationAllowed = 1;
  launch("logged", s, [&] { record(0, EventKind::Write, p); });
  launch(
      "logged", s,
      [&] {
        record(0, EventKind::GriddepWait, 0);
        record(0, EventKind::Read, p);
      },
      &a);
  synchronize();
  EXPECT_EQ(found(), 0u);
  launch("logged", s, [&] { record(0, EventKind::Write, p); });
  launch("logged", s, [&] { record(0, EventKind::Read, p); }, &a);
  synchronize();
  EXPECT_EQ(found(), 1u);
}

TEST_F(Collector, UseAfterFree) {
  uint64_t p = allocate();
  launch("logged", nullptr, [&] { record(0, EventKind::Write, p); });
  release(p);
  launch("logged", nullptr, [&] { record(0, EventKind::Write, p); });
  synchronize();
  EXPECT_EQ(lines("\"rule\":\"D8\""), 1u);
}

TEST_F(Collector, FreeInAnotherStream) {
  uint64_t d8 = lines("\"rule\":\"D8\"");
  CUdeviceptr p = 0x7e0000000000;
  CUstream a = stream(), b = stream();
  call("cuMemAllocAsync", cuMemAllocAsync_params{&p, 4096, a});
  launch("logged", a, [&] { record(0, EventKind::Write, p); });
  call("cuMemFreeAsync", cuMemFreeAsync_params{p, b});
  synchronize();
  EXPECT_EQ(lines("\"rule\":\"D8\""), d8 + 1);
}

// ---------------------------------------------------------------- fast kernels

TEST_F(Collector, InstrumentedHostCodeIsIncomplete) {
  loadModule(/*fast=*/false, HostCode);
  launch("logged", nullptr, [] {});
  synchronize();
  EXPECT_EQ(lines("-fscopesan-host"), 1u);
}

TEST_F(Collector, ShadowComesWithTheFirstFastKernel) {
  uint64_t p = allocate();
  loadModule(/*fast=*/true);
  fill(p, 16, stream());
  // A module's state is bound when a kernel of it is launched.
  launch("fast", nullptr, [&] {
    ASSERT_TRUE(state().table);
    ASSERT_TRUE(cellAt(p));
    uint64_t w = cellAt(p)->w, tag = w >> mark::TagShift;
    EXPECT_EQ(w, tag << mark::TagShift | 15);
    EXPECT_GE(tag, 1u);
    EXPECT_LT(tag, state().tag >> mark::TagShift);
  });
}

TEST_F(FastCollector, ALaunchWaitsForNothing) {
  uint64_t p = allocate();
  launch("fast", nullptr, [&] { marked(0, p); });
  synchronize();
  unsigned before = fakeDriver().waits;
  launch("fast", nullptr, [&] { marked(1, p); });
  launch("fast", nullptr, [&] { marked(0, p); });
  EXPECT_EQ(fakeDriver().waits, before);
  synchronize();
}

TEST_F(FastCollector, ATableThatIsTooSmallGrows) {
  uint64_t p = allocate();
  CUdeviceptr far = p ^ uint64_t(1) << 41;
  uint32_t mask = 0;
  launch("fast", nullptr, [&] {
    marked(1, p);
    mask = state().tableMask;
  });
  synchronize();
  call("cuMemAlloc_v2", cuMemAlloc_v2_params{&far, 4096});
  launch("fast", nullptr, [&] {
    EXPECT_GT(state().tableMask, mask);
    ASSERT_TRUE(cellAt(p) && cellAt(far));
    EXPECT_NE(cellAt(p), cellAt(far));
    EXPECT_NE(cellAt(p)->w, 0u); // as it was
    EXPECT_EQ(cellAt(far)->w, 0u);
  });
  release(far);
}

TEST_F(FastCollector, FastKernelGetsShadow) {
  uint64_t p = allocate(3 << 20);
  launch("fast", nullptr, [&] {
    Log &log = state();
    ASSERT_TRUE(log.table);
    EXPECT_GE(log.tag, uint64_t(1) << mark::TagShift);
    EXPECT_EQ(log.oldest, log.tag) << "all that came before was waited for";
    EXPECT_TRUE(log.dedup && log.counters && log.slotTaken);
    EXPECT_EQ(log.slotCount, 2u);
    ASSERT_TRUE(cellAt(p));
    ASSERT_TRUE(cellAt(p + (3 << 20) - 4));
    EXPECT_EQ(cellAt(p + (16 << 20)), nullptr);
    EXPECT_EQ(cellAt(p)->w, 0u);
    marked(1, p);
    reinterpret_cast<uint64_t *>(log.counters)[uint32_t(Counter::CheckedGlobal)] = 1000;
  });
  synchronize();
  EXPECT_EQ(found(), 0u);
}

TEST_F(FastCollector, TagsFollowStreams) {
  CUstream a = stream(), b = stream();
  uint64_t first = 0;
  launch("fast", a, [&] { first = state().tag; });
  launch("fast", a, [&] {
    EXPECT_GT(state().tag, first);
    EXPECT_EQ(state().oldest, state().tag);
  });
  launch("fast", b, [&] { EXPECT_EQ(state().oldest, first); });
}

TEST_F(FastCollector, CopyMeetsMarks) {
  uint64_t p = allocate(), q = allocate();
  CUstream a = stream();
  launch("fast", a, [&] { marked(0, p); });
  copy(q, p, 4, a);
  EXPECT_EQ(logged(EventKind::Candidate), 0u);
  EXPECT_EQ(cellAt(p)->r, state().tag | 15);
  EXPECT_EQ(cellAt(q)->w, state().tag | 15);
  launch("fast", a, [&] { marked(0, p + 4); });
  fill(p + 4, 4, stream());
  ASSERT_EQ(logged(EventKind::Candidate), 1u);
  EXPECT_EQ(records()[1].value, p + 4);
  EXPECT_EQ(records()[1].low, 4u | 15u << candidate::MaskShift);
  EXPECT_EQ(cellAt(p + 16)->w, state().tag | 15);
}

TEST_F(FastCollector, PartsOfWordsAreTracked) {
  uint64_t p = allocate(), q = allocate();
  CUstream a = stream();
  fill(p, 16, a);
  copy(p + 1, q, 6, a);
  EXPECT_EQ(cellAt(p)->w, mark::Tracked);
  EXPECT_EQ(cellAt(p + 4)->w, mark::Tracked);
  EXPECT_NE(cellAt(p + 8)->w, mark::Tracked);
  EXPECT_EQ(logged(EventKind::Known), 2u);
  EXPECT_EQ(logged(EventKind::Write), 2u);
  fill(p, 1, a);
  EXPECT_EQ(cellAt(p)->w, mark::Tracked);
  EXPECT_EQ(logged(EventKind::Write), 1u) << "the host goes on with the word";
}

TEST_F(FastCollector, ManyCandidatesOfOnePlace) {
  uint64_t p = allocate(1 << 20);
  CUstream a = stream();
  launch("fast", a, [&] {
    for (uint64_t i = 0; i < 1 << 18; ++i)
      marked(0, p + i * 4);
  });
  fill(p, 1 << 18, stream());
  EXPECT_EQ(logged(EventKind::Candidate), DedupKept);
}

TEST_F(FastCollector, FreedMemoryIsSpecial) {
  uint64_t p = allocate();
  launch("fast", nullptr, [&] { marked(0, p); });
  release(p);
  EXPECT_EQ(cellAt(p)->w, mark::Freed);
  EXPECT_EQ(cellAt(p + 4092)->w, mark::Freed);
  EXPECT_EQ(cellAt(p + 4096)->w, mark::Freed) << "nothing was ever there";
  CUdeviceptr again = p;
  call("cuMemAlloc_v2", cuMemAlloc_v2_params{&again, 4096});
  EXPECT_EQ(cellAt(p)->w, 0u);
}

TEST_F(FastCollector, SweepRenumbers) {
  uint64_t p = allocate(), q = allocate();
  CUstream a = stream(), b = stream();
  launch("fast", a, [&] { marked(1, p); });
  synchronize();
  uint64_t kept = 0;
  launch("fast", b, [&] {
    marked(0, q);
    kept = markOf(0);
  });
  uint64_t last = 0;
  bool swept = false;
  for (int i = 0; i < 70 && !swept; ++i)
    launch("fast", a, [&] {
      swept = state().tag < last;
      last = state().tag;
    });
  ASSERT_TRUE(swept);
  EXPECT_EQ(cellAt(p)->w, 0u);
  uint64_t now = cellAt(q)->w;
  EXPECT_EQ(now << 6, kept << 6);
  EXPECT_LT(now, last);
  EXPECT_GE(now, uint64_t(1) << mark::TagShift);
}

TEST_F(FastCollector, CopyOfRows) {
  uint64_t p = allocate(), q = allocate();
  CUDA_MEMCPY2D m{};
  m.srcMemoryType = m.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  m.srcDevice = q;
  m.dstDevice = p;
  m.srcPitch = 8;
  m.dstPitch = 64;
  m.WidthInBytes = 8;
  m.Height = 3;
  call("cuMemcpy2DAsync_v2", cuMemcpy2DAsync_v2_params{&m, stream()});
  for (uint64_t y = 0; y < 3; ++y) {
    EXPECT_EQ(cellAt(p + y * 64)->w, state().tag | 15);
    EXPECT_EQ(cellAt(p + y * 64 + 4)->w, state().tag | 15);
    EXPECT_EQ(cellAt(p + y * 64 + 8)->w, 0u);
    EXPECT_EQ(cellAt(q + y * 8)->r, state().tag | 15);
  }
  EXPECT_EQ(cellAt(q + 24)->r, 0u);
}

TEST_F(FastCollector, SecondContextSharesTheShadow) {
  uint64_t table = state().table, p = allocate();
  CUcontext first = fakeDriver().current, second = handle<CUcontext>(0x90);
  launch("fast", nullptr, [&] { marked(0, p); });
  fakeDriver().current = second;
  launch("fast", nullptr, [&] {
    EXPECT_EQ(state().table, table);
    EXPECT_LT(state().oldest, state().tag) << "contexts do not wait for each other";
  });
  CUpti_ResourceData r{};
  r.context = second;
  call("cuCtxDestroy_v2", cuCtxDestroy_v2_params{second}, [&] {
    fakeDriver().callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE,
                          CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &r);
  });
  fakeDriver().current = first;
  synchronize();
  launch("fast", nullptr, [&] { EXPECT_EQ(state().oldest, state().tag); });
  synchronize();
  EXPECT_EQ(found(), 0u);
}

TEST_F(FastCollector, ResetForgetsEverything) {
  uint64_t p = allocate();
  launch("fast", nullptr, [&] { marked(0, p); });
  Log *before = &state();
  fakeDriver().state.clear();
  call("cuDevicePrimaryCtxReset_v2", cuDevicePrimaryCtxReset_v2_params{0},
       [] { fakeDriver().dead = true; });
  fakeDriver().dead = false;
  CUdeviceptr q = p;
  call("cuMemAlloc_v2", cuMemAlloc_v2_params{&q, 4096});
  launch("fast", nullptr, [&] {
    ASSERT_TRUE(fakeDriver().state.begin()->second) << "the module was found again";
    ASSERT_NE(&state(), before);
    EXPECT_EQ(state().oldest, state().tag);
    ASSERT_TRUE(cellAt(q));
    EXPECT_EQ(cellAt(q)->w, 0u);
  });
  synchronize();
  EXPECT_EQ(found(), 0u);
  EXPECT_EQ(lines("there is no log"), 0u);
}

TEST_F(FastCollector, ShortOfMemory) {
  fakeDriver().noMemory = true;
  uint64_t p = allocate(), q = allocate();
  launch("fast", nullptr, [&] {
    EXPECT_EQ(cellAt(p), nullptr);
    record(0, EventKind::Write, p);
  });
  copy(q, p, 16, stream());
  synchronize();
  EXPECT_EQ(found(), 1u) << "the host's own shadow has it";
  fakeDriver().noMemory = false;
}

// Copies of variables, batches, freed memory.
#include "Program.h"

#include <elf.h>

/// A device image with one constant variable.
static std::string imageWithConstant(const std::string &name, uint64_t bytes) {
  const std::string names(std::string("\0.nv.constant3\0", 15)), strings('\0' + name + '\0');
  Elf64_Ehdr head{};
  Elf64_Shdr sections[4] = {}; // none, the variable's, symbols, strings (of both kinds)
  Elf64_Sym symbols[2] = {};
  uint64_t at = sizeof head + sizeof sections;
  memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_machine = 190; // EM_CUDA
  head.e_shoff = sizeof head;
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = 4;
  head.e_shstrndx = 3;
  symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
  symbols[1].st_name = uint32_t(names.size() + 1);
  symbols[1].st_shndx = 1;
  symbols[1].st_size = bytes;
  sections[1].sh_type = SHT_NOBITS;
  sections[1].sh_name = 1;
  sections[1].sh_size = bytes;
  sections[2].sh_type = SHT_SYMTAB;
  sections[2].sh_link = 3;
  sections[2].sh_offset = at;
  sections[2].sh_size = sizeof symbols;
  sections[3].sh_type = SHT_STRTAB;
  sections[3].sh_offset = at + sizeof symbols;
  sections[3].sh_size = names.size() + strings.size();
  std::string image(reinterpret_cast<char *>(&head), sizeof head);
  image.append(reinterpret_cast<char *>(sections), sizeof sections);
  image.append(reinterpret_cast<char *>(symbols), sizeof symbols);
  return image + names + strings;
}

TEST_F(Collector, VariableIsCopiedBeforeItsModuleIsKnown) {
  CUdeviceptr variable = 0x6f0000000000;
  size_t bytes = 64;
  uint64_t from = allocateWithoutShadow();
  fakeDriver().deviceMemory.push_back(variable);
  fakeDriver().noMemory = true; // for shadow
  copy(variable, from, 64, stream());
  call("cuModuleGetGlobal_v2", cuModuleGetGlobal_v2_params{&variable, &bytes, nullptr, "table"});
  fakeDriver().noMemory = false;
  launch("logged", stream(), [&] { record(0, EventKind::Read, variable); });
  synchronize();
  EXPECT_EQ(found(), 1u);
}

/// X1: what kernels read of constants is not recorded; only copies that they are not ordered with
/// matter.
TEST_F(Collector, CopyIntoAConstantBesideAKernel) {
  const char *x1 = "into constant variable 'coefficients' is not ordered with a launch of kernel";
  CUdeviceptr variable = 0x6f0000001000;
  size_t bytes = 64;
  fakeDriver().deviceMemory.push_back(variable);
  uint64_t from = allocateWithoutShadow();
  CUstream s = stream(), t = stream();
  copy(variable, from, 64, s);
  synchronize();
  copy(variable, from, 64, t);
  synchronize();
  imageLoaded(imageWithConstant("coefficients", bytes));
  call("cuModuleGetGlobal_v2",
       cuModuleGetGlobal_v2_params{&variable, &bytes, nullptr, "coefficients"});
  EXPECT_EQ(found(), 0u) << "copies of before it was known are told again";
  copy(variable, from, 64, s);
  launch("logged", s, [] {});
  copy(variable, from, 64, s);
  synchronize();
  launch("logged", t, [] {});
  EXPECT_EQ(lines(x1), 0u) << "in one stream, or after a wait";
  copy(from, variable, 64, s);
  copy(variable + 64, from, 64, s);
  EXPECT_EQ(lines(x1), 0u) << "reads, and other memory";
  copy(variable + 32, from, 64, s);
  synchronize();
  EXPECT_EQ(lines(x1), 1u) << "the kernel first";
  copy(variable, from, 4, s);
  launch("logged", t, [] {});
  synchronize();
  EXPECT_EQ(lines(x1), 2u) << "the copy first; counted twice";
}

TEST_F(Collector, CopiesOfOneBatchAreUnordered) {
  CUdeviceptr a = allocateWithoutShadow(), b = allocateWithoutShadow(), d = allocateWithoutShadow();
  auto batch = [&](CUdeviceptr middle) {
    CUdeviceptr to[] = {b, d}, from[] = {a, middle};
    size_t sizes[] = {16, 16}, starts[] = {0};
    CUmemcpyAttributes attributes{};
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    CUstream s = stream();
    fill(a, 4, s);
    call("cuMemcpyBatchAsync_v2",
         cuMemcpyBatchAsync_v2_params{to, from, sizes, 2, &attributes, starts, 1, s});
    fill(b, 4, s);
    synchronize();
  };
  batch(a);
  EXPECT_EQ(found(), 0u);
  batch(b);
  EXPECT_EQ(found(), 1u);
}

TEST_F(Collector, BatchReadsItsSourceAtAnyTime) {
  CUdeviceptr a = allocateWithoutShadow(), b = allocateWithoutShadow();
  size_t size = 16, start = 0;
  CUmemcpyAttributes attributes{};
  attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
  CUstream s = stream();
  fill(a, 4, s);
  call("cuMemcpyBatchAsync_v2",
       cuMemcpyBatchAsync_v2_params{&b, &a, &size, 1, &attributes, &start, 1, s});
  synchronize();
  EXPECT_EQ(found(), 1u);
}

TEST_F(Collector, FreedAddressesAreKept) {
  unsigned d8 = lines("\"rule\":\"D8\"");
  CUdeviceptr p = allocate(), again = 0;
  call("cuMemFree_v2", cuMemFree_v2_params{p}, [&] { fakeDriver().lastFreed = p; });
  call("cuMemAlloc_v2", cuMemAlloc_v2_params{&again, 4096}, [&] { cuMemAlloc(&again, 4096); });
  EXPECT_NE(again, p);
  launch("logged", nullptr, [&] { record(0, EventKind::Write, p); });
  synchronize();
  EXPECT_EQ(lines("\"rule\":\"D8\""), d8 + 1);
}

TEST_F(Collector, PoolsKeepWhatIsFreed) {
  CUdeviceptr p = 0x7e2000000000;
  call("cuMemAllocAsync", cuMemAllocAsync_params{&p, 4096, stream()});
  EXPECT_GE(fakeDriver().poolThreshold, 1u << 20);
  fakeDriver().poolThreshold = ~uint64_t(0);
  call("cuMemAllocAsync", cuMemAllocAsync_params{&p, 4096, stream()});
  EXPECT_EQ(fakeDriver().poolThreshold, ~uint64_t(0));
}

TEST_F(FastCollector, FreeInStreamOrderMeetsMarks) {
  unsigned d8 = lines("\"rule\":\"D8\"");
  CUdeviceptr p = 0x7e1000000000;
  CUstream a = stream(), b = stream();
  call("cuMemAllocAsync", cuMemAllocAsync_params{&p, 4096, a});
  synchronize();
  launch("fast", b, [&] { marked(0, p); });
  call("cuMemFreeAsync", cuMemFreeAsync_params{p, a});
  synchronize();
  EXPECT_EQ(lines("\"rule\":\"D8\""), d8 + 1);
}

TEST_F(FastCollector, FreeByTheHostMeetsNoAllocation) {
  unsigned d8 = lines("\"rule\":\"D8\"");
  CUdeviceptr p = 0x7e2100000000;
  CUstream a = stream(), b = stream();
  call("cuMemAllocAsync", cuMemAllocAsync_params{&p, 4096, a});
  release(p);
  synchronize();
  EXPECT_EQ(lines("\"rule\":\"D8\""), d8) << "nobody used it";
  CUdeviceptr q = 0x7e2200000000;
  call("cuMemAllocAsync", cuMemAllocAsync_params{&q, 4096, b});
  launch("fast", b, [&] { marked(0, q); });
  release(q);
  synchronize();
  EXPECT_EQ(lines("\"rule\":\"D8\""), d8 + 1);
}

TEST_F(FastCollector, MemoryThatEndedWithItsContextIsSpecial) {
  unsigned d8 = lines("\"rule\":\"D8\"");
  uint64_t p = allocate();
  launch("fast", nullptr, [&] { marked(0, p); });
  fakeDriver().state.clear();
  call("cuDevicePrimaryCtxReset_v2", cuDevicePrimaryCtxReset_v2_params{0},
       [] { fakeDriver().dead = true; });
  fakeDriver().dead = false;
  CUdeviceptr beside = p + 8192;
  call("cuMemAlloc_v2", cuMemAlloc_v2_params{&beside, 4096});
  launch("fast", nullptr, [&] {
    ASSERT_TRUE(cellAt(p) && cellAt(beside));
    EXPECT_EQ(cellAt(beside)->w, 0u);
    EXPECT_EQ(cellAt(p)->w, mark::Freed);
    record(0, EventKind::Write, p);
  });
  synchronize();
  EXPECT_EQ(lines("\"rule\":\"D8\""), d8 + 1);
}

TEST_F(Collector, DiscardIsAWrite) {
  uint64_t p = allocate();
  CUstream a = stream(), b = stream();
  auto discard = [&](CUstream s, uint64_t at) {
    CUdeviceptr starts[] = {at};
    size_t sizes[] = {64};
    call("cuMemDiscardBatchAsync", cuMemDiscardBatchAsync_params{starts, sizes, 1, 0, s});
  };
  launch("logged", a, [&] { record(0, EventKind::Read, p); });
  discard(a, p);
  synchronize();
  EXPECT_EQ(found(), 0u);
  launch("logged", a, [&] { record(0, EventKind::Read, p); });
  discard(b, p);
  synchronize();
  EXPECT_EQ(found(), 1u);
}

/// Two blocks add to the same word, in no order.
void addTwice(uint64_t address, scopesan::abi::Scope scope, bool isStore = false) {
  using namespace scopesan::abi;
  Op op(isStore ? AccessKind::Store : AccessKind::Rmw, MemoryOrder::Relaxed, scope);
  launch("logged", nullptr, [&] {
    for (uint32_t b = 0; b < 2; ++b) {
      begins(b, address, op);
      ends(b, b, b + 1, Wrote | WrittenKnown | (isStore ? 0u : uint32_t(ValueKnown)));
    }
  });
  synchronize();
}

TEST_F(Collector, AtomicsOnMemoryWithoutThem) { // D6
  using scopesan::abi::Scope;
  const char *NonAtomic = "\"rule\":\"D6\"";
  auto pinned = [] {
    static uint64_t next = 0x710000000000;
    void *p = reinterpret_cast<void *>(next += 1 << 20);
    call("cuMemHostAlloc", cuMemHostAlloc_params{&p, 4096, CU_MEMHOSTALLOC_DEVICEMAP});
    return reinterpret_cast<uint64_t>(p);
  };
  auto managed = [] {
    static CUdeviceptr next = 0x720000000000;
    CUdeviceptr p = next += 1 << 20;
    call("cuMemAllocManaged", cuMemAllocManaged_params{&p, 4096, CU_MEM_ATTACH_GLOBAL});
    return p;
  };
  addTwice(pinned(), Scope::System);
  addTwice(managed(), Scope::System);
  EXPECT_EQ(found(), 0u);
  fakeDriver().hostNativeAtomics = fakeDriver().concurrentManagedAccess = false;
  uint64_t p = pinned();
  addTwice(p, Scope::Device);
  addTwice(p + 64, Scope::System, /*isStore=*/true);
  addTwice(allocate(), Scope::System);
  EXPECT_EQ(found(), 0u);
  addTwice(p, Scope::System);
  EXPECT_EQ(lines(NonAtomic), 1u);
  addTwice(managed(), Scope::System);
  EXPECT_EQ(lines(NonAtomic), 2u);
  fakeDriver().hostNativeAtomics = fakeDriver().concurrentManagedAccess = true;
}

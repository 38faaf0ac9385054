// What generated litmus kernels call; see tools/litmus/emit. One Row per program: its memory, its
// launches, and at its end a record of what each thread did, printed for the judge:
//   row <number> ok | stuck | error <name>
//   t <thread> ended|running <operation>:<wrote>:<value>...
//   m <value of the 64-byte slot>...
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <map>
#include <string>
#include <thread>
#include <vector>

constexpr unsigned LogEntries = 512; ///< per thread; two words each
constexpr unsigned SleepsPerDelay = 4;
constexpr unsigned LooksPerDelay = 8;
constexpr unsigned CopyBytes = 16; ///< of an asynchronous copy
/// Of the addresses of one memory: the granularity of device memory.
constexpr size_t MappingDistance = 2 << 20;
constexpr unsigned LogWords = 2 * LogEntries + 2;

/// What one thread did, written as it goes, so that it is there when the kernel gets stuck. Only
/// the thread itself writes to its part. Equal entries in a row (a spin) are kept once.
struct Log {
  unsigned long long *next, *end_, *endedMark;
  unsigned long long *all, delays; ///< for kernels that the thread launches
  unsigned long long lastKey = ~0ull, lastValue = 0;

  /// Threads begin at different times: `delays` has four bits for each.
  __device__ Log(unsigned long long *log, unsigned thread, unsigned long long delays)
      : next(log + thread * LogWords + 2), end_(log + (thread + 1) * LogWords),
        endedMark(log + thread * LogWords), all(log), delays(delays) {
    for (unsigned n = (delays >> 4 * (thread % 16) & 15) * SleepsPerDelay; n; --n)
      __nanosleep(20);
  }

  __device__ void note(unsigned operation, bool wrote, long long value) {
    unsigned long long key = 2ull * operation + wrote;
    if ((key == lastKey && value == lastValue && !wrote) || next == end_)
      return;
    lastKey = key;
    lastValue = value;
    next[0] = key;
    next[1] = value;
    next += 2;
  }
  __device__ void end() { *endedMark = 1; }
};

// ------------------------------------------------------------------ device helpers

/// The compiler neither moves nor merges accesses across it.
__host__ __device__ inline void barrier() { asm volatile("" ::: "memory"); }
/// The object's address is used where the compiler cannot see.
__device__ inline void hide(void *p) { asm volatile("" ::"l"(p) : "memory"); }

// Macros, not functions: what they expand to belongs to the line of the row that uses them.

/// Address of own shared memory in its window, and of the same place in the block with rank `r` of
/// the cluster, in the window and generic.
#define window(p) unsigned(__cvta_generic_to_shared(p))
#define peerWindow(own, r)                                                                         \
  ({                                                                                               \
    unsigned a;                                                                                    \
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(own), "r"(r));             \
    a;                                                                                             \
  })
#define peer(own, r)                                                                               \
  ({                                                                                               \
    char *a;                                                                                       \
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(a) : "l"(own), "r"(r));                             \
    a;                                                                                             \
  })
#define clusterBarrier()                                                                           \
  asm volatile("barrier.cluster.arrive;" ::: "memory");                                            \
  asm volatile("barrier.cluster.wait;" ::: "memory")
#define initMbarrier(m, arrivals)                                                                  \
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(window(m)), "r"(arrivals)           \
               : "memor"                                                                           \
                 "y")
#define arrive(m)                                                                                  \
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(window(m))        \
               : "memory")
#define arriveExpecting(m, bytes)                                                                  \
  asm volatile(                                                                                    \
      "{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1; }" ::"r"(window(m)),  \
      "r"(bytes)                                                                                   \
      : "memory")
/// What the set-up wrote is there for the cluster and for asynchronous copies.
#define shareMbarriers() asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
#define waitForSources()                                                                           \
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory")
#define shareWithCopies() asm volatile("fence.proxy.async;" ::: "memory")

/// The descriptor of a matrix whose core matrices are all the one at `w` in the window.
#define oneCoreMatrix(w) ((unsigned long long)((w) & 0x3ffff) >> 4)
#define warpgroupBarrier() asm volatile("barrier.sync 15, 128;" ::: "memory")
#define wgmmaEnd()                                                                                 \
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                   \
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory")

// ------------------------------------------------------------------ host

inline void require(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  exit(2);
}

/// The command line: a seed, then the rows to run; none = all.
struct Choice {
  static unsigned long long &seed() {
    static unsigned long long value = 1;
    return value;
  }
  std::vector<int> chosen;
  Choice(int argc, char **argv) {
    if (argc > 1)
      seed() = strtoull(argv[1], nullptr, 10);
    for (int i = 2; i < argc; ++i)
      chosen.push_back(atoi(argv[i]));
  }
  bool has(int row) const {
    for (int c : chosen)
      if (c == row)
        return true;
    return chosen.empty();
  }
};

/// When the threads of a row begin: one after the other in some order, or all nearly at once.
inline unsigned long long delaysOf(unsigned row) {
  unsigned long long z = (Choice::seed() * 1000003 + row + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return Choice::seed() % 3 == 0 ? 0 : z ^ z >> 31;
}

struct Shape {
  unsigned blocks, threads, clusterBlocks, domain;
};

/// What one of the program's host threads did.
class HostThread {
public:
  /// Begins later than kernels by a time of `delay` (0..15): looks at memory that nobody writes.
  HostThread(unsigned long long *log, unsigned delay) : Log(log) {
    for (unsigned n = delay * LooksPerDelay; n; --n)
      __atomic_load_n(Log + 1, __ATOMIC_RELAXED);
  }
  void note(unsigned operation, bool wrote, long long value) {
    unsigned long long key = 2ull * operation + wrote, *last = Log + Next - 2;
    if ((Next > 2 && last[0] == key && (long long)last[1] == value && !wrote) || Next == LogWords)
      return;
    Log[Next++] = key;
    Log[Next++] = (unsigned long long)value;
  }
  /// False when a spin has taken too long: nothing promises that those of the host end.
  bool patient() { return ++Spins < 10000; }
  void end() { Log[0] = patient(); }

private:
  unsigned long long *Log;
  unsigned Spins = 0, Next = 2; ///< Next: word of Log
};

using Kernel = void (*)(char *, unsigned long long *, unsigned long long);

#define DRIVER(name) Row::driver<decltype(&name)>(#name)

class Row {
public:
  /// `mappings`: virtual addresses of the memory, MappingDistance apart.
  Row(unsigned number, unsigned threads, unsigned bytes, bool managed, unsigned mappings = 1)
      : Number(number), Threads(threads), Bytes(bytes ? bytes : 64), Mappings(mappings),
        Initial(Bytes / 8) {
    if (mappings > 1)
      map();
    else
      require(managed ? cudaMallocManaged(&Memory, Bytes) : cudaMalloc(&Memory, Bytes), "memory");
    require(cudaHostAlloc(&Logs, logBytes(), cudaHostAllocMapped), "log");
    memset(Logs, 0, logBytes());
    for (unsigned t = 0; t < threads; ++t)
      memset(Logs + t * LogWords + 2, 0xff, 16 * LogEntries);
  }
  void set(unsigned offset, long long value) { Initial[offset / 8] = value; }
  void start() {
    check(cudaMemcpy(Memory, Initial.data(), Bytes, cudaMemcpyHostToDevice));
    check(cudaDeviceSynchronize());
  }
  /// A tensor map at `offset` of CopyBytes from `data` on.
  void setTensorMap(unsigned offset, unsigned data) {
    auto encode = DRIVER(cuTensorMapEncodeTiled);
    CUtensorMap map;
    cuuint64_t size = CopyBytes / 4, stride = 0;
    cuuint32_t box = CopyBytes / 4, step = 1;
    check(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, Memory + data, &size, &stride, &box, &step,
                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                 CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    memcpy(&Initial[offset / 8], &map, sizeof(map));
  }
  long long initial(unsigned offset) const { return Initial[offset / 8]; }
  char *memory() { return Memory; }
  void check(cudaError_t status) {
    if (Status == cudaSuccess)
      Status = status;
  }

  void check(CUresult status) { check(status ? cudaErrorUnknown : cudaSuccess); }
  template <class F> static F driver(const char *name) {
    void *function = nullptr;
    cudaDriverEntryPointQueryResult found;
    require(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found),
            name);
    return reinterpret_cast<F>(function);
  }

  // ---- launches
  /// What follows is for that device.
  void use(unsigned device) {
    Devices = device + 1 > Devices ? device + 1 : Devices;
    check(cudaSetDevice(int(device)));
  }
  /// The stream of that name; without a name a new one.
  cudaStream_t stream(const std::string &name, bool nonBlocking) {
    cudaStream_t made = nullptr, &known = name.empty() ? made : Streams[name];
    if (!known && name != "legacy")
      check(cudaStreamCreateWithFlags(&known,
                                      nonBlocking ? cudaStreamNonBlocking : cudaStreamDefault));
    return Latest = known;
  }
  cudaStream_t latestStream() const { return Latest; }
  cudaEvent_t event(const std::string &name) {
    cudaEvent_t &known = Events[name];
    if (!known)
      check(cudaEventCreateWithFlags(&known, cudaEventDisableTiming));
    return known;
  }
  /// Whoever waits then goes on behind the latest value that was written before the call.
  void writeValue(cudaStream_t stream) {
    if (!Value) {
      check(cudaMalloc(&Value, sizeof(*Value)));
      check(cudaMemset(Value, 0, sizeof(*Value)));
      check(cudaDeviceSynchronize());
    }
    auto write = DRIVER(cuStreamWriteValue32);
    check(write(stream, CUdeviceptr(Value), ++ValuesWritten, CU_STREAM_WRITE_VALUE_DEFAULT));
  }
  void waitValue(cudaStream_t stream) {
    auto wait = DRIVER(cuStreamWaitValue32);
    if (ValuesWritten)
      check(wait(stream, CUdeviceptr(Value), ValuesWritten, CU_STREAM_WAIT_VALUE_GEQ));
  }
  /// `dependent`: may begin when the kernels before it in the stream have triggered.
  void launch(Kernel kernel, Shape shape, cudaStream_t stream, bool dependent = false) {
    cudaLaunchAttribute attributes[3] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = shape.blocks;
    config.blockDim = shape.threads;
    config.stream = stream;
    config.attrs = attributes;
    if (shape.clusterBlocks > 1) {
      attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
      attributes[config.numAttrs++].val.clusterDim = {shape.clusterBlocks, 1, 1};
    }
    if (shape.domain) {
      attributes[config.numAttrs].id = cudaLaunchAttributeMemSyncDomain;
      attributes[config.numAttrs++].val.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    }
    if (dependent) {
      attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    check(cudaLaunchKernelEx(&config, kernel, Memory, Logs, delaysOf(Number)));
  }

  // ---- graphs
  void beginGraph() { check(cudaGraphCreate(&Graph, 0)); }
  void node(Kernel kernel, Shape shape, std::vector<unsigned> after) {
    std::vector<cudaGraphNode_t> dependencies;
    for (unsigned a : after)
      dependencies.push_back(Nodes[a]);
    unsigned long long delays = delaysOf(Number);
    void *arguments[] = {&Memory, &Logs, &delays};
    cudaKernelNodeParams params = {};
    params.func = (void *)kernel;
    params.gridDim = shape.blocks;
    params.blockDim = shape.threads;
    params.kernelParams = arguments;
    Nodes.emplace_back();
    check(cudaGraphAddKernelNode(&Nodes.back(), Graph, dependencies.data(), dependencies.size(),
                                 &params));
  }
  void launchGraph() {
    cudaGraphExec_t runnable = nullptr;
    check(cudaGraphInstantiate(&runnable, Graph, 0));
    check(cudaGraphLaunch(runnable, stream("", true)));
  }

  // ---- the program's host threads
  HostThread host(unsigned thread) {
    return HostThread(Logs + thread * LogWords, delaysOf(Number) >> 4 * (thread % 16) & 15);
  }

  void finish() {
    for (unsigned d = Devices; d-- > 0;) {
      if (Devices > 1)
        check(cudaSetDevice(int(d)));
      check(cudaDeviceSynchronize());
    }
    if (Status == cudaSuccess)
      check(cudaMemcpy(Initial.data(), Memory, Bytes, cudaMemcpyDeviceToHost));
    print();
    if (Status != cudaSuccess)
      require(cudaDeviceReset(), "reset");
    cudaFree(Value);
    if (Mappings > 1)
      unmap();
    else
      cudaFree(Memory);
    cudaFreeHost(Logs);
  }

private:
  /// One memory at several addresses.
  void map() {
    CUmemAllocationProp where = {};
    where.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    where.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemAccessDesc access = {};
    access.location = where.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CUdeviceptr address = 0;
    require(cudaFree(nullptr), "context");
    DRIVER(cuMemCreate)(&Handle, MappingDistance, &where, 0);
    DRIVER(cuMemAddressReserve)(&address, Mappings * MappingDistance, 0, 0, 0);
    for (unsigned i = 0; i < Mappings; ++i)
      check(DRIVER(cuMemMap)(address + i * MappingDistance, MappingDistance, 0, Handle, 0));
    check(DRIVER(cuMemSetAccess)(address, Mappings * MappingDistance, &access, 1));
    Memory = reinterpret_cast<char *>(address);
  }
  void unmap() {
    auto address = reinterpret_cast<CUdeviceptr>(Memory);
    for (unsigned i = Mappings; i-- > 0;)
      DRIVER(cuMemUnmap)(address + i * MappingDistance, MappingDistance);
    DRIVER(cuMemAddressFree)(address, Mappings * MappingDistance);
    DRIVER(cuMemRelease)(Handle);
  }
  size_t logBytes() const { return size_t(Threads) * LogWords * 8; }
  void print() const {
    if (Status == cudaSuccess)
      printf("row %u ok\n", Number);
    else if (Status == cudaErrorLaunchTimeout)
      printf("row %u stuck\n", Number);
    else
      printf("row %u error %s\n", Number, cudaGetErrorName(Status));
    for (unsigned t = 0; t < Threads; ++t) {
      const unsigned long long *log = Logs + t * LogWords;
      printf("t %u %s", t, log[0] ? "ended" : "running");
      for (log += 2; log < Logs + (t + 1) * LogWords && log[0] != ~0ull; log += 2)
        printf(" %llu:%llu:%lld", log[0] / 2, log[0] % 2, (long long)log[1]);
      printf("\n");
    }
    if (Status != cudaSuccess)
      return;
    printf("m");
    for (unsigned i = 0; i < Bytes; i += 64)
      printf(" %lld", Initial[i / 8]);
    printf("\n");
    fflush(stdout);
  }

  unsigned Number, Threads, Bytes, Mappings, Devices = 1;
  CUmemGenericAllocationHandle Handle = 0;
  char *Memory = nullptr;
  unsigned long long *Logs = nullptr;
  unsigned *Value = nullptr; ///< that streams write and wait for
  unsigned ValuesWritten = 0;
  std::vector<long long> Initial;
  std::map<std::string, cudaStream_t> Streams;
  std::map<std::string, cudaEvent_t> Events;
  cudaStream_t Latest = nullptr;
  cudaGraph_t Graph = nullptr;
  std::vector<cudaGraphNode_t> Nodes;
  cudaError_t Status = cudaSuccess;
};

// What the GPU's instrumented code and its host share: the event log, the state that switches
// recording on, and the table of sites that a module carries in readable form.
//
// Freestanding: used by the pass, by the device runtime and by the host.
#pragma once

#include "scopesan/abi.h"

namespace scopesan::gpu {

enum class EventKind : uint32_t {
  None = 0,
  Read,
  Write,
  ReadRange,
  WriteRange,
  AtomicBefore,
  AtomicAfter,
  Fence,
  BlockArrive,
  WarpArrive,
  Exit,
  Unmodelled,
  SharedVariable,
  Operands,
  ClusterArrive,
  ClusterWait,
  MbarrierInit,
  MbarrierInval,
  MbarrierExpect,
  MbarrierComplete,
  MbarrierArrive,
  MbarrierWait,
  CpAsync,
  CpAsyncArrive,
  CpAsyncCommit,
  CpAsyncWait,
  BulkCopy,
  BulkCommit,
  BulkWait,
  StoreAsync,
  ProxyFence,
  TensormapFence,
  ProxyAccess,
  GriddepWait,
  GriddepLaunch,
  Candidate,
  TensorStart,
  TensorCopy,
  TensorMapReplace,
  Wgmma,
  WgmmaCommit,
  WgmmaWait,
  Known
};
/// Number of kinds.
inline constexpr uint32_t EventKinds = uint32_t(EventKind::Known) + 1;
static_assert(EventKinds <= 64);

/// `outcome` of __scopesan_gpu_atomic_after.
enum Outcome : uint32_t {
  Wrote = 1,        ///< memory was written
  WrittenKnown = 2, ///< `written` holds the value
  ValueKnown = 4,   ///< `value` holds what was read
  ChangeFollows = 8 ///< in AtomicAfter of a load that was repeated: the next record is the
                    ///< AtomicAfter of the last repetition, which read another value
};

// Constant arguments of the entry points of fast kernels.
inline constexpr uint32_t FastStateBytes = 160;
enum FastFlags : uint32_t {
  FastUsesShared = 1, ///< the block needs a slot for its shared memory
  FastMixed = 2,
  FastBlockCells = 4,    ///< the shadow of shared memory lies in shared memory itself
  FastTrustsBarriers = 8 ///< that threads pass the same barriers is likely, but not proven
};
enum class FastWindow : uint32_t { Any = 0, Global = 1, Shared = 3 };
enum class FastAccess : uint32_t { Write = 0, Read = 1, Rmw = 2, NonCoherent = 3 };
/// Beside FastAccess: if the access is to shared memory, its cell lies there.
inline constexpr uint32_t FastInBlock = 32;
/// Beside FastAccess: of a mixed kernel.
inline constexpr uint32_t FastInMixed = 8;
/// Shared memory of a kernel with FastBlockCells, in bytes: with its cells it must fit into what a
/// block may have without asking (48 KiB). Sites of such a kernel: cells have 10 bits for them.
inline constexpr uint32_t MostBlockBytes = 16 * 1024, MostBlockSites = 1024;

/// One event. Its index in the log is its ticket: a total order that agrees with every thread's
/// program order. Two 16-byte halves, each written at once and each with the launch's stamp, so
/// that a half-written record is never taken for a whole one.
///
///   kind                 value                  low             high
///   Read, Write          address                bytes           site
///   ReadRange, ...       address                bytes (low 32)  site           extra: bytes (high)
///   AtomicBefore         address                bytes           site           extra: op
///   AtomicAfter          value read             written (low)   written (high) extra: Outcome *
///   Fence                -                      0 *             site           extra: op
///   BlockArrive          BarrierKind<<32 | id   count           site
///   WarpArrive           0 *                    mask            site           extra: lanes *
///   Exit                 -                      lanes *         -
///   Unmodelled           -                      -               site
///   SharedVariable       address                bytes           site (once per launch)
///   ClusterArrive        -                      1: relaxed      site
///   MbarrierInit         barrier                count           site
///   MbarrierExpect, ...  barrier                bytes           site           extra: op
///   MbarrierArrive       barrier                count, DropBit  site           extra: op
///   MbarrierWait         barrier                1: done         site           extra: op
///   CpAsync              source                 shared offset   site           extra: bytes,
///                                                                              source bytes << 16
///   CpAsyncArrive        barrier                1: noinc        site
///   CpAsyncWait          -                      allowed         site
///   BulkCopy             destination            bytes           site           extra: op
///     Operands before    source                 masks           barrier (low)  extra: (high)
///   BulkWait             -                      allowed         site           extra: 1: read only
///   StoreAsync           destination            bytes           site           extra: op
///     Operands before    barrier
///   ProxyFence           -                      ProxyFence      site           extra: Space
///   TensormapFence       map or 0               bytes of it     site           extra: op
///   ProxyAccess          address                bytes           site           extra: write,
///                                                                              Proxy << 1
///   TensorCopy           map or 0               hash (low)      site           extra: hash (high)
///     Operands before    shared memory          tensor::        barrier (low)  extra: (high)
///     TensorStart then   coordinates 0, 1       2               3              extra: 4
///   TensorMapReplace     hash of the map after  -               site
///     Operands before    hash before            field, dimension << 8          high, extra: value
///   Wgmma (each lane)    descriptor of B        1: described    site
///     Operands before    descriptor of A        wgmma::         (where described)
///   WgmmaCommit          -                      -               site           (once for a warp)
///   WgmmaWait            -                      allowed         site
///   Candidate            word's address         candidate::     site           extra: op
///     Operands before    mark that was found    site in kernel  0: W, 1: R
///   Known                mark of the word       word's address  site of the  extra: address (high)
///                                               (low) | 1: R    kernel's
///                                                               first site
///   the others           barrier or -           -               site
/// * In mixed kernels: the thread's tick before it, in Fence, in WarpArrive and above the bytes of
///   AtomicBefore (bits 8-31); the lanes of its warp that do the same, in Exit and, where they are
///   at the same tick, in WarpArrive. Loads that repeat the thread's one before and read the same
///   value are one operation, of the first one's AtomicBefore; `low` says how many came after it.
/// Operands belongs to the same thread's next record. An expect_tx that an arrival contains is a
/// record of its own before it.
struct alignas(16) Record {
  uint64_t value;
  uint32_t block; ///< linear index in the grid
  uint32_t who;   ///< bits 0-15 stamp, 16-25 thread in block, 26-31 EventKind
  uint32_t low, high;
  uint32_t extra;
  uint32_t stamp; ///< bits 0-15 stamp, 16-31 phase of the block (fast kernels, modulo 2^16)

  constexpr uint32_t thread() const { return who >> 16 & 1023; }
  constexpr EventKind kind() const { return EventKind(who >> 26); }
  constexpr bool complete(uint32_t launchStamp) const {
    return (who & 0xffff) == launchStamp && (stamp & 0xffff) == launchStamp;
  }
  constexpr uint32_t phase() const { return stamp >> 16; }
};
static_assert(sizeof(Record) == 32);

/// Addresses of shared memory in records: this bit and the offset in the block's window.
inline constexpr uint64_t SharedBit = uint64_t(1) << 63;
/// Shared memory of another block of the cluster: bits 32-47 are its rank there.
inline constexpr uint64_t PeerBit = uint64_t(1) << 62;
/// MbarrierArrive: arrive_drop.
inline constexpr uint32_t DropBit = 1u << 31;

/// Tensor maps are known by their content: the hash of their 128 bytes, from 0 on.
namespace tensor {
constexpr uint64_t hashStep(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 29;
}
inline constexpr uint32_t MapWords = 16;
/// Operands of TensorCopy: receivers of a multicast, dimensions of the tensor, and flags.
inline constexpr uint32_t ReceiversMask = 0xffff, RankShift = 16, RankMask = 7, StoreBit = 1u << 20,
                          ReduceBit = 1u << 21;
} // namespace tensor
/// Operands of Wgmma: columns of B and what its factors look like in shared memory.
namespace wgmma {
inline constexpr uint32_t ColumnsMask = 511, ElementLog2Shift = 9, ElementLog2Mask = 3,
                          SharedABit = 1u << 11, TransposedABit = 1u << 12,
                          TransposedBBit = 1u << 13;
} // namespace wgmma

// ---------------------------------------------------------------- shadow memory on the device
//
// Kernels in a fast form (KernelMode) settle weak accesses and relaxed read-modify-writes against
// shadow memory; what they cannot settle goes to the log. Each 4-byte word has a cell of two marks,
// {W, R}, 16 bytes: the last write and what stands for the reads since then.

/// A mark: who accessed a word last, and when. 64 bits, from the top:
///
///   global   tag 6          | block and time 28 | level 2 | thread 10 | site 14 | bytes 4
///   shared   generation 13  |          time 21  | level 2 | thread 10 | site 14 | bytes 4
///
/// tag: 0 = never accessed, 1-62 = a launch, SpecialTag. generation: of the slot, 0 = never.
/// block and time: grid barriers passed, from Log::epochShift on (kernels with UsesGridBarrier);
/// the block's index lies from Log::blockShift on (a block of all ones does not occur); time is the
/// phase (block barriers passed), from Log::phaseShift on, and below it the tick (records the
/// thread has written, mixed kernels only). Shared memory has the same phaseShift. site: site id
/// less the first of the kernel. bytes: which bytes of the word were accessed.
namespace mark {
inline constexpr uint32_t TagShift = 58, GenerationShift = 51, TimeShift = 30, LevelShift = 28,
                          ThreadShift = 18, SiteShift = 4;
inline constexpr uint64_t TimeMask = (uint64_t(1) << TagShift) - (uint64_t(1) << TimeShift);
inline constexpr uint32_t MaxSites = 1u << 14, LaunchTags = 62, Generations = (1u << 13) - 1;
/// The word is not settled on the device: freed, or tracked. Only in W, with R = 0.
inline constexpr uint64_t SpecialTag = 63;
/// Accesses are logged in full and judged by the host's own shadow.
inline constexpr uint64_t Tracked = SpecialTag << TagShift | 1;
/// Likewise; the collector wrote it, for memory that was freed.
inline constexpr uint64_t Freed = SpecialTag << TagShift | 2;
} // namespace mark

/// Level of a mark. A mark of several blocks has a block of all ones; the top bit of its time is
/// set if it is non-coherent, the rest is the index of the block of its thread where the launch's
/// blocks fit there, and all ones otherwise.
enum class ReadLevel : uint32_t {
  Exact = 0, ///< one thread
  Block = 1, ///< several threads of the block in this phase (tick all ones); thread: one of them
  Grid = 2,  ///< several blocks; thread, site: of one of them
  /// Through the non-coherent proxy (O6), of any number: every write of the launch is one too many.
  NonCoherent = 3
};
enum class WriteLevel : uint32_t {
  Weak = 0,   ///< one thread
  Strong = 1, ///< one thread, a relaxed read-modify-write whose scope includes the device
  Block = 2,  ///< such, of several threads of the block in this phase (tick all ones)
  Grid = 3    ///< such, of several blocks
};

/// Candidate: the thread's access and the mark's were not seen to be ordered. `low`: bits 0-15
/// bytes of the whole access, 16-19 which bytes of the word. Known: the word turns into a tracked
/// one; the mark was in its cell. "site in kernel": the access's site id less the first of the
/// kernel, so that the difference to `site` is where the kernel's sites begin.
namespace candidate {
inline constexpr uint32_t BytesMask = 0xffff, MaskShift = 16;
} // namespace candidate

/// Where block and time lie in the marks of one launch.
struct MarkLayout {
  uint32_t blockShift = 0, phaseShift = 0;
  uint32_t epochShift = mark::TagShift;
};
/// `blocks` of the grid; a mixed kernel divides the time between phases and ticks, and one with
/// grid barriers counts those, too.
constexpr MarkLayout markLayout(uint64_t blocks, bool mixed, bool gridBarriers = false) {
  uint32_t bits = 1;
  while (bits < 28 && (uint64_t(1) << bits) - 1 < blocks)
    ++bits;
  uint32_t time = 28 - bits, shared = 21, ticks = 0, epochs = 0;
  if (mixed && gridBarriers)
    epochs = time / 3, ticks = (time - epochs) / 3;
  else if (mixed)
    ticks = (time < shared ? time : shared) / 2;
  return {mark::TagShift - epochs - bits, mark::TimeShift + ticks, mark::TagShift - epochs};
}
/// Blocks of the largest grid that marks can name; a larger one is not checked by a fast kernel.
inline constexpr uint64_t MaxMarkBlocks = (uint64_t(1) << 26) - 1;

/// Chunks of global memory. The shadow of the 2 MiB at address a is 8 MiB, at
/// (table[a >> 21 & mask] & ~ChunkTagMask), mask + 1 being the number of the table's entries, a
/// power of two that grows when two chunks need the same entry. The entry is valid for a when its
/// low bits are chunkTag(a). An address without a valid entry is no error: its accesses are logged
/// in full. Addresses from 2^47 on are never valid.
inline constexpr uint32_t ChunkShift = 21, LeastTableBits = 16, MostTableBits = 23;
inline constexpr uint64_t ChunkSize = uint64_t(1) << ChunkShift, ChunkShadowSize = ChunkSize * 4;
inline constexpr uint64_t ChunkTagMask = 0x7ff;
constexpr uint64_t chunkIndex(uint64_t address, uint64_t mask) {
  return address >> ChunkShift & mask;
}
/// What tells addresses apart that share an entry in the smallest table.
constexpr uint64_t chunkTag(uint64_t address) {
  return (address >> (ChunkShift + LeastTableBits)) * 2 + 1;
}
constexpr uint64_t chunkEntry(uint64_t shadow, uint64_t address) {
  return shadow | chunkTag(address);
}
/// The two marks of a word.
struct Cell {
  uint64_t w = 0, r = 0;
};
/// Where the cell of the word at `address` lies, by its chunk's entry; 0 = the word has none.
constexpr uint64_t cellOf(uint64_t entry, uint64_t address) {
  if (chunkTag(address) != (entry & ChunkTagMask))
    return 0;
  return (entry & ~ChunkTagMask) + (address & (ChunkSize - 4)) * 4;
}

/// Shadow slots of resident blocks' shared memory. slotTable[block & (SlotEntries - 1)] is
/// stamp << 48 | slot << 32 | block of the block that holds it. A slot's header counts its
/// generations and the threads of its block that have not exited.
inline constexpr uint32_t SlotEntries = 1u << 20, NoSlot = 0xffff, MaxSlots = 0xfffe;
struct SlotHeader {
  uint32_t generation, live;
};

/// Words tracked for one pair of sites in kernels without synchronization, where every such pair
/// races; the others are counted. dedup is a hash table of uint64_t[DedupEntries], key << 8 |
/// count, zero when a launch begins.
inline constexpr uint32_t DedupEntries = 1u << 14, DedupKept = 8;
/// Words of a launch that are tracked at their second reader, in mixed kernels with no more threads
/// than that; the others remember one reader of several.
inline constexpr uint64_t MostReadersKept = 2048, MostThreadsKept = 8192;

/// What kernels count, in uint64_t[CounterRows][Counters] at Log::counters; the collector adds them
/// up.
enum class Counter : uint32_t {
  CheckedGlobal = 0, ///< accesses that reached global shadow memory
  CheckedShared,     ///< ... that reached the shadow of shared memory
  LoggedFull,        ///< accesses logged in full by fast kernels
  Candidates,        ///< accesses that made a word tracked
  Suppressed,        ///< accesses that did not: DedupKept of their pair of sites did
  TimeOverflow,      ///< X1: threads that passed more barriers or wrote more records than fit
  SlotsMissing,      ///< X1: warps whose block's shared memory has no slot
  BarrierDiverged,   ///< X1: block barriers that only a part of a warp passed together
  ReadersKept,       ///< words tracked to keep their readers apart, in the first row only
  GridsMixed,        ///< X1: events of a launch whose entry in Overlap::grids is another's
  Count
};
inline constexpr uint32_t Counters = 16, CounterRows = 64;

/// In device memory. Written by the host before each launch, read by every event.
struct alignas(32) Log {
  uint64_t records;  ///< address of Record[capacity]
  uint32_t capacity; ///< 0 = recording is off
  uint32_t stamp;    ///< of the current launch, 1-65535
  uint64_t cursor;   ///< next ticket; tickets from `capacity` on were dropped
  // ---- fast kernels only
  uint64_t table;       ///< address of uint64_t[tableMask + 1]; 0 = all accesses are logged in full
  uint64_t tag;         ///< of this launch, << mark::TagShift
  uint64_t oldest;      ///< lowest tag not known to be ordered before the launch, << mark::TagShift
  uint64_t orderedTags; ///< bit t: the launch of tag t is ordered before this one
  uint32_t blockShift, phaseShift; ///< markLayout()
  uint64_t counters;               ///< address of uint64_t[CounterRows][Counters]
  uint64_t dedup;                  ///< address of uint64_t[DedupEntries]
  uint64_t sharedShadow; ///< address of slotCount * slotBytes, zero at the start; 0 = no slots
  uint64_t slotTable;    ///< address of uint64_t[SlotEntries], zero at the start
  uint64_t slotHeaders;  ///< address of SlotHeader[slotCount], zero at the start
  uint64_t slotTaken; ///< address of uint32_t[(slotCount + 31) / 32], bit = taken; zero, and ones
                      ///< past slotCount, at the start
  uint32_t slotCount;
  uint32_t slotBytes;  ///< 4 * bytes of a block's shared memory, system's included, multiple of 16
  uint32_t epochShift; ///< markLayout()
  uint32_t tableMask;
  uint32_t overlaps; ///< 1 = launches overlap: see Overlap
};
static_assert(sizeof(Log) == 160);

/// Launches that overlap, each with a Log of its own; records and cursor are those of State::log.
/// A thread finds its launch's by the number of its grid (%gridid, which tells concurrent grids
/// apart), under which the threads of the grid enter the slot of their kernel when they start.
struct Overlap {
  static constexpr uint32_t Slots = 32, Grids = 1u << 14, NoLaunch = 0xff;
  Log logs[Slots];
  uint32_t kernels[Slots]; ///< kernelId() of the launch; 0 = free
  uint64_t grids[Grids];   ///< at %gridid modulo Grids: %gridid << 8 | slot
};
static_assert(Overlap::Slots < Overlap::NoLaunch);
/// A kernel by its mangled name; never 0. Different kernels may have the same.
constexpr uint32_t kernelId(const char *symbol, uint64_t length) {
  uint32_t hash = 2166136261u;
  for (uint64_t i = 0; i < length; ++i)
    hash = (hash ^ uint8_t(symbol[i])) * 16777619u;
  return hash ? hash : 1;
}

/// What __scopesan_gpu_state points to.
struct State {
  Log log;
  uint64_t counters[CounterRows][Counters];
  Overlap overlap;
};

/// Variable of each linked module that points to the Log; null = no collector: record nothing.
inline constexpr const char StateSymbol[] = "__scopesan_gpu_state";
/// i32 variable of each translation unit: first site id. The suffix is SiteBlob::hash, 16 digits.
inline constexpr const char SiteBasePrefix[] = "__scopesan_gpu_sites_base_";

/// Header of the site table that each translation unit carries as a constant in its device code;
/// found by scanning for the magic. Followed by Site[], Frame[], Kernel[], strings.
struct SiteBlob {
  char magic[16];
  uint32_t version; ///< abi::Version
  uint32_t siteCount, frameCount, stringBytes;
  uint32_t kernelCount;
  uint32_t flags; ///< HostCode
  uint64_t size;  ///< bytes that follow this header
  uint64_t hash;  ///< FNV-1a 64 of those bytes
};
static_assert(sizeof(SiteBlob) == 56);
/// SiteBlob::flags: the unit's host code is instrumented as well (-scopesan-host).
inline constexpr uint32_t HostCode = 1;

/// What a kernel does with its events.
enum class KernelMode : uint32_t {
  Logged = 0,   ///< every event is logged
  Syncless = 1, ///< no synchronization but block barriers: only candidates are logged
  Mixed = 2     ///< synchronization and candidates are logged
};
/// One kernel of the unit.
struct Kernel {
  uint32_t symbol;    ///< string: mangled name
  uint32_t mode;      ///< KernelMode, ElidedShift
  uint32_t firstSite; ///< index in the unit's table; all sites of a fast kernel follow each other
  uint32_t flags;     ///< UsesShared and the like
};
static_assert(sizeof(Kernel) == 16);
/// Kernel::flags: the kernel needs a slot for its shared memory.
inline constexpr uint32_t UsesShared = 1;
/// Kernel::flags: a mixed kernel that passes barriers of the whole grid.
inline constexpr uint32_t UsesGridBarrier = 2;
/// Kernel::flags, upper bits: constant variables that the kernel may read and the host may write.
inline constexpr uint32_t AnyConstant = 0xffffff00;
/// The bit of a variable, by its symbol; several may share one.
constexpr uint32_t constantBit(const char *symbol, uint64_t length) {
  uint32_t hash = 2166136261u;
  for (uint64_t i = 0; i < length; ++i)
    hash = (hash ^ uint8_t(symbol[i])) * 16777619u;
  return 1u << (8 + hash % 24);
}
/// Kernel::mode: from this bit on, places whose accesses are not checked since nothing can race
/// with them.
inline constexpr uint32_t ElidedShift = 8;
inline constexpr uint32_t ModeMask = 0xff;
/// Split so that the magic occurs only in device code.
inline constexpr const char SiteMagicHead[] = "\x7fScope";
inline constexpr const char SiteMagicTail[] = "San\rSITE\n\x1a";

} // namespace scopesan::gpu

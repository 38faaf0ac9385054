// The versioned ABI between instrumented device code and the runtimes.
//
// The pass inserts calls to the functions listed in abi.def. They are abstract: the CPU backend
// resolves them natively, the GPU build links them as device bitcode. Nothing here decides a
// verdict; the calls carry facts only.
//
// Freestanding: usable from host code, device bitcode and the pass.
#pragma once

#include <compare>
#include <stdint.h>

namespace scopesan::abi {

/// Bumped whenever a layout or a signature in this file or in abi.def changes.
inline constexpr uint32_t Version = 5;

/// What an instruction does to memory.
enum class AccessKind : uint8_t {
  Load = 0,      ///< reads
  Store = 1,     ///< writes
  Rmw = 2,       ///< reads and writes, returns the old value
  Cas = 3,       ///< reads, writes when the comparison succeeds (O5)
  Red = 4,       ///< reads and writes, returns nothing: never acquires (O5)
  Fence = 5,     ///< orders, accesses nothing
  AsyncCopy = 6, ///< bulk or asynchronous copy (S12)
  Alloc = 7,     ///< memory becomes alive (D8); never an instruction
  Free = 8,      ///< memory ends (D8); never an instruction
  Enter = 9,     ///< a block starts (D8); never an instruction
  Exit = 10      ///< a thread ends (D8)
};

/// O1: ordering semantics. Weak is a plain access; everything else is strong.
enum class MemoryOrder : uint8_t {
  Weak = 0,
  Relaxed = 1,
  Acquire = 2,
  Release = 3,
  AcqRel = 4,
  SeqCst = 5
};

/// P3: thread scope of a strong operation. Ordered: a larger value includes more threads.
enum class Scope : uint8_t { Thread = 0, Block = 1, Cluster = 2, Device = 3, System = 4 };

/// State space that the instruction names. Generic when only the address tells.
enum class Space : uint8_t {
  Generic = 0,
  Global = 1,
  Shared = 2,
  SharedCluster = 3,
  Const = 4,
  Local = 5
};

/// Packed operation descriptor, the `op` argument of the strong entry points and `Site::op`.
///   bits 0-3 AccessKind, 4-7 MemoryOrder, 8-11 Scope, 12-15 Space,
///   bit 16 volatile, bit 17 mmio, bit 18 non-coherent (.nc), bit 19 site lies in a toolkit header,
///   bits 20-23 log2 of the bytes of one scalar element (P1: a vector is a set of scalars),
///   bit 24 a fence that concerns the thread's mbarrier.init only (S9),
///   bit 25 an arrival that must not complete its mbarrier's phase (D7),
///   bit 26 a read in a loop that does nothing else and that only the value read ends (D12).
class Op {
public:
  constexpr Op() = default;
  constexpr explicit Op(uint32_t Bits) : Bits(Bits) {}
  constexpr Op(AccessKind K, MemoryOrder O, Scope S, Space Sp = Space::Generic)
      : Bits(uint32_t(K) | uint32_t(O) << 4 | uint32_t(S) << 8 | uint32_t(Sp) << 12) {}

  constexpr AccessKind kind() const { return AccessKind(Bits & 15); }
  constexpr MemoryOrder order() const { return MemoryOrder(Bits >> 4 & 15); }
  constexpr Scope scope() const { return Scope(Bits >> 8 & 15); }
  constexpr Space space() const { return Space(Bits >> 12 & 15); }
  constexpr bool isVolatile() const { return Bits & VolatileBit; }
  constexpr bool isMmio() const { return Bits & MmioBit; }
  constexpr bool isNonCoherent() const { return Bits & NonCoherentBit; }
  constexpr bool inToolkit() const { return Bits & ToolkitBit; }
  constexpr bool concernsInitsOnly() const { return Bits & InitsOnlyBit; }
  constexpr bool mustNotComplete() const { return Bits & NoCompleteBit; }
  constexpr bool isOnlyWayOut() const { return Bits & OnlyWayOutBit; }
  constexpr uint32_t elementBytes() const { return 1u << (Bits >> 20 & 15); }
  constexpr Op with(uint32_t Flag) const { return Op(Bits | Flag); }
  constexpr Op withElementLog2(uint32_t L) const { return Op((Bits & ~(15u << 20)) | L << 20); }
  constexpr uint32_t raw() const { return Bits; }

  constexpr bool isWrite() const {
    constexpr uint32_t Writes = 1u << uint32_t(AccessKind::Store) |
                                1u << uint32_t(AccessKind::Rmw) | 1u << uint32_t(AccessKind::Cas) |
                                1u << uint32_t(AccessKind::Red);
    return Writes >> (Bits & 15) & 1;
  }
  constexpr bool isRmw() const {
    return kind() == AccessKind::Rmw || kind() == AccessKind::Cas || kind() == AccessKind::Red;
  }
  constexpr bool isStrong() const { return order() != MemoryOrder::Weak; }
  constexpr bool acquires() const {
    return order() == MemoryOrder::Acquire || order() == MemoryOrder::AcqRel ||
           order() == MemoryOrder::SeqCst;
  }
  constexpr bool releases() const {
    return order() == MemoryOrder::Release || order() == MemoryOrder::AcqRel ||
           order() == MemoryOrder::SeqCst;
  }

  static constexpr uint32_t VolatileBit = 1u << 16;
  static constexpr uint32_t MmioBit = 1u << 17;
  static constexpr uint32_t NonCoherentBit = 1u << 18;
  static constexpr uint32_t ToolkitBit = 1u << 19;
  static constexpr uint32_t InitsOnlyBit = 1u << 24;
  static constexpr uint32_t NoCompleteBit = 1u << 25;
  static constexpr uint32_t OnlyWayOutBit = 1u << 26;
  constexpr auto operator<=>(const Op &) const = default;

private:
  uint32_t Bits = 0;
};
static_assert(sizeof(Op) == 4);

/// `kind` argument of the block barrier entry points (S7).
enum class BarrierKind : uint32_t {
  Sync = 0,   ///< arrive and wait
  Arrive = 1, ///< arrive only: a source, never a sink
  Red = 2     ///< arrive, reduce a predicate, wait
};
/// Added to the kind on the CPU backend: all lanes of a warp must reach the same instruction (D7).
inline constexpr uint32_t AlignedBarrier = 4;
/// Added there when the call follows the barrier: it is too late to look at the arrivals before it.
inline constexpr uint32_t LateBarrier = 8;

/// How an access reaches memory (S13). Values are those of core::Proxy.
enum class Proxy : uint32_t {
  Generic = 0,
  Async = 1,     ///< bulk and tensor copies, wgmma reads of shared memory
  TensorMap = 2, ///< reads of tensor-map objects
  NonCoherent = 3,
  Surface = 4,
  Texture = 5,
  Constant = 6,
  ConstantBank = 7 ///< reads of constant variables that the host may write
};

/// `fence` argument of __scopesan_proxy_fence. Values are those of core::ProxyFence.
enum class ProxyFence : uint32_t {
  Async = 0,
  TensorMap = 1,
  Alias = 2,
  Surface = 3,
  Texture = 4,
  Constant = 5
};

/// `allowed` argument of __scopesan_cp_async_wait: cp.async.wait_all, uncommitted copies included.
inline constexpr uint32_t WaitAll = ~0u;

/// One source position. Strings are byte offsets into Module::strings (0 is the empty string).
struct Frame {
  uint32_t file;   ///< path as the compiler saw it
  uint32_t func;   ///< demangled function name
  uint32_t line;   ///< 1-based; 0 = no debug information
  uint32_t column; ///< 1-based; 0 = unknown
  uint32_t parent; ///< index into Module::frames of the call site this was inlined into; ~0u = none
};
static_assert(sizeof(Frame) == 20);

/// One instrumented instruction.
struct Site {
  uint32_t frame; ///< index into Module::frames; ~0u = unknown
  uint32_t op;    ///< Op::raw() (0 for barriers)
  uint32_t bytes; ///< bytes of the whole access; 0 = not a fixed size
  uint32_t text;  ///< string: PTX text or IR of an unmodelled operation, value type otherwise
};
static_assert(sizeof(Site) == 16);

/// Description of one instrumented device module; a constant in its snapshot named ModuleSymbol.
struct Module {
  uint32_t version;
  uint32_t siteCount;
  uint32_t frameCount;
  uint32_t stringBytes;
  const Site *sites;
  const Frame *frames;
  const char *strings;
  uint32_t *siteBase; ///< runtime writes the module's first global site id here at load
};
inline constexpr const char ModuleSymbol[] = "__scopesan_module";
/// i32 global in the snapshot; each ABI call's `site` argument is `load(SiteBaseSymbol) + index`.
inline constexpr const char SiteBaseSymbol[] = "__scopesan_site_base";

/// Header of the bitcode snapshot that the pass embeds in device code as a constant global named
/// `__scopesan_snapshot_<hash>`. Found by scanning the fat binary for the magic.
struct SnapshotHeader {
  char magic[16];    ///< SnapshotMagic, 16 bytes without a terminator
  uint32_t version;  ///< abi::Version
  uint32_t reserved; ///< 0
  uint64_t size;     ///< bytes of bitcode that follow this header
  uint64_t hash;     ///< FNV-1a 64 of those bytes: identity and cache key
};
static_assert(sizeof(SnapshotHeader) == 40);
/// Split so that the magic occurs only in snapshots, not in the binaries that look for it.
inline constexpr const char SnapshotMagicHead[] = "\x7fScope";
inline constexpr const char SnapshotMagicTail[] = "San\rSNAP\n\x1a";

} // namespace scopesan::abi

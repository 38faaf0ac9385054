// Contract between retargeted device code (produced by the code-generation helper, loaded with
// dlopen) and the CPU backend's engine. Shared by compiler-pass/retarget and runtime/cpu.
#pragma once

#include "scopesan/abi.h"
#include "scopesan/tensor_map_field.h"
#include "scopesan/texture_form.h"

#include <stddef.h>
#include <stdint.h>

namespace scopesan::cpu {

/// Bumped when anything in this file changes; part of the code cache key.
inline constexpr uint32_t CpuAbiVersion = 5;

/// What retargeted code reads of its thread without a call. `__scopesan_cpu_current` points at it.
struct ThreadContext {
  uint32_t tid[3];
  uint32_t ctaid[3];
  uint32_t ntid[3];
  uint32_t nctaid[3];
  uint32_t laneid;
  uint32_t warpid;
  char *shared; ///< start of the block's shared memory (below 4 GiB); first ReservedShared bytes
                ///< reserved
};
static_assert(offsetof(ThreadContext, laneid) == 48 && offsetof(ThreadContext, shared) == 56);

/// cooperative groups' reserved area at the start of every block's shared memory
inline constexpr uint32_t ReservedShared = 1024;

struct SharedVariable {
  const char *name; ///< demangled
  uint32_t offset;  ///< from ThreadContext::shared
  uint32_t size;    ///< bytes; 0 = the dynamic (extern) array
};

struct Kernel {
  const char *name;           ///< mangled symbol, as registered with __cudaRegisterFunction
  void (*entry)(void **args); ///< args[i] points at the i-th parameter's value
  uint32_t staticShared;      ///< bytes from ThreadContext::shared to the dynamic shared memory
  uint32_t paramCount;
  const uint32_t *paramSizes; ///< bytes of each parameter
  uint32_t reqntid[3];        ///< __block_size__, 0 = not set
  uint32_t maxThreads;        ///< __launch_bounds__, 0 = not set
  uint32_t clusterDim[3];     ///< __cluster_dims__, 0 = not set
  uint32_t sharedCount;
  const SharedVariable *sharedVariables;
  uint32_t
      gridInClusters; ///< 1 = __block_size__ with a cluster: launches count clusters, not blocks
};

struct Variable {
  const char *name; ///< mangled symbol, as registered with __cudaRegisterVar
  const char *demangled;
  void *address;
  uint64_t size;
  uint32_t constant; ///< 1 = __constant__
  uint32_t managed;  ///< 1 = __managed__: host code uses the same memory
};

/// The one data symbol that a generated library exports: `scopesan_cpu_module`.
struct Module {
  uint32_t abiVersion; ///< CpuAbiVersion
  uint32_t kernelCount;
  uint32_t variableCount;
  uint32_t siteTableCount;
  const Kernel *kernels;
  const Variable *variables;
  const abi::Module *const *siteTables; ///< one for each translation unit of the module
};
inline constexpr const char ModuleExport[] = "scopesan_cpu_module";

/// Operations of a warp rendezvous (`__scopesan_cpu_warp`). Threads of `mask` meet; semantics are
/// those of the PTX instruction of the same name.
enum class WarpOp : uint32_t {
  Sync = 1,
  ShflUp,
  ShflDown,
  ShflBfly,
  ShflIdx,
  VoteAny,
  VoteAll,
  VoteUni,
  VoteBallot,
  MatchAny,
  MatchAll,
  Elect,
  ReduxAdd,
  ReduxMin,
  ReduxMax,
  ReduxUmin,
  ReduxUmax,
  ReduxAnd,
  ReduxOr,
  ReduxXor,
  Collective ///< the engine's own: matrix operations of the whole warp
};

/// Parameters of the kernel, which abi::Space counts as constant memory.
inline constexpr uint32_t ParamSpace = 256;

enum class MatrixType : uint32_t {
  None = 0,
  F16,
  BF16,
  TF32,
  F32,
  F64,
  S8,
  U8,
  S4,
  U4,
  B1,
  S32,
  E4M3,
  E5M2
};
constexpr uint32_t bitsOf(MatrixType T) {
  constexpr uint32_t Bits[] = {0, 16, 16, 32, 32, 64, 8, 8, 4, 4, 1, 32, 8, 8};
  return Bits[uint32_t(T)];
}
/// Which lane holds which element: those of mma (PTX ISA 9.7.15.5), of wgmma (9.7.16.5), or the
/// engine's own for wmma, where PTX leaves it open (9.7.15.4.1).
enum class MatrixLayout : uint32_t { Mma = 0, Wmma, Wgmma };

/// A matrix operation D = A x B + C: M x K times K x N. For wgmma M is 64, of which each warp
/// computes 16 rows, and A may come from shared memory.
struct MatrixForm {
  uint32_t M = 0, N = 0, K = 0;
  MatrixType A = MatrixType::None, B = MatrixType::None, C = MatrixType::None, D = MatrixType::None;
  MatrixLayout Layout = MatrixLayout::Mma;
  bool Saturate = false; ///< .satfinite
  bool Xor = false;      ///< .b1: xor instead of and before the population count
  bool SharedA = false;  ///< wgmma: A is named by a descriptor
  bool TransposedA = false, TransposedB = false; ///< wgmma: MN-major in shared memory
  bool NegatedA = false, NegatedB = false;       ///< wgmma: imm-scale is -1

  constexpr uint64_t raw() const {
    return uint64_t(M) | uint64_t(N) << 8 | uint64_t(K) << 17 | uint64_t(A) << 27 |
           uint64_t(B) << 31 | uint64_t(C) << 35 | uint64_t(D) << 39 | uint64_t(Layout) << 43 |
           uint64_t(Saturate) << 45 | uint64_t(Xor) << 46 | uint64_t(SharedA) << 47 |
           uint64_t(TransposedA) << 48 | uint64_t(TransposedB) << 49 | uint64_t(NegatedA) << 50 |
           uint64_t(NegatedB) << 51;
  }
  static constexpr MatrixForm fromRaw(uint64_t R) {
    auto Type = [&](int At) { return MatrixType(R >> At & 15); };
    auto Flag = [&](int At) { return (R >> At & 1) != 0; };
    return {uint32_t(R & 255),
            uint32_t(R >> 8 & 511),
            uint32_t(R >> 17 & 1023),
            Type(27),
            Type(31),
            Type(35),
            Type(39),
            MatrixLayout(R >> 43 & 3),
            Flag(45),
            Flag(46),
            Flag(47),
            Flag(48),
            Flag(49),
            Flag(50),
            Flag(51)};
  }
};

using abi::TensorMapField;

/// What a reducing copy does to each element of its destination, and the element's type. `.b32` and
/// `.b64` are U32 and U64.
enum class ReduceOp : uint32_t { None = 0, Add, Min, Max, Inc, Dec, And, Or, Xor };
enum class ReduceType : uint32_t { U32, S32, U64, S64, F16, BF16, F32, F64 };
/// `reduction` argument of the copies: 0 = a plain copy. Bits 0-7 ReduceOp, 8-15 ReduceType.
class Reduction {
public:
  constexpr explicit Reduction(uint32_t Raw) : Bits(Raw) {}
  constexpr Reduction(ReduceOp Op, ReduceType T) : Bits(uint32_t(Op) | uint32_t(T) << 8) {}
  constexpr ReduceOp op() const { return ReduceOp(Bits & 255); }
  constexpr ReduceType type() const { return ReduceType(Bits >> 8 & 255); }
  constexpr explicit operator bool() const { return op() != ReduceOp::None; }
  constexpr uint32_t raw() const { return Bits; }

private:
  uint32_t Bits;
};

} // namespace scopesan::cpu

// Functions that retargeted code calls (besides scopesan/abi.def), implemented by the engine:
extern "C" {
extern scopesan::cpu::ThreadContext *__scopesan_cpu_current;

/// bar.sync / bar.red: `red` 0 none, 1 popc, 2 and, 3 or; returns the reduction result.
uint32_t __scopesan_cpu_bar_sync(uint32_t id, uint32_t count, uint32_t red, uint32_t predicate);
void __scopesan_cpu_bar_arrive(uint32_t id, uint32_t count);
/// Meets the lanes of `mask` and returns the calling lane's result. `b`, `c` are the shfl operands.
uint64_t __scopesan_cpu_warp(uint32_t op, uint32_t mask, uint64_t value, uint32_t b, uint32_t c);
/// The predicate result of this lane's last __scopesan_cpu_warp.
uint32_t __scopesan_cpu_warp_predicate(void);
uint32_t __scopesan_cpu_activemask(uint32_t site);
/// Gives other threads a turn (nanosleep, clock reads, failed try_wait).
void __scopesan_cpu_yield(void);
/// A special register by name id, for those not in ThreadContext. Names: see sregs.def.
uint64_t __scopesan_cpu_sreg(uint32_t sreg);
[[noreturn]] void __scopesan_cpu_exit(void);
[[noreturn]] void __scopesan_cpu_trap(void);
[[noreturn]] void __scopesan_cpu_assertfail(const char *message, const char *file, uint32_t line,
                                            const char *function, size_t charSize);
/// An operation the CPU backend cannot execute: stops the kernel with an error naming `text`.
[[noreturn]] void __scopesan_cpu_unsupported(const char *text);
int32_t __scopesan_cpu_vprintf(const char *format, const char *args);
void *__scopesan_cpu_malloc(uint64_t bytes);
void __scopesan_cpu_free(void *p);
uint32_t __scopesan_cpu_isspacep(const void *p, uint32_t space); ///< abi::Space or ParamSpace
uint64_t __scopesan_cpu_mapa(uint64_t shared, uint32_t rank);
uint32_t __scopesan_cpu_getctarank(uint64_t shared);
void __scopesan_cpu_cluster_arrive(void);
void __scopesan_cpu_cluster_wait(void);

// mbarrier objects. `state` is what an arrival returned, or a parity. A wait that finds its phase
// incomplete gives other threads a turn and looks again.
void __scopesan_cpu_mbarrier_init(void *barrier, uint32_t count);
/// Expects `bytes`, then arrives `count` times; `drop` leaves the following phases. Returns the
/// state before.
uint64_t __scopesan_cpu_mbarrier_arrive(void *barrier, uint32_t count, uint32_t bytes,
                                        uint32_t drop);
void __scopesan_cpu_mbarrier_expect(void *barrier, uint32_t bytes);
void __scopesan_cpu_mbarrier_complete(void *barrier, uint32_t bytes);
uint32_t __scopesan_cpu_mbarrier_wait(void *barrier, uint64_t state);
uint32_t __scopesan_cpu_mbarrier_pending(uint64_t state);

// Asynchronous copies: issued here, executed at any moment until their completion is waited for.
/// cp.async: reads `source` bytes (at most `bytes`) and fills up with zeros.
void __scopesan_cpu_cp_async(void *to, const void *from, uint32_t bytes, uint32_t source);
void __scopesan_cpu_cp_async_commit(void);
/// `allowed`: abi::WaitAll for cp.async.wait_all.
void __scopesan_cpu_cp_async_wait(uint32_t allowed);
void __scopesan_cpu_cp_async_mbarrier_arrive(void *barrier, uint32_t noinc);
/// `barrier` null: completes by bulk group. `masks`: as in abi.def.
void __scopesan_cpu_bulk_copy(void *to, const void *from, uint64_t bytes, void *barrier,
                              uint32_t reduction, uint32_t masks);
/// A tensor copy of `rank` dimensions; `store` 1 from shared memory. `start`: coordinates.
/// `receivers`: blocks of the cluster, 0 for one. `reduceOp`: ReduceOp; the map has the type.
void __scopesan_cpu_tensor_copy(const void *map, void *shared, void *barrier, const int32_t *start,
                                uint32_t rank, uint32_t store, uint32_t reduceOp,
                                uint32_t receivers);
/// tensormap.replace; `index` of the dimension where the field has several.
void __scopesan_cpu_tensormap_replace(void *map, uint32_t field, uint32_t index, uint64_t value);
void __scopesan_cpu_bulk_commit(void);
void __scopesan_cpu_bulk_wait(uint32_t allowed, uint32_t read);
/// st.async, red.async: `values` are read at once. `barrier` null: completes unnoticed.
void __scopesan_cpu_store_async(void *to, const void *values, uint32_t bytes, void *barrier,
                                uint32_t reduction);

// Textures and surfaces. `form`: TextureForm; `coordinates`: the layer first, then integers or the
// bits of floats.
/// Four 32-bit values.
void __scopesan_cpu_texture(uint64_t object, uint32_t form, const uint32_t *coordinates,
                            void *result);
/// As many bytes as the form says; the first coordinate counts bytes.
void __scopesan_cpu_surface_read(uint64_t object, uint32_t form, const uint32_t *coordinates,
                                 void *result);
void __scopesan_cpu_surface_write(uint64_t object, uint32_t form, const uint32_t *coordinates,
                                  const void *values);

// Matrices. Fragments are packed as in the instruction's registers, lowest element first.
/// mma and wmma of the whole warp; `form`: MatrixForm.
void __scopesan_cpu_mma(uint64_t form, void *d, const void *a, const void *b, const void *c);
/// wmma.load and wmma.store of one operand (0 A, 1 B, 2 C or D): this lane's elements. `stride` in
/// elements, `column` 1 for column-major matrices in memory.
void __scopesan_cpu_wmma_load(uint64_t form, uint32_t operand, void *fragment, const void *from,
                              uint32_t stride, uint32_t column);
void __scopesan_cpu_wmma_store(uint64_t form, const void *fragment, void *to, uint32_t stride,
                               uint32_t column);
/// wgmma.mma_async: `d` is read as well unless `scaleD` is 0. `a` null: `aMatrix` describes it.
void __scopesan_cpu_wgmma(uint64_t form, void *d, const void *a, uint64_t aMatrix, uint64_t bMatrix,
                          uint32_t scaleD);
void __scopesan_cpu_wgmma_commit(void);
void __scopesan_cpu_wgmma_wait(uint32_t allowed);

// Programmatic dependent launch
void __scopesan_cpu_griddep_wait(void);
void __scopesan_cpu_griddep_launch(void);
}

// scopesan-test: cooperative groups, libcu++ and language suites as one program: what CI compiles
//
// variant all -Xarch_host -O0 -Xcuda-ptxas -O0 -gline-tables-only
//   verdict clean
//   may-advise progress-not-promised
//   may-advise over-synchronized
//   may-advise unordered-strong
//   proof P1 P5 O3 O5 S3 S4 S7 S8 S10 S11 S12
#include "cg_block_grid.cu"
#include "cg_coalesced.cu"
#include "cg_copies.cu"
#include "cg_large_tiles.cu"
#include "cg_tiles.cu"
#include "cuda_atomic_narrow.cu"
#include "cuda_atomic_ref.cu"
#include "cuda_barrier.cu"
#include "cuda_latch.cu"
#include "cuda_pipeline.cu"
#include "cuda_semaphore.cu"
#include "language_builtins.cu"
#include "language_calls.cu"
#include "language_forms.cu"
#include "language_memory.cu"

// scopesan-test: CUB within blocks and warps as one program: what CI compiles
//
// variant all -Xarch_host -O0 -Xcuda-ptxas -O0 -gline-tables-only
//   verdict clean
//   proof S7 S8
//   args --sizes=0,1,33,257,1000,4099
#include "cub_block_moves.cu"
#include "cub_warp.cu"

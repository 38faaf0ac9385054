// scopesan-test: all CUB suites as one program: what CI compiles
//
// variant all -Xarch_host -O0 -Xcuda-ptxas -O0 -gline-tables-only
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S8 S14
#include "cub_block_radix_sort.cu"
#include "cub_block_reduce.cu"
#include "cub_block_scan.cu"
#include "cub_device_histogram.cu"
#include "cub_device_merge_sort.cu"
#include "cub_device_radix_sort.cu"
#include "cub_device_reduce.cu"
#include "cub_device_run_length.cu"
#include "cub_device_scan.cu"
#include "cub_device_select.cu"
#include "cub_types.cu"

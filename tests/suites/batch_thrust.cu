// scopesan-test: all Thrust suites as one program: what CI compiles
//
// variant all -Xarch_host -O0 -Xcuda-ptxas -O0 -gline-tables-only
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S14
#include "thrust_reduce.cu"
#include "thrust_select.cu"
#include "thrust_sort.cu"

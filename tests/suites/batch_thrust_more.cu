// scopesan-test: further suites of Thrust as one program
//
// variant all -Xarch_host -O0 -Xcuda-ptxas -O0 -gline-tables-only
//   verdict clean
//   may-advise progress-not-promised
//   proof S3 S7 S8 S14
//   args --sizes=0,1,33,257,1000,4099
#include "thrust_iterators.cu"
#include "thrust_moves.cu"
#include "thrust_policies.cu"
#include "thrust_scans.cu"
#include "thrust_types.cu"

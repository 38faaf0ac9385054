// scopesan-test: cooperative groups and libcu++ in all operations as one program
//
// variant all -Xarch_host -O0 -Xcuda-ptxas -O0 -gline-tables-only
//   verdict clean
//   may-advise progress-not-promised
//   proof S1 S2 S3 S7 S8 S9 S10 S12
//   args --sizes=0,1,33,257,1000,4099
#include "cg_operations.cu"
#include "cuda_objects.cu"

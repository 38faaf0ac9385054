// A program's own header of the toolkit's name. It needs what its users include before it.
#ifndef OWN_CUDA_H
#define OWN_CUDA_H
#include <cuda_fp16.h>
inline element *allocate(int count) {
  element *data = nullptr;
  cudaMallocManaged(&data, count * sizeof(element));
  return data;
}
#endif

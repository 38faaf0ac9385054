// The units of relocatable_virtual.cu.
struct Operation {
  virtual __device__ float apply(float value) const = 0;
  virtual __device__ ~Operation() {}
};
__device__ Operation *makeOperation(int kind);
extern __device__ unsigned calls;

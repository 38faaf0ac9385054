// The second unit of rdc.cu.
__device__ void put(unsigned *data, unsigned place, unsigned value) { data[place] = value; }

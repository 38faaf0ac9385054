// scopesan-compat: __managed__ variables in host code, initializers and the symbol API
// plain reference to __device__|unknown attribute 'managed' ignored|__managed__
// plain-flags -Werror=unknown-attributes
// flags -std=c++17
// ptx \.attribute\(\.managed\)
#include "check.h"

struct Entry {
  const char *name;
  int *value;
};

__managed__ int counter = 5;
__device__ __managed__ int table[4] = {1, 2, 3, 4};
static __managed__ float factor;
// Host data that holds the address of managed data.
int *third = &table[2];
Entry entries[] = {{"counter", &counter}, {"second", &table[1]}};

__global__ void kernel() {
  counter += table[1];
  table[3] = int(factor * 4);
}

__host__ __device__ int *counterAddress() { return &counter; }

int main(int argc, char **) {
  bool right = counter == 5 && *third == 3 && table[0] == 1;
  factor = 2.5f;
  table[1] = 20;
  kernel<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  right = right && counter == 25 && table[3] == 10 && *entries[0].value == 25;
  right = right && *entries[1].value == 20 && *counterAddress() == 25;
  // A choice between two addresses.
  int *chosen = argc > 1 ? &table[0] : &counter;
  right = right && *chosen == 25;
  int copy = 0;
  void *address = nullptr;
  CHECK(cudaMemcpyFromSymbol(&copy, counter, sizeof copy));
  CHECK(cudaGetSymbolAddress(&address, counter));
  right = right && copy == 25 && address == &counter;
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, &counter));
  return verdict(right && attributes.type == cudaMemoryTypeManaged);
}

// scopesan-test: device malloc, vector accesses, memcpy and memset in kernels, local arrays
//
// variant all
//   verdict clean
//   proof P1 P5 S7
#include "suite.h"

namespace language_memory {

/// Each thread's block of memory is its own; its neighbour reads it after the barrier and frees it.
__global__ void heap(int n, int *out) {
  __shared__ int *parts[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int length = i % 17 + 1;
  int *mine = static_cast<int *>(malloc(length * sizeof(int)));
  for (int k = 0; mine && k < length; ++k)
    mine[k] = i + k;
  parts[threadIdx.x] = mine;
  __syncthreads();
  int other = (threadIdx.x + 1) % 64, from = blockIdx.x * 64 + other, sum = 0;
  int *theirs = parts[other];
  for (int k = 0; theirs && k < from % 17 + 1; ++k)
    sum += theirs[k];
  free(theirs);
  int *again = new int[3]; // may be the memory just freed: a new location
  again[2] = sum;
  if (i < n)
    out[i] = again[2];
  delete[] again;
}

SUITE_TEST(memoryHeap) {
  suite::Device<int> out(n);
  heap<<<suite::blocksFor(n, 64), 64>>>(n, out.get());
  CHECK(cudaGetLastError());
  std::vector<int> got = out.host();
  for (int i = 0; i < n; ++i) {
    int from = i / 64 * 64 + (i + 1) % 64, length = from % 17 + 1;
    EXPECT(got[i] == length * from + length * (length - 1) / 2);
  }
}

/// 16-, 8- and 4-byte vectors; the tail by scalars of the same memory.
__global__ void vectors(const float *in, int n, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, whole = n / 4;
  if (i < whole) {
    float4 v = reinterpret_cast<const float4 *>(in)[i];
    v.x += 1;
    v.w *= 2;
    reinterpret_cast<float4 *>(out)[i] = v;
  }
  if (i == 0) {
    for (int k = 4 * whole; k + 1 < n; k += 2) {
      float2 v = *reinterpret_cast<const float2 *>(in + k);
      *reinterpret_cast<float2 *>(out + k) = make_float2(v.y, v.x);
    }
    if (n % 2)
      out[n - 1] = in[n - 1];
  }
}
struct Bytes {
  uchar4 a;
  short2 b;
  longlong2 c;
  double2 d;
};
__global__ void structures(Bytes *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = {make_uchar4(i, i + 1, i + 2, i + 3), make_short2(i, -i), make_longlong2(i, -i),
              make_double2(i, 0.5 * i)};
}

SUITE_TEST(memoryVectors) {
  std::vector<float> in = suite::values<float>(n, 1000);
  suite::Device<float> data(in), out(n);
  vectors<<<suite::blocksFor(n, 128), 128>>>(data.get(), n, out.get());
  suite::Device<Bytes> bytes(n);
  structures<<<suite::blocksFor(n, 128), 128>>>(bytes.get(), n);
  CHECK(cudaGetLastError());
  std::vector<float> got = out.host();
  for (int i = 0; i < n; ++i) {
    int rest = i - n / 4 * 4;
    float right = i < n / 4 * 4         ? (i % 4 == 0   ? in[i] + 1
                                           : i % 4 == 3 ? in[i] * 2
                                                        : in[i])
                  : i == n - 1 && n % 2 ? in[i]
                                        : in[rest % 2 ? i - 1 : i + 1];
    EXPECT(got[i] == right);
  }
  std::vector<Bytes> b = bytes.host();
  for (int i = 0; i < n; ++i)
    EXPECT(b[i].a.w == uint8_t(i + 3) && b[i].b.y == short(-i) && b[i].c.y == -i &&
           b[i].d.y == 0.5 * i);
}

/// Constant and variable lengths, global, shared and local memory.
struct Packet {
  char text[24];
  int number;
};
__global__ void intrinsics(const char *in, int n, char *out, Packet *packets) {
  __shared__ char slots[64][40];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  char local[40];
  memset(local, i & 127, sizeof local);
  int length = min(i % 37, max(0, n - i));
  memcpy(local + 1, in + min(i, n), length);
  __builtin_memmove(local + 2, local, 30); // overlapping
  memcpy(slots[threadIdx.x], local, sizeof local);
  __syncthreads();
  Packet p;
  memset(&p, 0, sizeof p);
  memcpy(p.text, slots[63 - threadIdx.x], sizeof p.text);
  p.number = i;
  if (i < n) {
    packets[i] = p;
    memset(out + 8 * i, int(threadIdx.x), i % 9);
  }
}

SUITE_TEST(memoryIntrinsics) {
  std::vector<char> in = suite::values<char>(n, 100);
  suite::Device<char> data(in), out(8 * n, -1);
  suite::Device<Packet> packets(n);
  intrinsics<<<suite::blocksFor(n, 64), 64>>>(data.get(), n, out.get(), packets.get());
  CHECK(cudaGetLastError());
  std::vector<char> bytes = out.host();
  std::vector<Packet> got = packets.host();
  for (int i = 0; i < n; ++i) {
    int from = i / 64 * 64 + 63 - i % 64;
    char local[40];
    memset(local, from & 127, sizeof local);
    memcpy(local + 1, in.data() + std::min(from, n), std::min(from % 37, std::max(0, n - from)));
    memmove(local + 2, local, 30);
    EXPECT(got[i].number == i && !memcmp(got[i].text, local, sizeof got[i].text));
    for (int k = 0; k < 8; ++k)
      EXPECT(bytes[8 * i + k] == (k < i % 9 ? char(i % 64) : char(-1)));
  }
}

} // namespace language_memory

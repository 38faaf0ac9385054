// scopesan-test: mma of 8-bit floats, 4-bit integers and single bits, checked against plain sums
//
// variant fixed
//   why each warp computes from registers only
//   verdict clean
//   proof O1
// variant unordered_tile -DRACY
//   why each lane reads elements that the other lanes of its warp have written just before
//   verdict findings
//   require D1 fill(store,weak) take(load,weak) memory=tile distance=same-warp
//   proof O1 S8 D1
#include "check.h"
#include "matrix.h"
#include <stdint.h>

// A is 16 x K, B is K x 8. Small values that every type below holds.
__host__ __device__ int elementA(int i, int k) { return (i + 3 * k) % 5 - 2; }
__host__ __device__ int elementB(int k, int j) { return (2 * k + j) % 7 - 3; }

enum Type { kE4M3, kE5M2, kS4, kU4, kAnd, kXor };
constexpr int kMaxK = 256;

/// Integers are moved to what the type holds: u4 has no sign, bits are the lowest ones.
template <Type T> __host__ __device__ int value(int v) {
  return T == kU4 ? v + 3 : T == kAnd || T == kXor ? v & 1 : v;
}
template <Type T> __device__ uint32_t encode(int v) {
  const unsigned e4m3[] = {0x00, 0x38, 0x40, 0x44}, e5m2[] = {0x00, 0x3c, 0x40, 0x42};
  const unsigned size = unsigned(v < 0 ? -v : v), sign = v < 0 ? 0x80 : 0;
  return T == kE4M3   ? sign | e4m3[size]
         : T == kE5M2 ? sign | e5m2[size]
         : T == kS4   ? unsigned(v) & 15
                      : unsigned(v);
}
template <Type T> constexpr int bits() { return T == kE4M3 || T == kE5M2 ? 8 : T <= kU4 ? 4 : 1; }

/// The register that starts with element `k` along K.
template <Type T, class Element> __device__ uint32_t pack(int k, Element at) {
  uint32_t packed = 0;
  for (int e = 0; e < 32 / bits<T>(); ++e)
    packed |= encode<T>(value<T>(at(k + e))) << e * bits<T>();
  return packed;
}

template <Type T> __global__ void multiply(float *out) {
  __shared__ signed char tile[16 * kMaxK + kMaxK * 8];
  const int lane = int(threadIdx.x), group = lane / 4, in = lane % 4, packed = 32 / bits<T>();
  const int depth = 8 * packed;
  signed char *tileB = tile + 16 * depth;
  for (int e = lane; e < 16 * depth; e += 32)
    tile[e] = (signed char)elementA(e / depth, e % depth); // @fill
  for (int e = lane; e < depth * 8; e += 32)
    tileB[e] = (signed char)elementB(e / 8, e % 8); // @fill
#ifndef RACY
  __syncwarp();
#endif
  uint32_t a[4], b[2];
  for (int r = 0; r < 4; ++r)
    a[r] = pack<T>(in * packed + r / 2 * 4 * packed, [&](int k) {
      return tile[(group + r % 2 * 8) * depth + k]; // @take
    });
  for (int r = 0; r < 2; ++r)
    b[r] = pack<T>(in * packed + r * 4 * packed, [&](int k) {
      return tileB[k * 8 + group]; // @take
    });
  float f[4] = {1, 1, 1, 1};
  int s[4] = {1, 1, 1, 1};
  if (T == kE4M3)
    MMA_M16N8("m16n8k32.row.col.f32.e4m3.e4m3.f32", f, "+f", a, b);
  if (T == kE5M2)
    MMA_M16N8("m16n8k32.row.col.f32.e5m2.e5m2.f32", f, "+f", a, b);
  if (T == kS4)
    MMA_M16N8("m16n8k64.row.col.s32.s4.s4.s32", s, "+r", a, b);
  if (T == kU4)
    MMA_M16N8("m16n8k64.row.col.s32.u4.u4.s32", s, "+r", a, b);
  if (T == kAnd)
    MMA_M16N8("m16n8k256.row.col.s32.b1.b1.s32.and.popc", s, "+r", a, b);
  if (T == kXor)
    MMA_M16N8("m16n8k256.row.col.s32.b1.b1.s32.xor.popc", s, "+r", a, b);
  for (int i = 0; i < 4; ++i)
    out[(group + i / 2 * 8) * 8 + in * 2 + i % 2] = bits<T>() == 8 ? f[i] : float(s[i]);
}

template <Type T> bool check(float *device) {
  multiply<T><<<1, 32>>>(device);
  CHECK(cudaGetLastError());
  float host[128];
  CHECK(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      int sum = 1;
      for (int k = 0; k < 256 / bits<T>(); ++k) {
        int a = value<T>(elementA(i, k)), b = value<T>(elementB(k, j));
        sum += T == kXor ? a ^ b : a * b;
      }
      right = right && host[i * 8 + j] == float(sum);
    }
  if (!right)
    printf("wrong: type %d\n", T);
  return right;
}

int main() {
  float *out = nullptr;
  CHECK(cudaMalloc(&out, 128 * sizeof(float)));
  bool right = check<kE4M3>(out);
  right = check<kE5M2>(out) && right;
  right = check<kS4>(out) && right;
  right = check<kU4>(out) && right;
  right = check<kAnd>(out) && right;
  right = check<kXor>(out) && right;
  CHECK(cudaFree(out));
  return verdict(right);
}

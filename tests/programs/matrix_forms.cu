// scopesan-test: mma of every type of factor, checked against plain sums
//
// variant fixed
//   why each warp computes from registers only
//   verdict clean
//   proof O1
#include "check.h"
#include "matrix.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

// A is 16 x K, B is K x 8: element (i, j) of A is i - j + 3, of B is 2 i - j + 1 (mod small
// numbers), so that every product is exact in every type.
__host__ __device__ int elementA(int i, int j) { return (i + 3 * j) % 5 - 2; }
__host__ __device__ int elementB(int i, int j) { return (2 * i + j) % 7 - 3; }

enum Type { kHalf, kBrain, kTf32, kS8, kU8, kF64 };

/// The 32-bit register that starts with element `k` along K.
template <Type T, class Element> __device__ uint32_t pack(int k, Element at) {
  if (T == kHalf)
    return uint32_t(__half_as_ushort(__int2half_rn(at(k)))) |
           uint32_t(__half_as_ushort(__int2half_rn(at(k + 1)))) << 16;
  if (T == kBrain)
    return uint32_t(__bfloat16_as_ushort(__int2bfloat16_rn(at(k)))) |
           uint32_t(__bfloat16_as_ushort(__int2bfloat16_rn(at(k + 1)))) << 16;
  if (T == kTf32)
    return __float_as_uint(float(at(k)));
  uint32_t bits = 0;
  for (int e = 0; e < 4; ++e)
    bits |= uint32_t(uint8_t(T == kU8 ? at(k + e) + 3 : at(k + e))) << 8 * e;
  return bits;
}

template <Type T> __global__ void multiply(double *out) {
  const int lane = int(threadIdx.x), group = lane / 4, in = lane % 4;
  constexpr int packed = T == kHalf || T == kBrain ? 2 : T == kTf32 ? 1 : 4;
  uint32_t a[4], b[2];
  for (int r = 0; r < 4; ++r)
    a[r] = pack<T>(in * packed + r / 2 * 4 * packed,
                   [&](int k) { return elementA(group + r % 2 * 8, k); });
  for (int r = 0; r < 2; ++r)
    b[r] = pack<T>(in * packed + r * 4 * packed, [&](int k) { return elementB(k, group); });
  float f[4] = {1, 1, 1, 1};
  int s[4] = {1, 1, 1, 1};
  if (T == kHalf)
    MMA_M16N8("m16n8k16.row.col.f32.f16.f16.f32", f, "+f", a, b);
  if (T == kBrain)
    MMA_M16N8("m16n8k16.row.col.f32.bf16.bf16.f32", f, "+f", a, b);
  if (T == kTf32)
    MMA_M16N8("m16n8k8.row.col.f32.tf32.tf32.f32", f, "+f", a, b);
  if (T == kS8)
    MMA_M16N8("m16n8k32.row.col.s32.s8.s8.s32", s, "+r", a, b);
  if (T == kU8)
    MMA_M16N8("m16n8k32.row.col.s32.u8.u8.s32", s, "+r", a, b);
  for (int i = 0; i < 4; ++i) {
    int row = group + i / 2 * 8, column = in * 2 + i % 2;
    out[row * 8 + column] = T == kS8 || T == kU8 ? double(s[i]) : double(f[i]);
  }
}

__global__ void multiplyDoubles(double *out) { // m8n8k4
  const int lane = int(threadIdx.x), group = lane / 4, in = lane % 4;
  double a = elementA(group, in), b = elementB(in, group), c[2] = {1, 1};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a), "d"(b));
  for (int i = 0; i < 2; ++i)
    out[group * 8 + in * 2 + i] = c[i];
}

bool check(const double *device, int rows, int k, int bias) {
  double host[128];
  CHECK(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < 8; ++j) {
      double sum = 1;
      for (int l = 0; l < k; ++l)
        sum += double(elementA(i, l) + bias) * (elementB(l, j) + bias);
      right = right && host[i * 8 + j] == sum;
    }
  if (!right)
    printf("wrong: K = %d, bias %d\n", k, bias);
  return right;
}

int main() {
  double *out = nullptr;
  CHECK(cudaMalloc(&out, 128 * sizeof(double)));
  bool right = true;
  multiply<kHalf><<<1, 32>>>(out), right = check(out, 16, 16, 0) && right;
  multiply<kBrain><<<1, 32>>>(out), right = check(out, 16, 16, 0) && right;
  multiply<kTf32><<<1, 32>>>(out), right = check(out, 16, 8, 0) && right;
  multiply<kS8><<<1, 32>>>(out), right = check(out, 16, 32, 0) && right;
  multiply<kU8><<<1, 32>>>(out), right = check(out, 16, 32, 3) && right;
  multiplyDoubles<<<1, 32>>>(out), right = check(out, 8, 4, 0) && right;
  CHECK(cudaGetLastError());
  CHECK(cudaFree(out));
  return verdict(right);
}

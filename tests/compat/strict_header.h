// A header with code that clang rejects; see template_keyword.cu.
#pragma once

template <typename Policy> __host__ __device__ constexpr unsigned fragmentBytes() {
  return sizeof(typename Policy::Fragment<double>);
}

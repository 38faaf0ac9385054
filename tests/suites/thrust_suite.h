// What the suites of Thrust share.
#pragma once

#include "suite.h"

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

namespace suite {

/// The elements of a vector on the device.
template <class T> std::vector<T> host(const thrust::device_vector<T> &v) {
  thrust::host_vector<T> h = v;
  return std::vector<T>(h.begin(), h.end());
}

} // namespace suite

// NVPTX address spaces and their names in the ABI.
#pragma once

#include "scopesan/abi.h"

namespace scopesan::pass {

enum AddressSpace : unsigned {
  GenericAddressSpace = 0,
  GlobalAddressSpace = 1,
  SharedAddressSpace = 3,
  ConstAddressSpace = 4,
  LocalAddressSpace = 5,
  SharedClusterAddressSpace = 7,
  ParamAddressSpace = 101
};

inline abi::Space toAbiSpace(unsigned AddressSpace) {
  switch (AddressSpace) {
  case GlobalAddressSpace:
    return abi::Space::Global;
  case SharedAddressSpace:
    return abi::Space::Shared;
  case SharedClusterAddressSpace:
    return abi::Space::SharedCluster;
  case ConstAddressSpace:
  case ParamAddressSpace:
    return abi::Space::Const;
  case LocalAddressSpace:
    return abi::Space::Local;
  default:
    return abi::Space::Generic;
  }
}

inline unsigned toAddressSpace(abi::Space S) {
  switch (S) {
  case abi::Space::Generic:
    return GenericAddressSpace;
  case abi::Space::Global:
    return GlobalAddressSpace;
  case abi::Space::Shared:
    return SharedAddressSpace;
  case abi::Space::SharedCluster:
    return SharedClusterAddressSpace;
  case abi::Space::Const:
    return ConstAddressSpace;
  case abi::Space::Local:
    return LocalAddressSpace;
  }
  return GenericAddressSpace;
}

} // namespace scopesan::pass

// In which memory each location of a program lies when it runs as kernels, and at which offset.
#pragma once

#include "Layout.h"

namespace scopesan::litmus {

enum class Space : uint8_t {
  Global, ///< of the row's device memory, or managed memory where devices or the host share it
  Shared, ///< of the block of thread `owner`
  Local   ///< each thread has its own
};

struct Place {
  Space space = Space::Global;
  uint32_t owner = None; ///< Shared
  uint32_t offset = 0;   ///< in the row's memory or in the block's shared memory
  uint32_t mapping = 0;  ///< Global: which of the row's addresses of its memory (S13)
};

constexpr uint32_t LocationBytes = 64;
constexpr uint32_t LargeBytes = 2 * LocationBytes; ///< tensor maps, core matrices of wgmma

struct Places {
  explicit Places(const Program &p);

  std::vector<Place> of; ///< by location; aliases have their root's
  uint32_t globalBytes = 0, sharedBytes = 0;
  uint32_t scratchGlobal = None, scratchShared = None; ///< offsets: the other end of copies that
                                                       ///< name one end only
  uint32_t scratchMbarrier = None; ///< completed on by bulk copies that name none
  uint32_t mappings = 1;           ///< virtual addresses of global memory
  bool managed = false;            ///< global memory that several devices or the host access
};

} // namespace scopesan::litmus

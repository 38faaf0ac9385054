// Shadow memory on a device: the cells of every chunk of global memory that the collector knows,
// and the table that leads to them (gpu_abi.h). One device has it, the first that runs a fast
// kernel.
//
// The memory is mapped for the device, not for a context, so that all its contexts share it. Where
// there is not enough of it, chunks stay without shadow: their accesses are logged in full.
#pragma once

#include "cupti/device_log.h"
#include "cupti/kernels.h"
#include "gpu/shadow_map.h"
#include "gpu/tags.h"

#include <vector>

namespace scopesan::cupti {

/// PTX of kernels.cu, ended by a zero.
const char *kernelImage();

class DeviceShadow {
public:
  bool isOn() const { return Table; }
  CUdevice device() const { return Device; }
  uint64_t table() const { return Table; }
  uint32_t tableMask() const { return uint32_t(Map.mask()); }
  uint64_t bytes() const;

  /// Makes the table. The context of `c` must be current, here and below.
  bool start(ContextLog &c);
  /// Gives the range shadow memory as far as it has none. What lies in its chunks counts as freed
  /// until fill() says otherwise: the host knows whether it was ever alive. `idle`: no kernel of
  /// the program reads the table, so that a larger one may take its place.
  void map(ContextLog &c, uint64_t address, uint64_t bytes, bool idle);
  /// Sets W of the range's words to `mark`, R to 0.
  bool fill(ContextLog &c, uint64_t address, uint64_t bytes, uint64_t mark);
  /// Renumbers the marks of launches.
  bool sweep(ContextLog &c, const gpu::LaunchTags::Remap &remap);
  /// Checks and marks a box; p.log has been written.
  bool check(ContextLog &c, const CheckRange &p);
  std::vector<gpu::ShadowMap::Piece> pieces(uint64_t address, uint64_t bytes) const {
    return Map.pieces(address, bytes);
  }
  bool covers(uint64_t address, uint64_t bytes) const { return Map.covers(address, bytes); }
  /// The device has forgotten everything.
  void drop();

private:
  /// Of what the driver maps at once.
  static constexpr uint64_t Granule = 2 << 20;
  /// Of one physical allocation: a part of a large range still gets shadow when memory is short.
  static constexpr uint64_t LargestRun = 128;
  struct Block {
    CUdeviceptr address;
    uint64_t bytes;
    CUmemGenericAllocationHandle handle;
  };

  CUdeviceptr reserve(ContextLog &c, uint64_t bytes);
  void release(CUdeviceptr address);
  static uint64_t tableBytes(uint64_t mask);
  void growTable(ContextLog &c, uint32_t bits);
  void writeEntries(ContextLog &c, const gpu::ShadowMap::Run &run, uint64_t shadow);
  bool launch(ContextLog &c, CUfunction f, uint64_t items, void **arguments);

  CUdevice Device = 0;
  CUdeviceptr Table = 0;
  gpu::ShadowMap Map;
  std::vector<Block> Blocks;
};

} // namespace scopesan::cupti

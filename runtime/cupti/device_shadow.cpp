#include "cupti/device_shadow.h"

#include <algorithm>

namespace scopesan::cupti {

/// Zeroed device memory that all contexts of the device see; 0 = there is not enough.
CUdeviceptr DeviceShadow::reserve(ContextLog &c, uint64_t bytes) {
  CUmemAllocationProp kind{};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.location = {CU_MEM_LOCATION_TYPE_DEVICE, {Device}};
  CUmemAccessDesc access{kind.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  Block b{0, bytes, 0};
  if (cuMemCreate(&b.handle, bytes, &kind, 0) != CUDA_SUCCESS)
    return 0;
  if (cuMemAddressReserve(&b.address, bytes, 0, 0, 0) == CUDA_SUCCESS) {
    if (cuMemMap(b.address, bytes, 0, b.handle, 0) == CUDA_SUCCESS) {
      if (cuMemSetAccess(b.address, bytes, &access, 1) == CUDA_SUCCESS &&
          cuMemsetD32Async(b.address, 0, bytes / 4, c.stream) == CUDA_SUCCESS) {
        Blocks.push_back(b);
        return b.address;
      }
      cuMemUnmap(b.address, bytes);
    }
    cuMemAddressFree(b.address, bytes);
  }
  cuMemRelease(b.handle);
  return 0;
}

bool DeviceShadow::start(ContextLog &c) {
  Device = c.device;
  int supported = 0;
  cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, Device);
  if (supported)
    Table = reserve(c, tableBytes(Map.mask()));
  return Table && cuStreamSynchronize(c.stream) == CUDA_SUCCESS;
}

uint64_t DeviceShadow::tableBytes(uint64_t mask) {
  return ((mask + 1) * 8 + Granule - 1) / Granule * Granule;
}

uint64_t DeviceShadow::bytes() const {
  uint64_t sum = 0;
  for (const Block &b : Blocks)
    sum += b.bytes;
  return sum;
}

/// A table with more entries takes the place of the one that is too small.
void DeviceShadow::growTable(ContextLog &c, uint32_t bits) {
  uint64_t mask = (uint64_t(1) << bits) - 1;
  CUdeviceptr larger = reserve(c, tableBytes(mask));
  if (!larger) // chunks that find their entry taken have no shadow
    return;
  Map.setBits(bits);
  std::vector<uint64_t> entries(mask + 1);
  for (const gpu::ShadowMap::Piece &p : Map.all())
    entries[gpu::chunkIndex(p.address, mask)] = gpu::chunkEntry(p.shadow, p.address);
  cuMemcpyHtoDAsync(larger, entries.data(), entries.size() * 8, c.stream);
  cuStreamSynchronize(c.stream);
  release(Table);
  Table = larger;
}

void DeviceShadow::writeEntries(ContextLog &c, const gpu::ShadowMap::Run &run, uint64_t shadow) {
  std::vector<uint64_t> entries(run.chunks);
  for (uint64_t i = 0; i < run.chunks; ++i)
    entries[i] =
        gpu::chunkEntry(shadow + i * gpu::ChunkShadowSize, run.address + i * gpu::ChunkSize);
  // A run may go round the end of the table.
  uint64_t first = gpu::chunkIndex(run.address, Map.mask()),
           atEnd = std::min(run.chunks, Map.mask() + 1 - first);
  cuMemcpyHtoDAsync(Table + first * 8, entries.data(), atEnd * 8, c.stream);
  if (atEnd < run.chunks)
    cuMemcpyHtoDAsync(Table, entries.data() + atEnd, (run.chunks - atEnd) * 8, c.stream);
  cuStreamSynchronize(c.stream);
}

void DeviceShadow::map(ContextLog &c, uint64_t address, uint64_t bytes, bool idle) {
  if (uint32_t bits = Map.bitsFor(address, bytes); idle && bits > Map.bits())
    growTable(c, bits);
  for (gpu::ShadowMap::Run run : Map.missing(address, bytes)) {
    while (run.chunks) {
      gpu::ShadowMap::Run part{run.address, std::min(run.chunks, LargestRun)};
      CUdeviceptr shadow = reserve(c, part.chunks * gpu::ChunkShadowSize);
      uint64_t cells = part.chunks * gpu::ChunkShadowSize / 16, mark = gpu::mark::Freed;
      void *arguments[] = {&shadow, &cells, &mark};
      if (!shadow || !launch(c, c.kernels.fill, cells, arguments))
        return;
      Map.add(part, shadow);
      writeEntries(c, part, shadow);
      run = {run.address + part.chunks * gpu::ChunkSize, run.chunks - part.chunks};
    }
  }
}

bool DeviceShadow::launch(ContextLog &c, CUfunction f, uint64_t items, void **arguments) {
  constexpr uint64_t Threads = 256, Largest = 4096;
  auto blocks = unsigned(std::clamp<uint64_t>((items + Threads - 1) / Threads, 1, Largest));
  return cuLaunchKernel(f, blocks, 1, 1, Threads, 1, 1, 0, c.stream, arguments, nullptr) ==
         CUDA_SUCCESS;
}

bool DeviceShadow::fill(ContextLog &c, uint64_t address, uint64_t bytes, uint64_t mark) {
  uint64_t first = address & ~uint64_t(3), last = (address + bytes + 3) & ~uint64_t(3);
  bool good = true;
  for (const gpu::ShadowMap::Piece &p : Map.pieces(first, last - first)) {
    uint64_t shadow = p.shadow, cells = p.bytes / 4, w = mark;
    void *arguments[] = {&shadow, &cells, &w};
    if (shadow)
      good &= launch(c, c.kernels.fill, cells, arguments);
  }
  return good && cuStreamSynchronize(c.stream) == CUDA_SUCCESS;
}

bool DeviceShadow::sweep(ContextLog &c, const gpu::LaunchTags::Remap &remap) {
  SweepTags tags{};
  for (size_t t = 0; t < remap.size(); ++t)
    tags.now[t / 8] |= uint64_t(remap[t]) << t % 8 * 8;
  bool good = true;
  for (const Block &b : Blocks) {
    if (b.address == Table)
      continue;
    uint64_t shadow = b.address, cells = b.bytes / 16;
    void *arguments[] = {&shadow, &cells, &tags};
    good &= launch(c, c.kernels.sweep, cells, arguments);
  }
  return good && cuStreamSynchronize(c.stream) == CUDA_SUCCESS;
}

bool DeviceShadow::check(ContextLog &c, const CheckRange &p) {
  void *arguments[] = {const_cast<CheckRange *>(&p)};
  uint64_t words = (p.width / 4 + 2) * p.height * p.depth;
  // Rows that may share a word are checked one after the other.
  bool inOrder =
      (p.height == 1 || p.pitch >= p.width) && (p.depth == 1 || p.slice >= p.height * p.pitch);
  bool aligned = (p.address | p.width | p.pitch | p.slice) % 4 == 0;
  bool distant = p.height == 1 || p.pitch >= p.width + 3;
  bool apart = p.height * p.depth == 1 || (inOrder && (aligned || distant));
  if (!apart)
    return cuLaunchKernel(c.kernels.check, 1, 1, 1, 1, 1, 1, 0, c.stream, arguments, nullptr) ==
           CUDA_SUCCESS;
  return launch(c, c.kernels.check, words, arguments);
}

void DeviceShadow::release(CUdeviceptr address) {
  auto b = std::find_if(Blocks.begin(), Blocks.end(),
                        [&](const Block &x) { return x.address == address; });
  if (b == Blocks.end())
    return;
  cuMemUnmap(b->address, b->bytes);
  cuMemAddressFree(b->address, b->bytes);
  cuMemRelease(b->handle);
  Blocks.erase(b);
}

void DeviceShadow::drop() {
  while (!Blocks.empty())
    release(Blocks.back().address);
  Map.clear();
  Table = 0;
}

} // namespace scopesan::cupti

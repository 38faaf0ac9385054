#include "cupti/quarantine.h"

#include "cupti/device_log.h"

namespace scopesan::cupti {

void Quarantine::keep(const Block &b) {
  Kept.push_back(b);
  KeptBytes += b.bytes;
  // The program is freeing or allocating: a driver that waits for the device in a free does so now.
  while (KeptBytes > MostBytes || Kept.size() > MostBlocks) {
    ContextScope current(Kept.front().context);
    cuMemFree(Kept.front().address);
    KeptBytes -= Kept.front().bytes;
    Kept.pop_front();
  }
}

void Quarantine::occupy(uint64_t address, uint64_t bytes, CUcontext context) {
  CUdeviceptr p = 0;
  if (bytes > LargestBytes || cuMemAlloc(&p, bytes) != CUDA_SUCCESS)
    return;
  if (p == address)
    return keep({context, p, bytes});
  cuMemFree(p);
}

void Quarantine::ended(uint64_t address, uint64_t bytes) {
  if (bytes <= LargestBytes && Ended.size() < MostBlocks)
    Ended[address] = bytes;
}

bool Quarantine::isEnded(uint64_t address, uint64_t bytes) const {
  auto next = Ended.lower_bound(address + bytes);
  return next != Ended.begin() && std::prev(next)->first + std::prev(next)->second > address;
}

/// A fresh context gives out the same addresses from the lowest on.
void Quarantine::occupyEnded(CUcontext context) {
  if (Ended.empty())
    return;
  for (auto &[ignored, bytes] : Ended) {
    CUdeviceptr p = 0;
    if (cuMemAlloc(&p, bytes) != CUDA_SUCCESS)
      break;
    if (isEnded(p, bytes))
      keep({context, p, bytes});
    else
      cuMemFree(p);
  }
  Ended.clear();
}

void Quarantine::drop(CUcontext context) {
  std::erase_if(Kept, [&](const Block &b) {
    if (b.context != context)
      return false;
    KeptBytes -= b.bytes;
    return true;
  });
}

} // namespace scopesan::cupti

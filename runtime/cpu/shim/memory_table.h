// What the program allocated through CUDA: addresses, kinds, and the memory behind them.
#pragma once

#include "host/collector.h"

#include <deque>
#include <iterator>
#include <map>
#include <stdint.h>
#include <string>
#include <vector>

namespace scopesan::cpu {

struct Pool;

/// Whose managed memory is (cudaStreamAttachMemAsync, cudaMemAttach*).
enum class Attachment : uint8_t { Global, Host, Stream };

struct Allocation {
  uint64_t Address = 0;
  uint64_t Bytes = 0;
  host::MemoryKind Kind{};
  unsigned Flags = 0;         ///< of cudaHostAlloc / cudaHostRegister
  bool Owned = false;         ///< the memory behind it is ours (not registered, not a variable)
  bool Registered = false;    ///< cudaHostRegister
  bool StreamOrdered = false; ///< cudaMallocAsync and its relatives
  int Device = 0;             ///< where it lies; managed and host memory: where it was allocated
  const Pool *From = nullptr; ///< stream-ordered memory
  Attachment Attached = Attachment::Global;
  uint32_t AttachedTo = 0; ///< ordinal of the stream

  bool onHost() const {
    return Kind == host::MemoryKind::PinnedHost || Kind == host::MemoryKind::MappedHost;
  }
  uint64_t Serial = 0; ///< tells allocations at one address apart
  bool contains(uint64_t A) const { return A - Address < Bytes; }
};

class MemoryTable {
public:
  /// Addresses come from one region at a fixed place and are handed out first-fit, so that they do
  /// not change from run to run. Null when the modelled device memory is used up.
  void *allocate(uint64_t Bytes, host::MemoryKind Kind, const char *Api, int Device,
                 unsigned Flags = 0);
  /// Enters memory that exists already (variables, registered host memory).
  void adopt(const Allocation &A, const std::string &Name);
  /// The memory ends by the free node `By` (D8: see Detector::freed). Its addresses are not used
  /// again for a while, so that late accesses do not hit somebody else's memory.
  /// False when `Address` is not the start of an allocation.
  bool release(uint64_t Address, core::NodeId By, bool AfterAll);
  /// The addresses are given back at once, and accesses to them mean nothing (graphs'
  /// reservations).
  bool forget(uint64_t Address, uint64_t Serial);
  /// Starts of all allocations whose memory is ours.
  std::vector<uint64_t> ownedOn(int Device) const;
  void markStreamOrdered(uint64_t Address, const Pool *From) {
    Allocations[Address].StreamOrdered = true;
    Allocations[Address].From = From;
  }
  /// Bytes that were taken from a pool and are not freed.
  uint64_t bytesFrom(const Pool *P) const {
    uint64_t Sum = 0;
    for (const auto &[Address, A] : Allocations)
      Sum += A.From == P ? A.Bytes : 0;
    return Sum;
  }
  /// False when there is no managed memory at `Address`.
  bool attach(uint64_t Address, Attachment To, uint32_t Stream);
  /// Has there been memory that host code can touch directly?
  bool hostVisible() const { return HostVisible; }
  /// Host memory that was registered and is not any more: its life for the device has ended (D8).
  bool wasRegistered(uint64_t Address) const {
    auto After = Unregistered.upper_bound(Address);
    return After != Unregistered.begin() && Address < std::prev(After)->second;
  }
  /// Addresses that allocations are taken from.
  bool inRegion(uint64_t Address) const { return Address - RegionBegin < RegionBytes; }

  /// The allocation that contains `Address`, or null.
  const Allocation *find(uint64_t Address) const;
  const Allocation *find(const void *P) const { return find(reinterpret_cast<uint64_t>(P)); }

  uint64_t deviceBytesUsed(int Device) const {
    auto It = DeviceBytes.find(Device);
    return It == DeviceBytes.end() ? 0 : It->second;
  }
  static constexpr uint64_t TotalDeviceBytes = 16ull << 30;

private:
  bool mapRegion();
  uint64_t take(uint64_t Bytes);
  void giveBack(uint64_t Address, uint64_t Bytes);
  void quarantine(uint64_t Address, uint64_t Bytes);

  std::map<uint64_t, Allocation> Allocations;
  std::map<uint64_t, uint64_t> Free;         ///< address -> bytes
  std::map<uint64_t, uint64_t> Unregistered; ///< begin -> end
  struct Block {
    uint64_t Address, Bytes;
  };
  std::deque<Block> Quarantine; ///< oldest first
  uint64_t QuarantineBytes = 0;
  std::map<int, uint64_t> DeviceBytes;
  uint64_t RegionBegin = 0, RegionBytes = 0, NextSerial = 1;
  bool Mapped = false, HostVisible = false;
};

} // namespace scopesan::cpu

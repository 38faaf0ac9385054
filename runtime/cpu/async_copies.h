// Asynchronous copies under way (S12).
//
// A copy is issued by a thread and executed later, when its drawn moment has come or when somebody
// waits for it. It first reads its source, then writes its destination:
//
//   issued --source read--> buffered --destination written, completion told--> done
//
// The detector hears of the accesses when the copy is issued (its actor is unordered with
// everything until the completion is learned) and of the completion when it happens.
#pragma once

#include "cpu/cpu_abi.h"
#include "cpu/random.h"
#include "cpu/state.h"
#include "cpu/tensor_copies.h"

#include <memory>
#include <vector>

namespace scopesan::cpu {

struct AsyncCopy {
  enum class Kind : uint8_t { CpAsync, BulkGroup, Signalled };
  enum class State : uint8_t { Issued, Buffered, Done };
  static constexpr uint32_t SmallBytes = 16;

  uint64_t Due = 0;      ///< slice at which the next step is taken at the latest
  uint64_t Sequence = 0; ///< order of issue
  Thread *Issuer = nullptr;
  char *To = nullptr;
  const char *From = nullptr;
  uint64_t Bytes = 0;
  uint64_t SourceBytes = 0; ///< at most Bytes; the rest becomes zero
  void *Barrier = nullptr;
  Reduction Reducing{0};
  uint32_t LeftOut = 0; ///< bit i: byte i of each 16 is not copied
  uint32_t Group = 0;   ///< commits of its kind before it
  core::BlockId Actor, Signal;
  uint32_t Site = 0;
  Kind Completes = Kind::CpAsync;
  State Progress = State::Issued;
  std::unique_ptr<TensorTile> Tile; ///< of a tensor copy: To is its place in shared memory
  bool StoresTile = false;          ///< from there to the tensor
  char Small[SmallBytes];
  std::unique_ptr<char[]> Large;

  char *buffer() { return Large ? Large.get() : Small; }
};

/// cp.async.mbarrier.arrive that waits for the thread's copies issued before it.
struct CopyArrival {
  void *Barrier;
  uint64_t Sequence;
  core::SnapshotRef Publishes; ///< for the detector
  uint32_t Site;
};

/// Copies of one thread that complete by group, and the arrivals that follow them.
struct CopyState {
  std::vector<AsyncCopy *> Unfinished; ///< oldest first; not those that complete on an mbarrier
  std::vector<CopyArrival> Arrivals;
  uint32_t Commits[2] = {}; ///< by AsyncCopy::Kind
};

class AsyncCopies {
public:
  void configure(uint64_t Seed);

  // ---- what the pass's entry point told the detector just before the copy is issued
  struct Announcement {
    Thread *By = nullptr;
    uint32_t Site = 0;
    core::SnapshotRef Arrival; ///< of cp.async.mbarrier.arrive
    uint32_t Count = 0;        ///< receivers so far
    struct {
      core::BlockId Actor, Signal;
    } Receivers[Cluster::MaxBlocks];
  };
  /// An asm statement may announce several operations before it executes them in that order.
  Announcement &announce(Thread &T, uint32_t Site);
  /// Site of the operation being issued; 0 if it is not instrumented.
  uint32_t siteNow() const { return Issuing.Site; }
  /// Takes the site of what `T` announced; 0 when the operation is not instrumented.
  uint32_t announcedSite(Thread &T);

  // ---- on the issuing thread
  /// The copy's fields but for Issuer, Actor, Signal, Site and those of its progress are set.
  void issue(Thread &T, AsyncCopy &&Copy);
  /// As issue(), with the source's values at hand.
  void issueBuffered(Thread &T, AsyncCopy &&Copy, const void *Values);
  /// A copy whose Actor, Signal and Site are set as well.
  void issueTold(Thread &T, AsyncCopy &&Copy);
  /// The next issue is the copy's first: takes what was announced of it.
  void beginIssue(Thread &T);
  void commit(Thread &T, AsyncCopy::Kind Kind);
  /// Executes the groups of `T` but for the `Allowed` newest; `ReadOnly`: only reads their sources.
  void waitGroups(Thread &T, AsyncCopy::Kind Kind, uint32_t Allowed, bool ReadOnly);
  /// cp.async.wait_all
  void waitAll(Thread &T);
  /// Arrives on the mbarrier when the thread's cp.async so far are done.
  void arriveAfterCopies(Thread &T, void *Barrier, bool NoInc);

  // ---- scheduler
  bool due(uint64_t Slices) const { return !Pending.empty() && Pending.front()->Due <= Slices; }
  void runDue(uint64_t Slices);
  /// Executes what the cluster's threads have issued: its memory is about to go.
  void finishCluster(Cluster &C);
  /// Forgets everything, for a device that stopped.
  void abandon();

  /// The copy that is touching memory now, for messages about faults.
  const AsyncCopy *executing() const { return Executing; }

private:
  AsyncCopy *create(Thread &T, AsyncCopy &&Copy);
  void enqueue(AsyncCopy *C);
  void draw(AsyncCopy &C, uint64_t Slices);
  void read(AsyncCopy &C);
  void write(AsyncCopy &C);
  Announcement take(Thread &T);
  void finish(AsyncCopy &C);
  void signal(AsyncCopy &C);
  void arrivals(Thread &T);
  CopyState &stateOf(Thread &T);

  /// Heap, earliest first. Copies that were finished early stay until they come to its top.
  std::vector<AsyncCopy *> Pending;
  std::vector<std::unique_ptr<CopyState>> FreeStates;
  std::vector<Announcement> Announced; ///< oldest first; more than one thread's are rare
  Announcement Issuing;                ///< of the copy being issued; empty if not instrumented
  uint32_t Taken = 0;                  ///< its receivers that have been issued
  uint64_t NextSequence = 0;
  const AsyncCopy *Executing = nullptr;
  Random Chance;
};

/// Reads memory at an address that device code gave: a fault is that of the thread.
void readDeviceMemory(void *To, const void *From, uint64_t Bytes);
void writeDeviceMemory(void *To, const void *From, uint64_t Bytes);

/// What bulk and tensor copies need in shared and global memory (PTX ISA 9.7.9.25).
inline constexpr uint64_t BulkAlignment = 16, TensorAlignment = 128;
/// Ends the kernel unless `Value`, an address, is a multiple of `Alignment`, as the device does.
void checkAligned(const Thread &T, uint64_t Value, uint64_t Alignment, const char *What,
                  uint32_t Site);
inline void checkAligned(const Thread &T, const void *P, uint64_t Alignment, const char *What,
                         uint32_t Site) {
  checkAligned(T, reinterpret_cast<uint64_t>(P), Alignment, What, Site);
}

/// The block of the thread's cluster whose shared memory holds the address; null if there is none.
Block *sharedOwner(const Thread &T, uint64_t Address);
/// The address in block `Rank` of the cluster that corresponds to `Address` in its owner.
char *inBlock(const Thread &T, const void *Address, uint32_t Rank);

} // namespace scopesan::cpu

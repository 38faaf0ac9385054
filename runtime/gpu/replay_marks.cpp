// Marks of the shadow memory on the device: a word that turns into a tracked one hands them over,
// and they become accesses that the detector remembers.
#include "gpu/replay.h"

#include <algorithm>

namespace scopesan::gpu {

using core::BlockId;
using core::SiteId;

namespace {

constexpr uint64_t bits(uint64_t v, uint32_t from, uint32_t to) {
  return v >> from & ((uint64_t(1) << (to - from)) - 1);
}
constexpr uint32_t levelOf(uint64_t m) {
  return uint32_t(bits(m, mark::LevelShift, mark::TimeShift));
}
constexpr uint32_t threadOf(uint64_t m) {
  return uint32_t(bits(m, mark::ThreadShift, mark::LevelShift));
}

} // namespace

/// Fast kernels record no barriers: a record tells how many its block has passed. Every record of
/// an earlier phase has a smaller ticket.
void Replay::enterPhase(BlockState &b, uint32_t phase) {
  auto ahead = uint16_t(phase - b.phase);
  if (!ahead || ahead >= 0x8000)
    return;
  b.phase += ahead;
  D.passBarrier(b.detect, {b.phase + 1});
}

/// Blocks of kernels that only synchronize by barriers do not end in the log. What they know is
/// their phase, so most can be put away and come back.
void Replay::limitBlocks() {
  constexpr uint64_t MostThreads = 1 << 21;
  if (Blocks.size() * Launch.threadsPerBlock < MostThreads)
    return;
  std::vector<BlockState *> all;
  for (auto &[index, b] : Blocks)
    all.push_back(b.get());
  for (BlockState *b : all) {
    if (b->usesShared)
      host::incomplete("shared memory of too many blocks is checked at the same time: races there "
                       "may be missed");
    if (b->phase)
      Phases[b->index] = b->phase;
    endBlock(*b);
  }
}

void Replay::fastEvent(const Event &e) {
  const Record &r = e.r;
  if (r.kind() == EventKind::Known) {
    uint64_t word = uint64_t(r.extra) << 32 | (r.low & ~3u);
    return known(e, r.value, word, r.low & 1, r.high);
  }
  const Record &found = e.t.operands;
  uint32_t bytes = r.low & candidate::BytesMask, mask = r.low >> candidate::MaskShift & 15;
  if (!mask)
    return;
  known(e, found.value, r.value & ~uint64_t(3), found.extra & 1, r.high - found.low);
  auto first = uint32_t(__builtin_ctz(mask));
  uint64_t address = place(e.b, r.value & ~uint64_t(3)) + first;
  bytes = std::min(bytes, uint32_t(__builtin_popcount(mask)));
  if (abi::Op(r.extra).isWrite())
    D.write(e.who, address, bytes, e.site);
  else
    D.read(e.who, address, bytes, e.site);
}

/// `mark` was in the cell of `word` (in the form of records). `firstSite`: of the kernel of `e`.
void Replay::known(const Event &e, uint64_t mark, uint64_t word, bool isRead, uint32_t firstSite) {
  if (!mark)
    return;
  auto local = uint32_t(bits(mark, mark::SiteShift, mark::ThreadShift));
  MarkLayout layout = Tags[Launch.tag % Tags.size()].layout;
  BlockId own = e.b.detect->id;
  uint64_t blocks = Launch.grid.count(), threads = Launch.threadsPerBlock;
  uint32_t thread = threadOf(mark), level = levelOf(mark);
  bool several = level >= (isRead ? uint32_t(ReadLevel::Block) : uint32_t(WriteLevel::Block));
  if (word & SharedBit) {
    e.b.usesShared = true;
    auto phase = uint32_t(bits(mark, layout.phaseShift, mark::GenerationShift));
    recall(own, thread, phase, mark, place(e.b, word), isRead, {firstSite + local});
    if (several && threads > 1) // one of them: another one stands for the rest
      recall(own, (thread ^ 1) < threads ? thread ^ 1 : 0, phase, mark, place(e.b, word), isRead,
             {firstSite + local});
    return;
  }
  const MarkSource &source = Tags[mark >> mark::TagShift];
  if (!source.node.value || source.lifetime)
    return; // the detector knows what it must
  if (source.mode == KernelMode::Logged && mark >> mark::TagShift == Launch.tag)
    return; // the log has the access itself
  if (mark >> mark::TagShift != Launch.tag) {
    layout = source.layout;
    firstSite = source.firstSite;
    blocks = D.blockCount(source.node);
    threads = D.threadsPerBlock(source.node);
  }
  if (source.mode == KernelMode::Logged) // low bits of the site id
    local = (local - firstSite) % mark::MaxSites;
  SiteId site{firstSite ? firstSite + local : 0};
  uint32_t first = D.firstBlock(source.node).value;
  uint64_t all = (uint64_t(1) << (mark::TagShift - layout.blockShift)) - 1;
  uint64_t block = bits(mark, layout.blockShift, mark::TagShift);
  if (block != all) {
    auto phase = uint32_t(bits(mark, layout.phaseShift, layout.blockShift));
    recall({first + uint32_t(block)}, thread, phase, mark, word, isRead, site);
    if (several && threads > 1)
      recall({first + uint32_t(block)}, (thread ^ 1) < threads ? thread ^ 1 : 0, phase, mark, word,
             isRead, site);
    return;
  }
  // Of several blocks, or non-coherent. The time names the block of the thread, where it fits.
  uint64_t named = bits(mark, mark::TimeShift, layout.blockShift - 1);
  if (named >= blocks)
    named = 0;
  recall({first + uint32_t(named)}, thread, 0, mark, word, isRead, site);
  if (blocks > 1 && !(isRead && level == uint32_t(ReadLevel::NonCoherent)))
    recall({first + uint32_t((named + 1) % blocks)}, thread, 0, mark, word, isRead, site);
}

void Replay::recall(BlockId block, uint32_t thread, uint32_t phase, uint64_t mark, uint64_t word,
                    bool isRead, SiteId site) {
  auto mask = uint32_t(mark & 15);
  uint32_t level = levelOf(mark);
  bool strong = !isRead && level != uint32_t(WriteLevel::Weak);
  bool nonCoherent = isRead && level == uint32_t(ReadLevel::NonCoherent);
  abi::Op op = strong ? abi::Op(abi::AccessKind::Red, abi::MemoryOrder::Relaxed, abi::Scope::Device)
                      : abi::Op(isRead ? abi::AccessKind::Load : abi::AccessKind::Store,
                                abi::MemoryOrder::Weak, abi::Scope::Thread);
  auto size = uint32_t(__builtin_popcount(mask));
  if (uint32_t whole = strong && BytesOf ? BytesOf(site) : 0)
    size = whole;
  D.recall({block, {thread}, {phase + 1}}, word, mask, size, op, site,
           nonCoherent ? core::Proxy::NonCoherent : core::Proxy::Generic);
}

} // namespace scopesan::gpu

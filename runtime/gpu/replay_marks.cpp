// Marks of the shadow memory on the device: a word that turns into a tracked one hands them over,
// and they become accesses that the detector remembers.
#include "gpu/replay.h"

#include <algorithm>

namespace scopesan::gpu {

using core::BlockId;
using core::LocalTime;
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
  if (L->launch.mode == KernelMode::Mixed)
    return passBarriers(b, ahead);
  b.phase += ahead;
  D.passBarrier(b.detect, {b.phase + 1});
}

/// Blocks of kernels that only synchronize by barriers do not end in the log. What they know is
/// their phase, so most can be put away and come back.
void Replay::limitBlocks() {
  constexpr uint64_t MostThreads = 1 << 21;
  if (L->blocks.size() * L->launch.threadsPerBlock < MostThreads)
    return;
  std::vector<BlockState *> all;
  for (auto &[index, b] : L->blocks)
    all.push_back(b.get());
  for (BlockState *b : all) {
    if (b->usesShared)
      host::incomplete("shared memory of too many blocks is checked at the same time: races there "
                       "may be missed");
    if (b->phase)
      L->phases[b->index] = b->phase;
    endBlock(*b, /*ran=*/false);
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
  if (L->launch.ends)
    return;
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
  Remembered m{e, mark, word, isRead, {}};
  auto local = uint32_t(bits(mark, mark::SiteShift, mark::ThreadShift));
  MarkLayout layout = L->launch.tag ? Tags[L->launch.tag % Tags.size()].layout : L->launch.layout;
  if (word & SharedBit) {
    e.b.usesShared = true;
    m.word = place(e.b, word);
    m.site = {firstSite + local};
    m.threads = L->launch.threadsPerBlock;
    m.ticks = L->launch.mode == KernelMode::Mixed;
    return knownOfBlock(m, e.b.index, e.b.detect->id,
                        bits(mark, mark::TimeShift, mark::GenerationShift), layout);
  }
  const MarkSource &source = Tags[mark >> mark::TagShift];
  if (!source.node.value || source.lifetime)
    return; // the detector knows what it must
  bool isOwn = mark >> mark::TagShift == L->launch.tag;
  if (source.mode == KernelMode::Logged && isOwn)
    return; // the log has the access itself
  uint64_t blocks = L->launch.grid.count();
  m.threads = L->launch.threadsPerBlock;
  if (!isOwn) {
    layout = source.layout;
    firstSite = source.firstSite;
    blocks = D.blockCount(source.node);
    m.threads = D.threadsPerBlock(source.node);
  }
  if (source.mode == KernelMode::Logged) // low bits of the site id
    local = (local - firstSite) % mark::MaxSites;
  m.site = {firstSite ? firstSite + local : 0};
  m.ticks = source.mode == KernelMode::Mixed;
  m.isPast = !isOwn;
  uint32_t first = D.firstBlock(source.node).value;
  uint64_t all = (uint64_t(1) << (layout.epochShift - layout.blockShift)) - 1;
  uint64_t block = bits(mark, layout.blockShift, layout.epochShift);
  if (block != all)
    return knownOfBlock(m, uint32_t(block), {first + uint32_t(block)},
                        bits(mark, mark::TimeShift, layout.blockShift), layout);
  // Of several blocks, or non-coherent. The time names the block of the thread, where it fits.
  uint64_t named = bits(mark, mark::TimeShift, layout.blockShift - 1);
  if (named >= blocks)
    named = 0;
  bool ticks = m.ticks && isOwn;
  LocalTime begin = ticks ? timeOf(uint32_t(named), threadOf(mark), 0, 0) : LocalTime{1};
  recall({first + uint32_t(named)}, threadOf(mark), begin, mark, word, isRead, m.site);
  if (isRead && levelOf(mark) == uint32_t(ReadLevel::NonCoherent))
    return; // one is enough: nothing in the launch orders it
  LostReaders += ticks;
  if (blocks > 1 && !ticks)
    recall({first + uint32_t((named + 1) % blocks)}, threadOf(mark), begin, mark, word, isRead,
           m.site);
}

/// A mark of one block, made by one thread or several.
void Replay::knownOfBlock(const Remembered &m, uint32_t index, BlockId block, uint64_t time,
                          MarkLayout layout) {
  auto phase = uint32_t(time >> (layout.phaseShift - mark::TimeShift)),
       tick = uint32_t(bits(time, 0, layout.phaseShift - mark::TimeShift));
  uint32_t thread = threadOf(m.mark), level = levelOf(m.mark);
  bool several = level >= (m.isRead ? uint32_t(ReadLevel::Block) : uint32_t(WriteLevel::Block));
  // The order of a launch that has ended is not known better than by its start.
  LocalTime at = !m.ticks   ? LocalTime{phase + 1}
                 : m.isPast ? LocalTime{1}
                            : timeOf(index, thread, phase, several ? 0 : tick);
  recall(block, thread, at, m.mark, m.word, m.isRead, m.site);
  if (!several || m.threads <= 1)
    return;
  if (!m.ticks) // one of them: another one stands for the rest
    return recall(block, (thread ^ 1) < m.threads ? thread ^ 1 : 0, at, m.mark, m.word, m.isRead,
                  m.site);
  LostReaders += !(block == m.by.b.detect->id && phase < m.by.b.phase);
}

abi::Op Replay::strongOp(SiteId site) const {
  const abi::Site *entry = EntryOf ? EntryOf(site) : nullptr;
  abi::Op op(entry ? entry->op : 0);
  return {abi::AccessKind::Red, abi::MemoryOrder::Relaxed,
          op.isStrong() ? op.scope() : abi::Scope::Device};
}

void Replay::recall(BlockId block, uint32_t thread, LocalTime time, uint64_t mark, uint64_t word,
                    bool isRead, SiteId site) {
  auto mask = uint32_t(mark & 15);
  uint32_t level = levelOf(mark);
  bool strong = !isRead && level != uint32_t(WriteLevel::Weak);
  bool nonCoherent = isRead && level == uint32_t(ReadLevel::NonCoherent);
  abi::Op op = strong ? strongOp(site)
                      : abi::Op(isRead ? abi::AccessKind::Load : abi::AccessKind::Store,
                                abi::MemoryOrder::Weak, abi::Scope::Thread);
  auto size = uint32_t(__builtin_popcount(mask));
  if (const abi::Site *entry = strong && EntryOf ? EntryOf(site) : nullptr; entry && entry->bytes)
    size = entry->bytes;
  D.recall({block, {thread}, time}, word, mask, size, op, site,
           nonCoherent ? core::Proxy::NonCoherent : core::Proxy::Generic);
}

} // namespace scopesan::gpu

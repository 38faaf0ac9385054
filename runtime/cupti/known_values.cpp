// What copies, fills and modules leave in memory, for the values of atomic objects
// (gpu/known_values.h).
#include "cupti/collector.h"

#include <sys/uio.h>
#include <unistd.h>

namespace scopesan::cupti {

gpu::Content contentAt(uint64_t hostAddress, uint64_t bytes) {
  gpu::Content content;
  if (!bytes || bytes > gpu::Content::MostBytes)
    return content;
  content.bytes.resize(bytes);
  iovec to{content.bytes.data(), bytes}, from{reinterpret_cast<void *>(hostAddress), bytes};
  // Not memcpy: the program's address may be wrong.
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != ssize_t(bytes))
    content.bytes.clear();
  return content;
}

void Collector::noteContent(const NodeAccess &access) {
  constexpr uint64_t MostRows = 1024;
  const Box &b = access.box;
  gpu::Locations &locations = Replay.locations();
  uint64_t rows = b.depth * b.height;
  if (!access.write || !rows)
    return;
  if (rows > MostRows)
    return locations.weakWrite(b.address,
                               (b.depth - 1) * b.slice + (b.height - 1) * b.pitch + b.width);
  const Memory *m = find(b.address);
  bool isKnown = access.content && access.content->isKnown() && m && !m->hostReaches;
  for (uint64_t row = 0; row < rows; ++row) {
    uint64_t at = b.address + row / b.height * b.slice + row % b.height * b.pitch;
    locations.weakWrite(at, b.width);
    if (isKnown)
      locations.holds(at, b.width, *access.content);
  }
}

/// A module's variable that nobody has written yet holds its initial value.
std::shared_ptr<const gpu::Content> Collector::initialContent(const Memory &m, uint64_t address) {
  ContextLog *log = Log.of(m.context);
  if (m.kind != host::MemoryKind::DeviceVariable || m.hostReaches || !log ||
      m.bytes > gpu::Content::MostBytes)
    return nullptr;
  auto content = std::make_shared<gpu::Content>();
  content->bytes.resize(m.bytes);
  if (cuMemcpyDtoHAsync(content->bytes.data(), address, m.bytes, log->stream) != CUDA_SUCCESS ||
      cuStreamSynchronize(log->stream) != CUDA_SUCCESS)
    return nullptr;
  return content;
}

/// Somebody writes memory without a record.
void Collector::valuesUnknown(core::NodeId node) {
  inOrder(node, [this] { Replay.locations().values().clear(); });
}

} // namespace scopesan::cupti

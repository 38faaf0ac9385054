// Launches that overlap (--concurrent=overlap): several record into one log at a time.
//
// Each has a slot of gpu::Overlap, where its threads find it by the number of their grid. Two
// launches of one kernel would find the same slot: the second one waits for the first. Kernels log
// every event, so that one judge sees them all in the order of their tickets; a launch starts there
// with its first record, when all that it is ordered after has left all of its own.
#include "cupti/collector.h"

#include "host/options.h"

#include <algorithm>

namespace scopesan::cupti {

/// Numbers of grids tell launches apart while there are no more than gpu::Overlap::Grids of them;
/// the driver has some of its own.
static constexpr uint32_t MostLaunches = gpu::Overlap::Grids / 8;

bool Collector::overlaps() { return host::options().concurrent == "overlap"; }

uint32_t Collector::freeSlot() const {
  for (uint32_t slot = 0; slot < gpu::Overlap::Slots; ++slot)
    if (std::none_of(Now.launches.begin(), Now.launches.end(),
                     [&](const Active &a) { return !a.ended && a.slot == slot; }))
      return slot;
  return gpu::Overlap::Slots;
}

/// Is there a slot, and nobody else who would take it for his?
bool Collector::mayJoin(const Function &f) {
  return freeSlot() < gpu::Overlap::Slots &&
         std::none_of(
             Now.launches.begin(), Now.launches.end(),
             [&](const Active &a) { return !a.ended && a.kernel == f.id; });
}

/// Waits until the launch may record beside those that are active, or there are none.
void Collector::makeWay(const LaunchRequest &r, const Function &f) {
  settle(/*wait=*/false);
  peek();
  bool hasRoom = Replay.judged() < Log.capacity() / 2 && ++Now.launched < MostLaunches;
  if (Now.running() && !Overrun && f.instrumented && hasRoom && Now.log == Log.of(r.context) &&
      awaitEnd(LaunchPatienceMs, [&] { return mayJoin(f); }))
    return;
  if (f.instrumented)
    settle(/*wait=*/true);
}

/// Kernels by slot.
std::array<uint32_t, gpu::Overlap::Slots> Collector::kernelsInSlots() const {
  std::array<uint32_t, gpu::Overlap::Slots> kernels{};
  for (const Active &a : Now.launches)
    if (!a.ended)
      kernels[a.slot] = a.kernel;
  return kernels;
}

/// The launch's log in its slot, and which kernel has which slot.
bool Collector::writeBeside(ContextLog &c, const gpu::Log &log, const Active &launch) {
  auto kernels = kernelsInSlots();
  kernels[launch.slot] = launch.kernel;
  return (Now.running() || Log.writeShared(c)) && Log.writeSlot(c, launch.slot, log) &&
         Log.writeKernels(c, kernels);
}

std::string Collector::runningNames() const {
  std::string names;
  for (const Active &a : Now.launches)
    names += (names.empty() ? "" : ", ") + a.name;
  return names;
}

/// A launch starts: copies and the like that it is ordered after have ended, and none of its
/// records has been judged. What the host did by itself before it launched comes before it, too.
void Collector::tellBefore(core::NodeId launch) {
  auto a = std::find_if(Now.launches.begin(), Now.launches.end(),
                        [&](const Active &other) { return other.node == launch; });
  if (a == Now.launches.end())
    return;
  applyWhere([&, queued = a->queued](const Pending &p) {
    return p.number < queued && (!p.node.value || Detector.precedes(p.node, launch));
  });
  if (a->atStart)
    a->atStart();
}

} // namespace scopesan::cupti

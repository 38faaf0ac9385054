#include "cpu/reach.h"

using namespace scopesan;
using namespace scopesan::cpu;

Reach (*scopesan::cpu::ReachQuery)(uint64_t Address, uint32_t Device);
ReachCache scopesan::cpu::TheReachCache;

void scopesan::cpu::askReach(uint64_t Address, uint64_t Bytes, abi::Op Op, uint32_t Site) {
  Thread &T = *Engine::current();
  if (!ReachQuery || ReachQuery(Address, T.Device) == Reach::Fine)
    TheReachCache.remember(Address, T.Device);
  else
    TheDetector->unreachable(*T.Detect, Address, uint32_t(Bytes), Op, core::SiteId{Site});
}

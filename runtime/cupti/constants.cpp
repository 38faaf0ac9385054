#include "cupti/constants.h"

#include "host/collector.h"

#include <algorithm>

namespace scopesan::cupti {

void ConstantVariables::found(uint64_t address, uint64_t bytes, uint32_t bit,
                              const std::string &name) {
  Variables[address] = {bytes, bit, name, {}};
}

void ConstantVariables::launched(core::Detector &d, core::NodeId node, uint32_t bits,
                                 const std::string &kernel, core::NodeId past) {
  if (!bits)
    return;
  if (Readers.size() >= PruneAt) {
    auto isPast = [&](core::NodeId n) { return d.precedes(n, past); };
    std::erase_if(Readers, [&](const Reader &r) { return isPast(r.node); });
    for (auto &[address, v] : Variables)
      std::erase_if(v.writers, isPast);
    PruneAt = std::max<size_t>(64, 2 * Readers.size());
  }
  Readers.push_back({node, bits, kernel});
  for (auto &[address, v] : Variables)
    for (core::NodeId writer : v.writers)
      check(d, v, writer, Readers.back());
}

void ConstantVariables::written(core::Detector &d, core::NodeId node, uint64_t address,
                                uint64_t bytes) {
  auto it = Variables.upper_bound(address);
  if (it != Variables.begin() && std::prev(it)->first + std::prev(it)->second.bytes > address)
    --it;
  for (; it != Variables.end() && it->first < address + bytes; ++it) {
    Variable &v = it->second;
    for (const Reader &reader : Readers)
      check(d, v, node, reader);
    std::erase_if(v.writers, [&](core::NodeId n) { return n == node; });
    v.writers.push_back(node);
  }
}

void ConstantVariables::check(core::Detector &d, const Variable &v, core::NodeId writer,
                              const Reader &reader) {
  if (!(reader.bits & v.bit) || d.precedes(writer, reader.node) || d.precedes(reader.node, writer))
    return;
  host::incomplete("a copy into constant variable '" + v.name +
                   "' is not ordered with a launch of kernel '" + reader.kernel +
                   "', which may read it: reads of constants are checked on the CPU backend only");
}

} // namespace scopesan::cupti

// Constant variables on the GPU (O6). Kernels do not record what they read of them: it is known
// which ones a kernel may read, and when their launches are not ordered with a copy into one (X1).
#pragma once

#include "scopesan/core/detector.h"

#include <map>
#include <string>
#include <vector>

namespace scopesan::cupti {

class ConstantVariables {
public:
  /// `bit`: gpu::constantBit of its symbol.
  void found(uint64_t address, uint64_t bytes, uint32_t bit, const std::string &name);
  void gone(uint64_t address) { Variables.erase(address); }
  /// A launch that may read variables of these bits. `past`: what later calls of the host follow.
  void launched(core::Detector &d, core::NodeId node, uint32_t bits, const std::string &kernel,
                core::NodeId past);
  /// A copy or fill writes memory.
  void written(core::Detector &d, core::NodeId node, uint64_t address, uint64_t bytes);

private:
  struct Variable {
    uint64_t bytes = 0;
    uint32_t bit = 0;
    std::string name;
    std::vector<core::NodeId> writers; ///< that launches to come may not follow
  };
  struct Reader {
    core::NodeId node;
    uint32_t bits;
    std::string kernel;
  };
  void check(core::Detector &d, const Variable &v, core::NodeId writer, const Reader &reader);
  std::map<uint64_t, Variable> Variables;
  std::vector<Reader> Readers; ///< that copies to come may not follow
  size_t PruneAt = 64;
};

} // namespace scopesan::cupti

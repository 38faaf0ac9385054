// The text of one thread of a program while it is being written: lines, addresses, the log.
#pragma once

#include "ThreadCode.h"

namespace scopesan::litmus {

class ThreadText {
public:
  ThreadText(const Program &p, const Layout &where, const Places &places, uint32_t thread)
      : P(p), Where(where), At(places), T(thread), Code(p.threads[thread].code) {}

  /// A line of the operation `Now`.
  void line(const std::string &text) { Out.lines.push_back({text, Now}); }
  void fail(const std::string &why) {
    if (Out.error.empty())
      Out.error = why;
  }
  void noForm(const std::string &why);

  // ---- addresses
  bool isPeer(uint32_t location) const;
  /// Generic address.
  std::string generic(uint32_t location, uint32_t offset = 0);
  /// Address in the shared window; of a peer in the cluster's.
  std::string window(uint32_t location);
  /// The same place in the thread's own block: what a multicast names.
  std::string ownWindow(uint32_t location) const;
  /// State space of an access and its address operand.
  struct Operand {
    std::string space, address, constraint;
  };
  Operand operand(const Instr &i);

  // ---- the log
  std::string reg(uint32_t r) const { return "q" + std::to_string(r); }
  /// Records what the operation did, for guards.
  std::string note(const std::string &value, bool wrote) const;
  /// After a load: into the register and the log.
  std::string took(const Instr &i, const std::string &value) const;

  /// PTX without operands, and with register operands "r", "l" of the given values.
  void instruction(const std::string &ptx);
  using Operands = std::vector<std::pair<char, std::string>>;
  void instruction(const std::string &ptx, const Operands &operands, bool wrote);

  const Program &P;
  const Layout &Where;
  const Places &At;
  const uint32_t T;
  const std::vector<Instr> &Code;
  uint32_t Now = None; ///< operation that the lines belong to
  ThreadBody Out;

private:
  uint32_t peerRank(uint32_t owner);
};

const char *ptxScope(Scope s);       ///< ".gpu"
const char *ptxOrder(MemoryOrder o); ///< ".acquire"

} // namespace scopesan::litmus

#include "ThreadText.h"

namespace scopesan::litmus {

namespace {
const std::string NoCudaForm = "no CUDA form: ";
} // namespace

std::string noCudaForm(const std::string &why) { return NoCudaForm + why; }
bool hasNoCudaForm(const std::string &reason) { return reason.starts_with(NoCudaForm); }

const char *ptxScope(Scope s) {
  constexpr const char *names[] = {".cta", ".cta", ".cluster", ".gpu", ".sys"};
  return names[unsigned(s)];
}
const char *ptxOrder(MemoryOrder o) {
  constexpr const char *names[] = {".weak", ".relaxed", ".acquire", ".release", ".acq_rel", ".sc"};
  return names[unsigned(o)];
}

void ThreadText::noForm(const std::string &why) {
  if (!hasNoCudaForm(Out.error) || why.starts_with("PTX has no fence")) // see RowWriter::fail
    Out.error = noCudaForm(why);
}

bool ThreadText::isPeer(uint32_t location) const {
  const Place &at = At.of[location];
  return at.space == Space::Shared && at.owner != T && !P.sameBlock(at.owner, T);
}

std::string ThreadText::generic(uint32_t location, uint32_t offset) {
  const Place &at = At.of[location];
  if (at.space == Space::Local)
    return "(char *)&local" + std::to_string(P.root(location));
  std::string sum = std::to_string(at.offset + offset);
  if (at.mapping && At.managed)
    fail("a second virtual address of managed memory");
  if (at.mapping)
    return "m + " + std::to_string(at.mapping) + " * MappingDistance + " + sum;
  if (at.space == Space::Global)
    return "m + " + sum;
  if (!isPeer(location))
    return "s + " + sum;
  return "peer(s + " + sum + ", " + std::to_string(peerRank(at.owner)) + ")";
}

std::string ThreadText::window(uint32_t location) {
  const Place &at = At.of[location];
  if (at.space != Space::Shared)
    fail("an operation on shared memory of a location in global memory");
  if (!isPeer(location))
    return ownWindow(location);
  return "peerWindow(" + ownWindow(location) + ", " + std::to_string(peerRank(at.owner)) + ")";
}
std::string ThreadText::ownWindow(uint32_t location) const {
  return "window(s + " + std::to_string(At.of[location].offset) + ")";
}

uint32_t ThreadText::peerRank(uint32_t owner) {
  const Position &a = P.threads[T].at, &b = P.threads[owner].at;
  if (a.launch != b.launch || a.cluster != b.cluster)
    fail("shared memory of a block in another cluster");
  return Where.rank[owner];
}

ThreadText::Operand ThreadText::operand(const Instr &i) {
  const Place &at = At.of[i.location];
  if (at.space == Space::Shared && !isPeer(i.location))
    return {".shared", "window(s + " + std::to_string(at.offset + i.offset) + ")", "r"};
  return {at.space == Space::Global ? ".global" : "", generic(i.location, i.offset), "l"};
}

std::string ThreadText::note(const std::string &value, bool wrote) const {
  return "log.note(" + std::to_string(Now) + (wrote ? ", true, " : ", false, ") + value + ");";
}
std::string ThreadText::took(const Instr &i, const std::string &value) const {
  return (i.dst != None ? reg(i.dst) + " = " + value + "; " : "") + note(value, false);
}

void ThreadText::instruction(const std::string &ptx) {
  line("asm volatile(\"" + ptx + ";\" ::: \"memory\"); " + note("0", false));
}
void ThreadText::instruction(const std::string &ptx, const Operands &operands, bool wrote) {
  std::string list;
  for (auto &[constraint, value] : operands)
    list += (list.empty() ? "\"" : ", \"") + std::string(1, constraint) + "\"(" + value + ")";
  line("asm volatile(\"" + ptx + ";\" :: " + list + " : \"memory\"); " + note("0", wrote));
}

} // namespace scopesan::litmus

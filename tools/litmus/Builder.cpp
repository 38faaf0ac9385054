#include "Builder.h"

#include "Text.h"

namespace scopesan::litmus {

namespace {

template <class T> struct Named {
  std::string_view name;
  T value;
};
template <class T, size_t N>
std::optional<T> lookup(const Named<T> (&table)[N], std::string_view name) {
  for (const Named<T> &row : table)
    if (row.name == name)
      return row.value;
  return std::nullopt;
}

constexpr Named<MemoryOrder> Orders[] = {
    {"w", MemoryOrder::Weak},          {"weak", MemoryOrder::Weak},
    {"rlx", MemoryOrder::Relaxed},     {"relaxed", MemoryOrder::Relaxed},
    {"atomic", MemoryOrder::Relaxed},  {"acq", MemoryOrder::Acquire},
    {"acquire", MemoryOrder::Acquire}, {"rel", MemoryOrder::Release},
    {"release", MemoryOrder::Release}, {"ar", MemoryOrder::AcqRel},
    {"acq_rel", MemoryOrder::AcqRel},  {"sc", MemoryOrder::SeqCst},
    {"seq_cst", MemoryOrder::SeqCst},
};
// Vulkan: queue families stand for GPUs, so that qf is the GPU's scope and dv the system's.
constexpr Named<Scope> Scopes[] = {
    {"thread", Scope::Thread}, {"wi", Scope::Thread},       {"cta", Scope::Block},
    {"block", Scope::Block},   {"wg", Scope::Block},        {"sg", Scope::Block},
    {"clu", Scope::Cluster},   {"cluster", Scope::Cluster}, {"gpu", Scope::Device},
    {"device", Scope::Device}, {"dev", Scope::Device},      {"qf", Scope::Device},
    {"sys", Scope::System},    {"system", Scope::System},   {"dv", Scope::System},
};
constexpr Named<RmwKind> RmwKinds[] = {
    {"add", RmwKind::Add}, {"inc", RmwKind::Add},       {"sub", RmwKind::Sub},
    {"dec", RmwKind::Sub}, {"exch", RmwKind::Exchange}, {"cas", RmwKind::CompareExchange},
    {"min", RmwKind::Min}, {"max", RmwKind::Max},       {"and", RmwKind::And},
    {"or", RmwKind::Or},   {"xor", RmwKind::Xor},       {"xchg", RmwKind::Exchange},
};

} // namespace

std::optional<MemoryOrder> parseOrder(std::string_view name) { return lookup(Orders, name); }
std::optional<Scope> parseScope(std::string_view name) { return lookup(Scopes, name); }
std::optional<RmwKind> parseRmwKind(std::string_view name) { return lookup(RmwKinds, name); }

const char *orderName(MemoryOrder o) {
  constexpr const char *names[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "seq_cst"};
  return names[unsigned(o)];
}
const char *scopeName(Scope s) {
  constexpr const char *names[] = {"thread", "block", "cluster", "device", "system"};
  return names[unsigned(s)];
}
const char *proxyName(Proxy p) {
  constexpr const char *names[] = {"generic",  "texture", "surface",
                                   "constant", "async",   "tensormap"};
  return names[unsigned(p)];
}

bool Program::sameBlock(uint32_t a, uint32_t b) const {
  const Position &x = threads[a].at, &y = threads[b].at;
  return x.launch == y.launch && x.cluster == y.cluster && x.block == y.block && !x.host && !y.host;
}

// ---------------------------------------------------------------------------- ThreadBuilder

uint32_t ThreadBuilder::index() const { return uint32_t(&T - B.program.threads.data()); }
uint32_t ThreadBuilder::location(std::string_view name) { return B.location(name); }

uint32_t ThreadBuilder::assigned(std::string_view name) {
  for (uint32_t i = 0; i < T.registers.size(); ++i)
    if (T.registers[i] == name)
      return i;
  T.registers.emplace_back(name);
  T.initialRegisters.push_back(0);
  T.unknownInitial.push_back(false);
  return uint32_t(T.registers.size() - 1);
}
uint32_t ThreadBuilder::used(std::string_view name) {
  size_t before = T.registers.size();
  uint32_t r = assigned(name);
  if (r == before)
    T.unknownInitial[r] = true;
  return r;
}
uint32_t ThreadBuilder::freshRegister() {
  return assigned("%" + std::to_string(T.registers.size()));
}

std::optional<Operand> ThreadBuilder::operand(std::string_view text) {
  text = trim(text);
  if (std::optional<int64_t> v = parseInteger(text))
    return Operand{*v, None};
  if (text.empty() || !isIdentifierStart(text[0]))
    return std::nullopt;
  for (char c : text)
    if (!isIdentifierChar(c))
      return std::nullopt;
  return Operand{0, used(text)};
}
std::optional<Expr> ThreadBuilder::expression(std::string_view text) {
  text = trim(text);
  size_t at = text.find_first_of("+-", 1);
  if (text.empty() || at == std::string_view::npos) {
    std::optional<Operand> a = operand(text);
    return a ? std::optional<Expr>(Expr{*a, {}, 0}) : std::nullopt;
  }
  std::optional<Operand> a = operand(text.substr(0, at)), b = operand(text.substr(at + 1));
  if (!a || !b)
    return std::nullopt;
  return Expr{*a, *b, text[at]};
}

Instr &ThreadBuilder::add(Verb verb, std::string_view text) {
  Instr &i = T.code.emplace_back();
  i.verb = verb;
  i.text = text;
  return i;
}
bool ThreadBuilder::defineLabel(std::string_view name) {
  return Labels.try_emplace(std::string(name), uint32_t(T.code.size())).second;
}
void ThreadBuilder::branch(std::string_view text, Expr lhs, Compare cmp, Expr rhs,
                           std::string_view label) {
  Unresolved.emplace_back(uint32_t(T.code.size()), label);
  Instr &i = add(Verb::Branch, text);
  i.lhs = lhs;
  i.cmp = cmp;
  i.rhs = rhs;
}
std::string ThreadBuilder::freshLabel() { return "%" + std::to_string(NextLabel++); }
std::string ThreadBuilder::finish() {
  for (auto &[instr, label] : Unresolved) {
    auto it = Labels.find(label);
    if (it == Labels.end())
      return label;
    T.code[instr].target = it->second;
  }
  Unresolved.clear();
  return {};
}

// ---------------------------------------------------------------------------- ProgramBuilder

std::optional<uint32_t> ProgramBuilder::findLocation(std::string_view name) const {
  for (uint32_t i = 0; i < program.locations.size(); ++i)
    if (program.locations[i].name == name)
      return i;
  return std::nullopt;
}
std::optional<uint32_t> ProgramBuilder::findThread(std::string_view name) const {
  for (uint32_t i = 0; i < program.threads.size(); ++i)
    if (program.threads[i].name == name)
      return i;
  return std::nullopt;
}
uint32_t ProgramBuilder::location(std::string_view name) {
  if (std::optional<uint32_t> i = findLocation(name))
    return *i;
  uint32_t i = uint32_t(program.locations.size());
  Location &l = program.locations.emplace_back();
  l.name = name;
  l.root = i;
  return i;
}
void ProgramBuilder::makeAlias(uint32_t alias, uint32_t of, Proxy view, bool distinctAddress) {
  Location &l = program.locations[alias];
  l.root = program.locations[of].root;
  l.view = view;
  l.distinctAddress = distinctAddress;
}

/// A value that a guard asks for and nobody writes can only be the initial one.
void ProgramBuilder::initialValuesFromExpectations() {
  auto written = [&](uint32_t root, int64_t value) {
    for (const ThreadCode &t : program.threads)
      for (const Instr &i : t.code)
        if (i.writes() && program.root(i.location) == root &&
            (i.value.op || !i.value.a.isConstant() || i.value.a.value == value ||
             (i.verb == Verb::Rmw && i.rmw != RmwKind::Exchange &&
              i.rmw != RmwKind::CompareExchange)))
          return true;
    return false;
  };
  for (const ThreadCode &t : program.threads)
    for (const Instr &i : t.code)
      if (i.isMemory() && i.expect.reads) {
        uint32_t root = program.root(i.location);
        if (!program.locations[root].initialGiven && !written(root, *i.expect.reads))
          program.locations[root].initial = *i.expect.reads;
      }
}

/// Two barriers that are named by registers whose values the text does not tell may be one or two.
void ProgramBuilder::unknownBarrierNames() {
  uint32_t unknown = 0;
  for (const ThreadCode &t : program.threads)
    for (const Instr &i : t.code)
      for (const Expr *e : {&i.barrier, &i.logicalBarrier})
        if (i.verb == Verb::BlockBarrier && !e->a.isConstant() && t.unknownInitial[e->a.reg])
          ++unknown;
  program.barriersUnknown = unknown > 1;
}

/// "sync" among the threads that say it: a counter with release and acquire at device scope.
void ProgramBuilder::expandSyncPoints() {
  if (syncPoints.empty())
    return;
  uint32_t counter = location("sync");
  for (size_t n = syncPoints.size(); n-- > 0;) { // from the back, so that indices stay right
    ThreadCode &t = program.threads[syncPoints[n].first];
    uint32_t at = syncPoints[n].second;
    Instr arrive;
    arrive.verb = Verb::Rmw;
    arrive.text = "sync";
    arrive.location = counter;
    arrive.order = MemoryOrder::Release;
    arrive.scope = Scope::Device;
    arrive.value = Expr::constant(1);
    Instr wait = arrive;
    wait.verb = Verb::Load;
    wait.order = MemoryOrder::Acquire;
    wait.expect.reads = int64_t(syncPoints.size());
    t.code[at] = arrive;
    t.code.insert(t.code.begin() + at + 1, wait);
    for (Instr &i : t.code)
      if (i.verb == Verb::Branch && i.target > at)
        ++i.target;
  }
}

void ProgramBuilder::insertHandOver() {
  if (!handOver)
    return;
  for (uint32_t t = 0; t < program.threads.size(); ++t) {
    if (t == *handOver)
      continue;
    Instr i;
    i.verb = Verb::BlockBarrier;
    i.text = "starts after " + program.threads[*handOver].name;
    i.barrier = Expr::constant(HandOverBarrier);
    std::vector<Instr> &code = program.threads[t].code;
    code.insert(code.begin(), i);
    for (Instr &x : code)
      if (x.verb == Verb::Branch)
        ++x.target;
  }
}

/// What the phases of each mbarrier wait for.
void ProgramBuilder::setUpMbarriers() {
  for (uint32_t l = 0; l < program.locations.size(); ++l) {
    MbarrierSetup &m = program.locations[l].mbarrier;
    uint32_t copies = 0;
    bool explicitly = false;
    for (const ThreadCode &t : program.threads)
      for (const Instr &i : t.code) {
        if (i.verb == Verb::MbarArrive && i.location == l) {
          ++m.arrivals;
          explicitly |= i.async.expectsBytes;
        }
        copies += i.verb == Verb::AsyncCopy && i.async.mbarrier == l;
      }
    if (!explicitly)
      m.bytes = copies * CopyBytes;
  }
}

void ProgramBuilder::finish() {
  expandSyncPoints();
  insertHandOver();
  setUpMbarriers();
  initialValuesFromExpectations();
  unknownBarrierNames();
}

} // namespace scopesan::litmus

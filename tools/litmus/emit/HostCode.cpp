#include "HostCode.h"

#include "Needs.h"
#include "Text.h"

#include <algorithm>
#include <set>

namespace scopesan::litmus {

namespace {

class HostWriter {
public:
  HostWriter(const Program &p, const Layout &where, const Places &places, const std::string &name)
      : P(p), Where(where), At(places), Name(name) {}

  HostCode run() {
    line("static void " + Name + "() {");
    line("  Row row(" + Name.substr(3) + ", " + std::to_string(P.threads.size()) + ", " +
         std::to_string(At.globalBytes) + ", " + (At.managed ? "true" : "false") +
         (At.mappings > 1 ? ", " + std::to_string(At.mappings) : "") + ");");
    for (uint32_t l = 0; l < P.locations.size(); ++l)
      if (P.root(l) == l && At.of[l].space == Space::Global && P.locations[l].initial)
        line("  row.set(" + std::to_string(At.of[l].offset) + ", " +
             std::to_string(P.locations[l].initial) + ");");
    for (uint32_t l = 0; l < P.locations.size(); ++l)
      if (P.root(l) == l && isTensorMap(P, l))
        line("  row.setTensorMap(" + std::to_string(At.of[l].offset) + ", " +
             std::to_string(At.scratchGlobal) + ");");
    line("  row.start();");
    if (P.asGraph)
      graph();
    else if (P.hostCalls.empty())
      for (uint32_t l = 0; l < P.launches.size(); ++l)
        launchOnOwn(l);
    else
      calls();
    hostThreads();
    line("  row.finish();");
    line("}");
    return std::move(Out);
  }

private:
  void line(const std::string &text) { Out.lines.push_back({text, Thread, Now}); }
  void fail(const std::string &why) {
    if (Out.error.empty())
      Out.error = why;
  }

  // ------------------------------------------------------------------ launches

  static std::string quoted(const std::string &s) { return "\"" + s + "\""; }
  std::string kernel(uint32_t l) const { return Name + "_K" + std::to_string(l); }
  const Position &positionOf(uint32_t l) const {
    for (const ThreadCode &t : P.threads)
      if (t.at.launch == l)
        return t.at;
    return P.threads[0].at;
  }
  uint32_t deviceOf(uint32_t l) const { return positionOf(l).device; }
  std::string shape(uint32_t l) const {
    const Grid &g = Where.grids[l];
    return "{" + std::to_string(g.blockCount()) + ", " + std::to_string(g.threadsPerBlock) + ", " +
           std::to_string(g.perCluster) + ", " + std::to_string(positionOf(l).domain) + "}";
  }
  void launch(uint32_t l, const std::string &stream) {
    bool dependent = !P.launches[l].programmatic.empty();
    if (devicesOf(P) > 1)
      line("  row.use(" + std::to_string(deviceOf(l)) + ");");
    line("  row.launch(" + kernel(l) + ", " + shape(l) + ", row.stream(" + quoted(stream) + ", " +
         (P.nonBlockingStreams ? "true" : "false") + ")" + (dependent ? ", true" : "") + ");");
  }
  void launchOnOwn(uint32_t l) {
    if (!isHostLaunch(P, l) && !P.launches[l].byThread)
      launch(l, "");
  }
  /// The stream that the row gives a launch.
  std::string streamOf(uint32_t l) const {
    for (const HostCall &c : P.hostCalls)
      if (c.kind == HostCall::Kind::Launch && c.launch == l)
        return c.stream;
    return {};
  }

  /// The stream `name` of the row.
  std::string streamNamed(const std::string &name) const {
    return "row.stream(" + quoted(name) + (P.nonBlockingStreams ? ", true)" : ", false)");
  }
  /// What follows a launch by the host's thread is called when that thread has launched it.
  void calls() {
    bool byHost = false;
    for (const HostCall &c : P.hostCalls) {
      bool launches = c.kind == HostCall::Kind::Launch;
      if (launches && !isHostLaunch(P, c.launch))
        byHost = P.launches[c.launch].byThread;
      if (byHost)
        continue;
      if (!launches)
        call(c);
      else if (!isHostLaunch(P, c.launch))
        launch(c.launch, c.stream);
    }
  }
  void callsAfter(uint32_t l) {
    bool after = false;
    for (const HostCall &c : P.hostCalls) {
      if (c.kind == HostCall::Kind::Launch)
        after = c.launch == l;
      else if (after)
        call(c);
    }
  }
  void call(const HostCall &c) {
    std::string stream = streamNamed(c.stream), event = "row.event(" + quoted(c.event) + ")";
    if (c.kind == HostCall::Kind::Record)
      line("  row.check(cudaEventRecord(" + event + ", " + stream + "));");
    else if (c.kind == HostCall::Kind::Wait)
      line("  row.check(cudaStreamWaitEvent(" + stream + ", " + event + ", 0));");
    else if (c.kind == HostCall::Kind::WriteValue)
      line("  row.writeValue(" + stream + ");");
    else
      line("  row.waitValue(" + stream + ");");
  }

  void graph() {
    line("  row.beginGraph();");
    for (uint32_t l = 0; l < P.launches.size(); ++l) {
      std::string after;
      for (uint32_t a : P.launches[l].after)
        after += (after.empty() ? "" : ", ") + std::to_string(a);
      line("  row.node(" + kernel(l) + ", " + shape(l) + ", {" + after + "});");
    }
    line("  row.launchGraph();");
  }

  // ------------------------------------------------------------------ the host's threads

  void hostThreads() {
    std::vector<uint32_t> threads;
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      if (P.threads[t].at.host)
        threads.push_back(t);
    for (uint32_t t : threads)
      hostThread(t);
    std::string run, join;
    for (uint32_t t : threads) {
      std::string n = std::to_string(t);
      if (threads.size() == 1)
        return line("  host" + n + "(row.host(" + n + "));");
      run += " std::thread thread" + n + "(host" + n + ", row.host(" + n + "));";
      join += " thread" + n + ".join();";
    }
    if (!run.empty())
      line(" " + run + join);
  }

  void hostThread(uint32_t t) {
    const ThreadCode &thread = P.threads[t];
    std::set<uint32_t> targets;
    for (const Instr &i : thread.code)
      if (i.verb == Verb::Branch)
        targets.insert(i.target);
    line("  auto host" + std::to_string(t) + " = [&](HostThread host) {");
    for (uint32_t r = 0; r < thread.registers.size(); ++r)
      line("  long long q" + std::to_string(r) + " = " +
           std::to_string(thread.initialRegisters[r]) + ";");
    Thread = t;
    for (uint32_t k = 0; k <= thread.code.size(); ++k) {
      if (targets.count(k))
        line("  I" + std::to_string(k) + ":;");
      if (k == thread.code.size())
        break;
      Now = k;
      operation(thread.code[k]);
      Now = None;
    }
    Thread = None;
    line("  host.end(); };");
  }
  std::string note(const std::string &value, bool wrote) const {
    return "host.note(" + std::to_string(Now) + (wrote ? ", true, " : ", false, ") + value + ");";
  }
  void operation(const Instr &i) {
    if ((i.isMemory() || i.verb == Verb::Fence) && i.isStrong() && i.scope != Scope::System)
      return fail(noCudaForm("host code, once compiled, has system scope everywhere"));
    switch (i.verb) {
    case Verb::Load:
    case Verb::Store:
      return access(i);
    case Verb::Rmw:
      return rmw(i);
    case Verb::Fence:
      return line("  __atomic_thread_fence(" + order(i) + "); " + note("0", false));
    case Verb::Assign:
      return line("  q" + std::to_string(i.dst) + " = " + cxx(i.value) + ";");
    case Verb::Branch: // nothing promises that a spin of the host ends
      return line("  if (" + std::string(i.target <= Now ? "host.patient() && " : "") + cxx(i.lhs) +
                  (i.cmp == Compare::Equal ? " == " : " != ") + cxx(i.rhs) + ") goto I" +
                  std::to_string(i.target) + ";");
    case Verb::Launch:
      launch(i.target, streamOf(i.target));
      return callsAfter(i.target);
    case Verb::Sync:
    case Verb::Nop:
      return wait(i);
    default:
      fail("an operation of the host that has no C++ form");
    }
  }
  /// Waits, and queries whose answer the row does not ask for.
  void wait(const Instr &i) {
    if (contains(i.text, "DeviceSynchronize"))
      return line("  row.check(cudaDeviceSynchronize());");
    bool event = contains(i.text, "Event");
    std::string object = event                  ? "row.event(" + quoted(eventOf(i)) + ")"
                         : i.launchName.empty() ? "row.latestStream()"
                                                : streamNamed(i.launchName);
    std::string name = event ? "cudaEvent" : "cudaStream";
    if (contains(i.text, "Synchronize"))
      return line("  row.check(" + name + "Synchronize(" + object + "));");
    if (contains(i.text, "Query"))
      return line(i.verb == Verb::Sync
                      ? "  while (" + name + "Query(" + object + ") == cudaErrorNotReady) {}"
                      : "  host.note(" + std::to_string(Now) + ", false, " + name + "Query(" +
                            object + ") == cudaErrorNotReady);");
    if (i.verb == Verb::Sync)
      fail("a host call of an unknown kind");
  }
  /// The event that a wait names, or the only one; without any, one that is recorded just before.
  std::string eventOf(const Instr &i) {
    std::set<std::string> recorded;
    for (const HostCall &c : P.hostCalls)
      if (c.kind == HostCall::Kind::Record)
        recorded.insert(c.event);
    if (!i.launchName.empty() || recorded.size() == 1)
      return i.launchName.empty() ? *recorded.begin() : i.launchName;
    if (!recorded.empty())
      fail("an event without a name");
    line("  row.check(cudaEventRecord(row.event(\"\"), row.latestStream()));");
    return "";
  }

  static std::string order(const Instr &i) {
    return i.acquires() && i.releases()      ? "__ATOMIC_SEQ_CST"
           : i.acquires()                    ? "__ATOMIC_ACQUIRE"
           : i.order == MemoryOrder::Release ? "__ATOMIC_RELEASE"
                                             : "__ATOMIC_RELAXED";
  }
  std::string memoryOf(const Instr &i) {
    if (i.bytes != 4 || i.offset || At.of[i.location].space != Space::Global)
      fail("an access of the host that has no C++ form");
    return "(int *)(row.memory() + " + std::to_string(At.of[i.location].offset) + ")";
  }
  void access(const Instr &i) {
    std::string at = memoryOf(i);
    if (isTensorMap(P, i.location))
      return line("  { long long v = row.initial(" + std::to_string(At.of[i.location].offset) +
                  "); barrier(); *(long long *)(void *)" + at + " = v; barrier(); " +
                  note("1", true) + " }");
    bool plain = i.order == MemoryOrder::Weak;
    if (i.verb == Verb::Load)
      return line("  { barrier(); int v = " +
                  (plain ? "*" + at : "__atomic_load_n(" + at + ", " + order(i) + ")") +
                  "; barrier(); " + (i.dst != None ? "q" + std::to_string(i.dst) + " = v; " : "") +
                  note("v", false) + " }");
    std::string value = cxx(i.value);
    line("  { barrier(); " +
         (plain ? "*" + at + " = " + value
                : "__atomic_store_n(" + at + ", " + value + ", " + order(i) + ")") +
         "; barrier(); " + note(value, true) + " }");
  }
  void rmw(const Instr &i) {
    static constexpr const char *Names[] = {"fetch_add", "fetch_sub", "exchange_n",
                                            "",          "fetch_min", "fetch_max",
                                            "fetch_and", "fetch_or",  "fetch_xor"};
    std::string at = memoryOf(i), value = cxx(i.value), wrote = "true", op;
    if (i.rmw == RmwKind::CompareExchange) {
      op = "int old = " + cxx(i.compare) + "; bool wrote = __atomic_compare_exchange_n(" + at +
           ", &old, " + value + ", false, " + order(i) + ", " +
           (i.acquires() ? "__ATOMIC_ACQUIRE" : "__ATOMIC_RELAXED") + ");";
      wrote = "wrote";
    } else {
      op = "int old = __atomic_" + std::string(Names[unsigned(i.rmw)]) + "(" + at + ", " + value +
           ", " + order(i) + ");";
    }
    line("  { barrier(); " + op + " barrier(); " +
         (i.dst != None ? "q" + std::to_string(i.dst) + " = old; " : "") + "host.note(" +
         std::to_string(Now) + ", " + wrote + ", old); }");
  }

  const Program &P;
  const Layout &Where;
  const Places &At;
  const std::string &Name;
  uint32_t Thread = None, Now = None;
  HostCode Out;
};

} // namespace

HostCode emitHost(const Program &p, const Layout &where, const Places &places,
                  const std::string &name) {
  return HostWriter(p, where, places, name).run();
}

} // namespace scopesan::litmus

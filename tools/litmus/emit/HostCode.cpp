#include "HostCode.h"

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
         std::to_string(At.globalBytes) + ", " + (At.managed ? "true" : "false") + ");");
    for (uint32_t l = 0; l < P.locations.size(); ++l)
      if (P.root(l) == l && At.of[l].space == Space::Global && P.locations[l].initial)
        line("  row.set(" + std::to_string(At.of[l].offset) + ", " +
             std::to_string(P.locations[l].initial) + ");");
    line("  row.start();");
    if (P.asGraph)
      graph();
    else if (P.hostCalls.empty())
      for (uint32_t l = 0; l < P.launches.size(); ++l)
        launchOnOwn(l);
    else
      calls();
    for (uint32_t t = 0; t < P.threads.size(); ++t)
      if (P.threads[t].at.host)
        hostThread(t);
    line("  row.finish();");
    line("}");
    return std::move(Out);
  }

private:
  void line(const std::string &text) { Out.lines.push_back({text, Now}); }
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
  uint32_t devices() const {
    uint32_t n = 1;
    for (uint32_t l = 0; l < P.launches.size(); ++l)
      n = std::max(n, deviceOf(l) + 1);
    return n;
  }
  std::string shape(uint32_t l) const {
    const Grid &g = Where.grids[l];
    return "{" + std::to_string(g.blockCount()) + ", " + std::to_string(g.threadsPerBlock) + ", " +
           std::to_string(g.perCluster) + ", " + std::to_string(positionOf(l).domain) + "}";
  }
  void launch(uint32_t l, const std::string &stream) {
    bool dependent = !P.launches[l].programmatic.empty();
    if (devices() > 1)
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
    else
      fail("stream memory operations");
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

  // ------------------------------------------------------------------ the host's thread

  void hostThread(uint32_t t) {
    if (Out.thread != None)
      return fail("several host threads");
    Out.thread = t;
    const ThreadCode &thread = P.threads[t];
    std::set<uint32_t> targets;
    for (const Instr &i : thread.code)
      if (i.verb == Verb::Branch)
        targets.insert(i.target);
    line("  row.hostBegins(" + std::to_string(t) + ");");
    for (uint32_t r = 0; r < thread.registers.size(); ++r)
      line("  long long q" + std::to_string(r) + " = " +
           std::to_string(thread.initialRegisters[r]) + ";");
    for (uint32_t k = 0; k <= thread.code.size(); ++k) {
      if (targets.count(k))
        line("  I" + std::to_string(k) + ":;");
      if (k == thread.code.size())
        break;
      Now = k;
      operation(thread.code[k]);
      Now = None;
    }
    line("  row.hostEnds();");
  }
  std::string note(const std::string &value, bool wrote) const {
    return "row.note(" + std::to_string(Now) + (wrote ? ", true, " : ", false, ") + value + ");";
  }
  void operation(const Instr &i) {
    switch (i.verb) {
    case Verb::Load:
    case Verb::Store:
      return access(i);
    case Verb::Fence:
      return line("  __atomic_thread_fence(__ATOMIC_SEQ_CST); " + note("0", false));
    case Verb::Assign:
      return line("  q" + std::to_string(i.dst) + " = " + cxx(i.value) + ";");
    case Verb::Branch: // nothing promises that a spin of the host ends
      return line("  if (" + std::string(i.target <= Now ? "row.patient() && " : "") + cxx(i.lhs) +
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
    std::string object = event                  ? "row.event(" + quoted(i.launchName) + ")"
                         : i.launchName.empty() ? "row.latestStream()"
                                                : streamNamed(i.launchName);
    std::string name = event ? "cudaEvent" : "cudaStream";
    if (event && i.launchName.empty())
      return fail("an event without a name");
    if (contains(i.text, "Synchronize"))
      return line("  row.check(" + name + "Synchronize(" + object + "));");
    if (contains(i.text, "Query"))
      return line(i.verb == Verb::Sync
                      ? "  while (" + name + "Query(" + object + ") == cudaErrorNotReady) {}"
                      : "  " + name + "Query(" + object + ");");
    if (i.verb == Verb::Sync)
      fail("a host call of an unknown kind");
  }
  void access(const Instr &i) {
    if (i.bytes != 4 || i.offset || At.of[i.location].space != Space::Global)
      return fail("an access of the host that has no C++ form");
    std::string at = "(int *)(row.memory() + " + std::to_string(At.of[i.location].offset) + ")";
    const char *order = i.acquires()                      ? "__ATOMIC_ACQUIRE"
                        : i.order == MemoryOrder::Release ? "__ATOMIC_RELEASE"
                                                          : "__ATOMIC_RELAXED";
    bool plain = i.order == MemoryOrder::Weak;
    if (i.verb == Verb::Load)
      return line("  { barrier(); int v = " +
                  (plain ? "*" + at : "__atomic_load_n(" + at + ", " + order + ")") +
                  "; barrier(); " + (i.dst != None ? "q" + std::to_string(i.dst) + " = v; " : "") +
                  note("v", false) + " }");
    std::string value = cxx(i.value);
    line("  { barrier(); " +
         (plain ? "*" + at + " = " + value
                : "__atomic_store_n(" + at + ", " + value + ", " + order + ")") +
         "; barrier(); " + note(value, true) + " }");
  }

  const Program &P;
  const Layout &Where;
  const Places &At;
  const std::string &Name;
  uint32_t Now = None;
  HostCode Out;
};

} // namespace

HostCode emitHost(const Program &p, const Layout &where, const Places &places,
                  const std::string &name) {
  return HostWriter(p, where, places, name).run();
}

} // namespace scopesan::litmus

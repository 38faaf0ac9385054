#include "HostRows.h"

#include "StreamOrder.h"
#include "Text.h"

#include <algorithm>
#include <map>

namespace scopesan::litmus {

bool parseHostWord(ThreadBuilder &t, std::string_view op) {
  Cursor c(op);
  if (c.acceptWord("launch")) {
    c.skipSpace();
    Instr &i = t.add(Verb::Launch, op);
    i.target = None; // resolved when the launches are known
    i.launchName = c.identifier();
    return true;
  }
  if (c.acceptWord("trigger") || op == "griddepcontrol.launch_dependents" ||
      op == "launch_dependents") {
    t.add(Verb::LaunchDependents, op);
    return true;
  }
  if (op == "griddepcontrol.wait" || op == "cudaGridDependencySynchronize") {
    t.add(Verb::GridWait, op);
    return true;
  }
  std::string_view name = op.substr(0, op.find_first_of("(= "));
  bool query = name == "cudaStreamQuery" || name == "cudaEventQuery";
  if (!query && name != "cudaStreamSynchronize" && name != "cudaEventSynchronize" &&
      name != "cudaDeviceSynchronize")
    return false;
  bool waits = !query || contains(op, "==Success");
  Instr &i = t.add(waits ? Verb::Sync : Verb::Nop, op);
  if (size_t open = op.find('('); open != std::string_view::npos)
    i.launchName = trim(op.substr(open + 1, op.find(')', open) - open - 1)); // a stream, an event
  return true;
}

namespace {

/// What a stream wrote to memory, as an event that others wait for.
constexpr const char *ValueEvent = " value";

class LaunchScript {
public:
  LaunchScript(ProgramBuilder &b, std::string_view text)
      : B(b), P(b.program), Text(text), Order(!contains(text, "non-blocking")) {}

  bool run() {
    bool device = contains(Text, "parent");
    bool known = device || contains(Text, "host") || contains(Text, "stream") ||
                 contains(Text, "@s") || contains(Text, "nodes") || contains(Text, "kernel") ||
                 contains(Text, "programmatic") || contains(Text, "Value") ||
                 contains(Text, "launch_dependents");
    for (const ThreadCode &t : P.threads)
      known |= t.name == "host" || contains(t.name, "@s");
    if (!known || contains(Text, "same kernel"))
      return false;
    createLaunches(device);
    OneStream = contains(Text, "one stream") || contains(Text, "same stream") ||
                contains(Text, "kernel start");
    Graph = P.asGraph = contains(Text, "nodes");
    P.nonBlockingStreams = contains(Text, "non-blocking") || !contains(Text, "legacy");
    schedule();
    resolveHost();
    return true;
  }

private:
  // ------------------------------------------------------------------ launches

  /// Each kernel name is a launch; the threads of a parent grid share one.
  void createLaunches(bool device) {
    std::map<std::string, uint32_t> parents;
    for (ThreadCode &t : P.threads) {
      bool inParent = device && t.name != "child";
      std::string key = inParent ? "parent" : t.name;
      auto [it, fresh] = parents.try_emplace(key, uint32_t(P.launches.size()));
      if (fresh) {
        Launch l;
        size_t at = key.find('@');
        l.name = key.substr(0, at);
        l.stream = uint32_t(P.launches.size());
        P.launches.push_back(l);
        StreamNames.push_back(at == std::string::npos ? "" : key.substr(at + 1));
        Scheduled.push_back(false);
      }
      t.at.launch = it->second;
      t.at.host = t.name == "host" || t.name == "host/prev kernel";
      uint32_t before = 0;
      for (const ThreadCode &u : P.threads)
        before += &u < &t && u.at.launch == t.at.launch;
      t.at.warp = before;
      t.at.warpGiven = t.at.clusterGiven = true;
    }
  }
  std::optional<uint32_t> launchNamed(std::string_view name) const {
    for (uint32_t l = 0; l < P.launches.size(); ++l)
      if (P.launches[l].name == name)
        return l;
    return std::nullopt;
  }
  bool isHostLaunch(uint32_t l) const {
    for (const ThreadCode &t : P.threads)
      if (t.at.launch == l)
        return t.at.host;
    return false;
  }

  // ------------------------------------------------------------------ streams, events, graphs

  void schedule() {
    std::string text(Text);
    if (contains(Text, "launch_dependents")) // the text names the primary only
      for (const Launch &l : P.launches)
        text += " " + l.name;
    for (char &c : text)
      if (c == ';' || c == ',' || c == ':')
        c = ' ';
    std::vector<std::string_view> words = split(text, " ");
    for (size_t w = 0; w < words.size(); ++w) {
      std::string_view next = w + 1 < words.size() ? words[w + 1] : "";
      std::string_view after = w + 2 < words.size() ? words[w + 2] : "";
      size_t arrow = words[w].find("->");
      if (arrow != std::string_view::npos) {
        edge(words[w].substr(0, arrow), words[w].substr(arrow + 2));
      } else if (words[w] == "record") {
        record(next);
        ++w;
      } else if (next == "waits") {
        if (after.empty())
          fail("'" + std::string(words[w]) + " waits' for no event");
        Current = words[w];
        Order.wait(Current, std::string(after));
        call(HostCall::Kind::Wait, Current, after);
        w += 2;
      } else if (next == "writeValue") {
        for (uint32_t l = 0; l < P.launches.size(); ++l)
          if (StreamNames[l] == words[w])
            place(l, StreamNames[l], false);
        Order.record(ValueEvent, std::string(words[w]));
        call(HostCall::Kind::WriteValue, words[w], {});
      } else if (next == "waitValue") {
        Order.wait(std::string(words[w]), ValueEvent);
        call(HostCall::Kind::WaitValue, words[w], {});
      } else {
        scheduleWord(words[w], next);
      }
    }
    for (uint32_t l = 0; l < P.launches.size(); ++l)
      if (!Scheduled[l] && !isHostLaunch(l) && P.launches[l].name != "child")
        place(l, StreamNames[l], false);
  }
  void record(std::string_view event) {
    Order.record(std::string(event), OneStream ? "one" : Current);
    call(HostCall::Kind::Record, Current, event);
  }
  void scheduleWord(std::string_view word, std::string_view next) {
    size_t at = word.find('@');
    std::optional<uint32_t> l = launchNamed(word.substr(0, at));
    if (!l || isHostLaunch(*l) || Scheduled[*l])
      return;
    bool programmatic =
        next == "programmatic" || (contains(Text, "launch_dependents") && Scheduled[0]);
    std::string stream = at != std::string_view::npos ? std::string(word.substr(at + 1))
                         : !StreamNames[*l].empty()   ? StreamNames[*l]
                                                      : Current;
    place(*l, stream, programmatic);
    Current = stream;
  }
  /// Enqueues launch `l` on a stream; an unnamed stream is the launch's own.
  void place(uint32_t l, std::string stream, bool programmatic) {
    if (OneStream)
      stream = "one";
    if (Scheduled[l])
      return;
    Scheduled[l] = true;
    launchCall(l, stream);
    if (stream.empty() || Graph)
      return;
    StreamOrder::Place p = Order.launch(l, stream, programmatic);
    P.launches[l].after.assign(p.after.begin(), p.after.end());
    P.launches[l].programmatic.assign(p.primaries.begin(), p.primaries.end());
  }
  void call(HostCall::Kind kind, std::string_view stream, std::string_view event) {
    P.hostCalls.push_back({kind, None, std::string(stream), std::string(event)});
  }
  void launchCall(uint32_t l, const std::string &stream) {
    P.hostCalls.push_back({HostCall::Kind::Launch, l, stream, ""});
  }
  void edge(std::string_view from, std::string_view to) {
    std::optional<uint32_t> a = launchNamed(from), b = launchNamed(to);
    if (!a || !b)
      return fail("unknown node '" + std::string(a ? to : from) + "'");
    P.launches[*b].after.push_back(*a);
  }
  void fail(const std::string &why) {
    if (B.placementError.empty())
      B.placementError = why;
  }

  // ------------------------------------------------------------------ host and device launches

  /// Gives launch instructions their targets. Kernels that nobody launches start at the beginning,
  /// except that a host named before them launches them after its last step.
  void resolveHost() {
    for (ThreadCode &t : P.threads)
      for (Instr &i : t.code) {
        if (i.verb == Verb::Launch)
          i.target = targetOf(t, i);
        if (i.verb == Verb::Launch && i.target != None)
          P.launches[i.target].byThread = true;
      }
    for (ThreadCode &t : P.threads) {
      if (t.name == "parent after launch") { // the launch comes first
        uint32_t child = launchNamed("child").value_or(None);
        if (child != None && !P.launches[child].byThread)
          insertLaunch(t, 0, child);
      }
      if (!t.at.host)
        continue;
      bool hostFirst = Text.find("host") < Text.find('K') || t.name != "host";
      uint32_t at = hostFirst && !spinsForKernel(t) ? uint32_t(t.code.size()) : 0;
      for (uint32_t l : inCallOrder())
        if (!isHostLaunch(l) && !P.launches[l].byThread)
          insertLaunch(t, at++, l);
    }
    for (ThreadCode &t : P.threads)
      for (Instr &i : t.code)
        if (i.verb == Verb::Sync)
          for (uint32_t l : waitedFor(i))
            if (!isHostLaunch(l) && launchedBefore(t, i, l))
              i.launches.push_back(l);
    for (uint32_t l = 0; l < P.launches.size(); ++l) // S14: a child ends before its parent does
      if (P.launches[l].name == "child")
        if (std::optional<uint32_t> parent = launchNamed("parent"))
          P.launches[*parent].before.push_back(l);
  }
  static bool spinsForKernel(const ThreadCode &t) {
    for (const Instr &i : t.code)
      if (i.verb == Verb::Branch)
        return true;
    return false;
  }
  void insertLaunch(ThreadCode &t, uint32_t at, uint32_t launch) {
    Instr i;
    i.verb = Verb::Launch;
    i.text = "launch " + P.launches[launch].name;
    i.target = launch;
    P.launches[launch].byThread = true;
    t.code.insert(t.code.begin() + at, i);
    for (Instr &x : t.code)
      if (x.verb == Verb::Branch && x.target >= at)
        ++x.target;
  }
  uint32_t targetOf(const ThreadCode &t, const Instr &i) const {
    if (std::optional<uint32_t> named = launchNamed(i.launchName))
      return *named;
    for (uint32_t l = 0; l < P.launches.size(); ++l)
      if (l != t.at.launch && !isHostLaunch(l) && !P.launches[l].byThread)
        return l;
    return None;
  }
  /// The host thread `t` has launched `l` when it executes `at`.
  bool launchedBefore(const ThreadCode &t, const Instr &at, uint32_t l) const {
    if (!P.launches[l].byThread)
      return true;
    for (const Instr &i : t.code)
      if (&i == &at)
        break;
      else if (i.verb == Verb::Launch && i.target == l)
        return true;
    return false;
  }
  /// As the script enqueues them, then the others.
  std::vector<uint32_t> inCallOrder() const {
    std::vector<uint32_t> order;
    for (const HostCall &c : P.hostCalls)
      if (c.kind == HostCall::Kind::Launch)
        order.push_back(c.launch);
    for (uint32_t l = 0; l < P.launches.size(); ++l)
      if (std::find(order.begin(), order.end(), l) == order.end())
        order.push_back(l);
    return order;
  }
  LaunchSet everything() const {
    LaunchSet all;
    for (uint32_t l = 0; l < P.launches.size(); ++l)
      all.insert(l);
    return all;
  }
  /// Launches that are complete when the call has waited, of those that the host made before.
  LaunchSet waitedFor(const Instr &i) {
    if (contains(i.text, "Device"))
      return everything();
    bool event = contains(i.text, "Event");
    if (!i.launchName.empty()) {
      if (event)
        return Order.recorded(i.launchName);
      if (Order.knows(i.launchName))
        return Order.done(i.launchName);
      fail("'" + i.text + "': nothing is placed on the stream '" + i.launchName + "'");
      return {};
    }
    if (event && Order.hasEvents()) {
      if (std::optional<std::string> only = Order.onlyEvent())
        return Order.recorded(*only);
      fail("'" + i.text + "' does not say which event");
    } else if (Order.streamsWithLaunches() > 1) {
      fail("'" + i.text + "' does not say which stream");
    }
    return everything(); // of the one stream; an event without a name is recorded just before
  }

  ProgramBuilder &B;
  Program &P;
  std::string_view Text;
  bool OneStream = false, Graph = false;
  std::string Current = "s1";
  std::vector<std::string> StreamNames; ///< by launch, as the threads' names give them
  std::vector<bool> Scheduled;
  StreamOrder Order;
};

} // namespace

bool parseLaunchPlacement(ProgramBuilder &b, std::string_view text) {
  return LaunchScript(b, text).run();
}

} // namespace scopesan::litmus

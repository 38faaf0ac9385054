#include "RandomProgram.h"

namespace scopesan::litmus {

namespace {

class Generator {
public:
  Generator(uint64_t seed, const RandomLimits &limits) : Limits(limits), Random(seed) {}

  ProgramText generate() {
    chooseShape();
    ProgramText p;
    p.positions = Positions;
    p.ops.resize(Positions.size());
    if (Limits.proxies)
      p.notes =
          "aliases: s=surface view of x,t=texture view of x,a=generic view of x (distinct VA)";
    if (Limits.launches)
      orderLaunches(p);
    if (chance(50))
      return handOver(p);
    uint32_t left = 3 + below(Limits.maxMemoryOps - 2);
    while (left) {
      uint32_t t = below(uint32_t(p.ops.size()));
      if (p.ops[t].size() > 6) {
        --left;
        continue;
      }
      if (chance(FenceShare))
        p.ops[t].push_back(fence());
      p.ops[t].push_back(access(t));
      --left;
    }
    if (chance(40))
      addBarrier(p, 1);
    if (chance(15))
      addBarrier(p, 2);
    if (chance(15))
      addClusterBarrier(p);
    addApiCalls(p);
    return p;
  }

private:
  /// Data that one thread touches first and another last, handed over through one or two flags:
  /// mostly ordered, so that every link of the chain matters.
  ProgramText handOver(ProgramText &p) {
    Weak[0] = 85;
    Weak[1] = Weak[2] = chance(80) ? 0 : 8;
    uint32_t threads = uint32_t(p.ops.size()), left = Limits.maxMemoryOps - 2, flags = 1 + below(2);
    for (uint32_t n = 2 + below(left - 1); n; --n) {
      uint32_t t = below(threads);
      if (chance(FenceShare / 2))
        p.ops[t].push_back(fence());
      p.ops[t].push_back(flagAccess(t == 0, t + 1 == threads, 1 + below(flags)));
    }
    std::string &first = *p.ops[0].insert(p.ops[0].begin(), access(0, 0));
    if (first[0] == 'R' && chance(60) && !Limits.proxies)
      first = "Ww x=" + value();
    p.ops[threads - 1].push_back(access(threads - 1, 0));
    if (chance(20))
      addBarrier(p, 1);
    if (chance(15))
      addClusterBarrier(p);
    addApiCalls(p);
    return p;
  }
  /// API calls that wait for nothing: what a host thread does before and after is one thread's.
  void addApiCalls(ProgramText &p) {
    for (uint32_t t = 0; t < p.positions.size(); ++t)
      for (uint32_t n = p.positions[t] == "host" ? below(3) : 0; n; --n)
        p.ops[t].insert(p.ops[t].begin() + below(uint32_t(p.ops[t].size() + 1)),
                        "cudaStreamQuery(s1)");
  }
  /// "K0@s1; record e0; s2 waits e0; K1@s2; ...".
  void orderLaunches(ProgramText &p) {
    for (uint32_t t = 0; t < p.ops.size(); ++t) {
      std::string stream = "s" + std::to_string(1 + below(3)), event = "e" + std::to_string(t);
      p.names.push_back("K" + std::to_string(t));
      p.placement += (t ? "; K" : "K") + std::to_string(t) + "@" + stream;
      if (chance(40))
        p.placement +=
            "; record " + event + "; s" + std::to_string(1 + below(3)) + " waits " + event;
    }
  }
  std::string flagAccess(bool producer, bool consumer, uint32_t location) {
    std::string name(1, char('x' + location));
    bool write = producer ? chance(80) : consumer ? chance(15) : chance(40);
    if (chance(producer || consumer ? 25 : 60)) {
      static constexpr const char *orders[] = {"rlx", "acq", "rel", "ar", "ar"};
      return rmw(pick(orders), name);
    }
    if (Limits.volatiles && chance(50))
      return write ? "Wvol " + name + "=" + value() : "Rvol " + name + "->" + reg();
    if (write)
      return std::string(chance(60) ? "Wrel" : "Wrlx") + scope() + " " + name + "=" + value();
    return std::string(chance(60) ? "Racq" : "Rrlx") + scope() + " " + name + "->" + reg();
  }

  uint32_t below(uint32_t n) { return uint32_t(Random() % n); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <size_t N> const char *pick(const char *const (&names)[N]) { return names[below(N)]; }

  /// What the operations of the program are like: chosen once, so that many programs consist of
  /// operations that have something to do with each other.
  void chooseShape() {
    uint32_t threads = 2 + below(Limits.maxThreads - 1);
    uint32_t spread = below(6); // how far apart threads may be
    for (uint32_t t = 0; t < threads; ++t) {
      uint32_t device = spread == 5 && chance(40), domain = spread == 4 && chance(40),
               cluster = spread >= 3 && chance(40), block = spread >= 1 && chance(50),
               warp = below(2);
      std::string p = "g" + std::to_string(device) + ".c" + std::to_string(cluster) + ".b" +
                      std::to_string(2 * cluster + block) + ".w" + std::to_string(warp);
      bool host = Limits.hosts && chance(t ? 35 : 60);
      Positions.push_back(host ? "host" : p + (domain ? ".dom1" : ""));
    }
    Locations = 2 + below(2);
    FenceShare = Limits.proxies || Limits.volatiles ? 60 : chance(50) ? 0 : 20 + below(40);
    Weak[0] = 50 + below(40);
    Weak[1] = chance(70) ? 0 : 30;
    Weak[2] = chance(50) ? 0 : 60;
    OneScope = chance(40) ? int(1 + below(4)) : -1;
    if (Limits.hosts && chance(70)) // what reaches a host thread
      OneScope = 4;
  }

  std::string scope() {
    static constexpr const char *names[] = {"cta", "clu", "gpu", "sys"};
    return std::string("@") + (OneScope >= 0 && chance(80) ? names[OneScope - 1] : pick(names));
  }
  /// A weak access to x through one of its views.
  std::string proxyAccess() {
    static constexpr const char *writes[] = {"Ww x", "Wsurf s", "Ww a"},
                                *reads[] = {"Rw x", "Rsurf s", "Rtex t", "Rw a"};
    return chance(45) ? std::string(pick(writes)) + "=" + value() : pick(reads) + ("->" + reg());
  }
  std::string fence() {
    static constexpr const char *proxyFences[] = {"PF.surface", "PF.texture", "PF.alias"};
    if (Limits.proxies && chance(70))
      return pick(proxyFences);
    static constexpr const char *orders[] = {"acq", "rel", "ar", "sc"};
    return std::string("F") + pick(orders) + scope();
  }
  std::string access(uint32_t thread) { return access(thread, below(Locations)); }
  std::string access(uint32_t thread, uint32_t l) {
    if (Limits.proxies && l == 0)
      return proxyAccess();
    std::string name(1, char('x' + l));
    if (chance(Weak[l]))
      return chance(50) ? "Rw " + name + "->" + reg() : "Ww " + name + "=" + value();
    static constexpr const char *loads[] = {"rlx", "acq"}, *stores[] = {"rlx", "rel"},
                                *rmws[] = {"rlx", "acq", "rel", "ar"};
    if (Limits.volatiles && chance(40))
      return chance(50) ? "Rvol " + name + "->" + reg() : "Wvol " + name + "=" + value();
    switch (below(5)) {
    case 0:
    case 1:
      return std::string("R") + pick(loads) + scope() + " " + name + "->" + reg();
    case 2:
    case 3:
      return std::string("W") + pick(stores) + scope() + " " + name + "=" + value();
    default:
      return rmw(pick(rmws), name);
    }
  }
  std::string rmw(const std::string &order, const std::string &name) {
    switch (below(4)) {
    case 0:
      return "U0[add]" + (order == "acq" || order == "ar" ? "rel" : order) + scope() + " " + name +
             "(" + value() + ")";
    case 1:
      return "U[cas]" + order + scope() + " " + name + "(0;" + value() + ")->" + reg();
    case 2:
      return "U[exch]" + order + scope() + " " + name + "(" + value() + ")->" + reg();
    default:
      return "U[add]" + order + scope() + " " + name + "(" + value() + ")->" + reg();
    }
  }
  std::string reg() { return "r" + std::to_string(NextRegister++); }
  std::string value() { return std::to_string(NextValue++); }

  /// A barrier of the block of some thread, reached by some of the block's threads.
  void addBarrier(ProgramText &p, uint32_t id) {
    const std::string &home = p.positions[below(uint32_t(p.positions.size()))];
    if (home == "host")
      return;
    std::string block = home.substr(0, home.find(".w"));
    bool warp = chance(20), counted = chance(30);
    for (uint32_t t = 0; t < p.positions.size(); ++t) {
      const std::string &at = p.positions[t];
      if (at.substr(0, at.find(".w")) != block || chance(15))
        continue;
      std::string name = std::to_string(id);
      std::string op = warp         ? "bar.warp.sync"
                       : counted    ? "B.sync(" + name + ";0;2)"
                       : chance(15) ? "B.arrive(" + name + ")"
                                    : "B.sync(" + name + ")";
      p.ops[t].insert(p.ops[t].begin() + below(uint32_t(p.ops[t].size() + 1)), op);
    }
  }

  /// A cluster barrier of all threads of some cluster: arrival and, later, wait.
  void addClusterBarrier(ProgramText &p) {
    auto clusterOf = [](const std::string &at) {
      return at.substr(0, at.find(".b")) + (at.find("dom") == std::string::npos ? "" : "dom");
    };
    std::string home = clusterOf(p.positions[below(uint32_t(p.positions.size()))]);
    if (home == "host")
      return;
    for (uint32_t t = 0; t < p.positions.size(); ++t) {
      if (clusterOf(p.positions[t]) != home)
        continue;
      std::vector<std::string> &ops = p.ops[t];
      size_t arrive = below(uint32_t(ops.size() + 1));
      size_t wait = arrive + below(uint32_t(ops.size() - arrive + 1));
      ops.insert(ops.begin() + wait, "barrier.cluster.wait");
      ops.insert(ops.begin() + arrive,
                 chance(25) ? "barrier.cluster.arrive.relaxed" : "barrier.cluster.arrive");
    }
  }

  RandomLimits Limits;
  std::mt19937_64 Random;
  std::vector<std::string> Positions;
  uint32_t Locations = 2, FenceShare = 0, Weak[3] = {};
  int OneScope = -1;
  uint32_t NextRegister = 0, NextValue = 1;
};

} // namespace

Row ProgramText::row(const std::string &id) const {
  Row r;
  r.id = id;
  for (size_t t = 0; t < positions.size(); ++t) {
    std::string name = names.empty() ? "T" + std::to_string(t) : names[t];
    r.placement += (t ? " " : "") + name + "=" + positions[t];
    r.ops += (t ? " ## " : "") + name + ":";
    for (size_t o = 0; o < ops[t].size(); ++o)
      r.ops += (o ? "; " : " ") + ops[t][o];
  }
  r.guard = "-";
  r.notes = notes;
  if (!placement.empty())
    r.placement = placement;
  return r;
}

ProgramText randomProgram(uint64_t seed, const RandomLimits &limits) {
  return Generator(seed, limits).generate();
}

} // namespace scopesan::litmus

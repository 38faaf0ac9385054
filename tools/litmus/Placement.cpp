#include "Placement.h"

#include "HostRows.h"
#include "Text.h"

namespace scopesan::litmus {

namespace {

/// Placements in words. `block`, `cluster`, `device`, `warp`: 'i' = each thread its own, '0' = all
/// the same one.
struct Phrase {
  std::string_view text;
  char block, cluster, device, warp;
};
constexpr Phrase Phrases[] = {
    // the first that occurs in the text counts
    {"different warp", '0', '0', '0', 'i'},
    {"same warp", '0', '0', '0', '0'},
    {"two CTAs one cluster", 'i', '0', '0', 'i'},
    {"same cluster", 'i', '0', '0', 'i'},
    {"different clusters", 'i', 'i', '0', 'i'},
    {"two clusters", 'i', 'i', '0', 'i'},
    {"different GPUs", 'i', 'i', 'i', 'i'},
    {"different devices", 'i', 'i', 'i', 'i'},
    {"two GPUs", 'i', 'i', 'i', 'i'},
    {"same CTA", '0', '0', '0', 'i'},
    {"same block", '0', '0', '0', 'i'},
    {"one block", '0', '0', '0', 'i'},
    {"two threads", '0', '0', '0', 'i'},
    {"one CTA", '0', '0', '0', 'i'},
    {"one thread", '0', '0', '0', 'i'},
    {"warpgroup", '0', '0', '0', 'i'},
    {"warps", '0', '0', '0', 'i'},
    {"different CTAs", 'i', 'i', '0', 'i'},
    {"different block", 'i', 'i', '0', 'i'},
    {"two blocks", 'i', 'i', '0', 'i'},
    {"two CTAs", 'i', 'i', '0', 'i'},
    {"any", 'i', 'i', '0', 'i'},
    {"same kernel", 'i', 'i', '0', 'i'},
    {"see spvasm", 'i', 'i', '0', 'i'},
    {"-", 'i', 'i', '0', 'i'},
};

/// "any", "T0,T1 any".
bool isAny(const ProgramBuilder &b, std::string_view text) {
  size_t space = text.rfind(' ');
  if (text.substr(space + 1) != "any")
    return false;
  if (space != std::string_view::npos)
    for (std::string_view name : split(text.substr(0, space), ","))
      if (!b.findThread(name))
        return false;
  return true;
}
bool matches(const ProgramBuilder &b, const Phrase &p, std::string_view text) {
  if (p.text == "any")
    return isAny(b, text);
  return p.text == "-" ? text == "-" : contains(text, p.text);
}

bool parsePhrase(ProgramBuilder &b, std::string_view text) {
  for (const Phrase &p : Phrases) {
    if (!matches(b, p, text))
      continue;
    uint32_t i = 0;
    for (ThreadCode &t : b.program.threads) {
      auto of = [&](char c) { return c == 'i' ? i : 0; };
      t.at.block = of(p.block);
      t.at.cluster = of(p.cluster);
      t.at.clusterGiven = true;
      t.at.device = of(p.device);
      t.at.warp = of(p.warp);
      t.at.warpGiven = true;
      ++i;
    }
    return true;
  }
  return false;
}

/// "T0=g0.b0 T1=b1 g0 (remark)".
bool parseExplicit(ProgramBuilder &b, std::string_view text) {
  Position *current = nullptr;
  uint32_t placed = 0;
  for (std::string_view word : splitTop(text, ' ')) {
    if (word.empty() || word[0] == '(')
      continue;
    size_t eq = word.find('=');
    if (eq != std::string_view::npos) {
      std::optional<uint32_t> t = b.findThread(word.substr(0, eq));
      if (!t)
        return false;
      current = &b.program.threads[*t].at;
      ++placed;
      word = word.substr(eq + 1);
    }
    if (!current || !parsePosition(word, *current))
      return false;
  }
  return placed == b.program.threads.size();
}

/// Threads without a given warp get one of their own: nothing in the model depends on it but warp
/// barriers, and counts of block barriers are in litmus threads.
void assignWarps(Program &p) {
  for (uint32_t i = 0; i < p.threads.size(); ++i)
    if (!p.threads[i].at.warpGiven) {
      uint32_t warp = 0;
      for (uint32_t j = 0; j < i; ++j)
        warp += p.sameBlock(i, j);
      p.threads[i].at.warp = warp;
    }
}

/// Threads placed without a cluster: each block is its own.
void assignClusters(Program &p) {
  for (ThreadCode &t : p.threads)
    if (!t.at.clusterGiven)
      t.at.cluster = t.at.block;
}

void launchesByDevice(Program &p) {
  std::vector<std::pair<uint32_t, uint32_t>> keys;
  for (ThreadCode &t : p.threads) {
    std::pair<uint32_t, uint32_t> key{t.at.device, t.at.domain};
    size_t i = 0;
    while (i < keys.size() && (keys[i] != key || t.at.host))
      ++i;
    if (t.at.host) // each host thread is for itself
      key = {None, None};
    if (i == keys.size()) {
      keys.push_back(key);
      Launch l;
      l.name = "K" + std::to_string(i);
      l.stream = uint32_t(i);
      p.launches.push_back(l);
    }
    t.at.launch = uint32_t(i);
  }
}

} // namespace

bool parsePosition(std::string_view text, Position &out) {
  for (std::string_view part : split(text, ".")) {
    Cursor c(part);
    if (part == "host") {
      if (text != part)
        return false;
      out.host = true;
      continue;
    }
    auto number = [&]() -> std::optional<int64_t> { return parseInteger(c.rest()); };
    uint32_t *field = c.accept("dom") ? &out.domain
                      : c.accept("g") ? &out.device
                      : c.accept("q") ? &out.device
                      : c.accept("c") ? &out.cluster
                      : c.accept("b") ? &out.block
                      : c.accept("w") ? &out.warp
                                      : nullptr;
    std::optional<int64_t> n = number();
    if (!field || !n || *n < 0 || *n > (field == &out.domain || field == &out.device ? 255 : 65535))
      return false;
    *field = uint32_t(*n);
    out.clusterGiven |= field == &out.cluster;
    out.warpGiven |= field == &out.warp;
  }
  return true;
}

bool parsePlacement(ProgramBuilder &b, std::string_view text) {
  text = trim(text);
  if (!parseExplicit(b, text)) {
    if (parseLaunchPlacement(b, text))
      return true;
    if (!parsePhrase(b, text))
      return false;
  }
  finishPositions(b.program);
  return true;
}

void finishPositions(Program &p) {
  launchesByDevice(p);
  assignClusters(p);
  assignWarps(p);
}

} // namespace scopesan::litmus

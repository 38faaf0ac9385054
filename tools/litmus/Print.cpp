#include "Print.h"

namespace scopesan::litmus {

namespace {
std::string positionText(const Program &p, const Position &at) {
  if (at.host)
    return "host";
  if (p.launches.empty()) // the row could not be read
    return "nowhere";
  std::string s = "device " + std::to_string(at.device);
  if (at.domain)
    s += ", domain " + std::to_string(at.domain);
  s += ", " + p.launches[at.launch].name + ", cluster " + std::to_string(at.cluster) + ", block " +
       std::to_string(at.block) + ", warp " + std::to_string(at.warp);
  return s;
}
std::string namesOf(const Program &p, const std::vector<uint32_t> &launches) {
  std::string s;
  for (uint32_t l : launches)
    s += (s.empty() ? "" : ", ") + p.launches[l].name;
  return s;
}
} // namespace

std::string printProgram(const Program &p) {
  std::string out;
  for (const Launch &l : p.launches) {
    std::string facts = l.byThread ? "started by a thread" : "";
    auto add = [&](const char *what, const std::vector<uint32_t> &others) {
      if (!others.empty())
        facts += (facts.empty() ? "" : "; ") + (what + namesOf(p, others));
    };
    add("after ", l.after);
    add("programmatic after ", l.programmatic);
    if (!facts.empty())
      out += "launch " + l.name + ": " + facts + "\n";
  }
  for (const ThreadCode &t : p.threads) {
    out += t.name + " (" + positionText(p, t.at) + "):";
    for (const Instr &i : t.code)
      out += " " + (i.text.empty() ? "?" : i.text) + ";";
    out += "\n";
  }
  for (const Location &l : p.locations) {
    if (l.root != uint32_t(&l - p.locations.data()))
      out += l.name + " is " + (l.distinctAddress ? "another address" : "a view") + " of " +
             p.locations[l.root].name + "\n";
    else if (l.initial)
      out += l.name + " = " + std::to_string(l.initial) + " initially\n";
  }
  return out;
}

std::string printExecution(const Program &p, const State &end) {
  std::string out;
  for (const Step &s : end.steps) {
    const Instr &i = p.threads[s.thread].code[s.instr];
    out += "  " + p.threads[s.thread].name + ": " + i.text;
    if (i.isMemory() && i.reads())
      out += "   reads " + std::to_string(s.read);
    if (i.verb == Verb::Rmw && !s.wrote)
      out += ", fails";
    out += "\n";
  }
  for (uint32_t t = 0; t < p.threads.size(); ++t)
    if (end.threads[t].status == ThreadStatus::Waiting)
      out += "  " + p.threads[t].name + " waits at a barrier for ever\n";
    else if (end.threads[t].status != ThreadStatus::Done)
      out += "  " + p.threads[t].name + " does not end\n";
  return out;
}

std::string siteName(const Program &p, const SiteOf &s) {
  if (s.thread == None)
    return "?";
  return p.threads[s.thread].name + ":" + p.threads[s.thread].code[s.instr].text;
}
const char *ruleId(core::Rule r) {
  constexpr const char *ids[] = {
#define SCOPESAN_RULE(id, enumerator, name, isAdvisory, summary) id,
#include "scopesan/core/rules.def"
  };
  return ids[unsigned(r)];
}
const char *ruleName(core::Rule r) {
  constexpr const char *names[] = {
#define SCOPESAN_RULE(id, enumerator, name, isAdvisory, summary) name,
#include "scopesan/core/rules.def"
  };
  return names[unsigned(r)];
}

std::string printFinding(const Program &p, const core::Finding &f) {
  SiteTable sites(p);
  std::string out = std::string(ruleId(f.rule)) + " " + ruleName(f.rule) + ": " +
                    siteName(p, sites.of(f.first.site)) + " ~ " +
                    siteName(p, sites.of(f.second.site));
  for (uint32_t b = 0; b < f.blamedCount; ++b)
    out += (b ? "; " : "\n    too narrow: ") + siteName(p, sites.of(f.blamed[b].site)) + " needs " +
           scopeName(f.blamed[b].needs) + " scope";
  return out;
}

} // namespace scopesan::litmus

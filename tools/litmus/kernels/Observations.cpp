#include "Observations.h"

#include "Text.h"

#include <fstream>

namespace scopesan::litmus {

namespace {

class Reader {
public:
  Observations run(std::istream &in, const std::string &name) {
    std::string text;
    for (uint32_t number = 1; std::getline(in, text) && O.error.empty(); ++number)
      if (!line(text))
        O.error = name + ":" + std::to_string(number) + ": not an observation: " + text;
    return std::move(O);
  }

private:
  bool line(std::string_view text) {
    if (text.empty())
      return true;
    std::vector<std::string_view> w = split(text, " ");
    if (w[0] == "skip" && w.size() > 2) {
      O.skipped[number(w[1])] = text.substr(w[0].size() + w[1].size() + 2);
      return true;
    }
    if (w[0] == "run" && w.size() > 3) {
      Run = &O.runs[number(w[1])].emplace_back();
      Run->seed = number(w[2]);
      Run->stuck = w[3] == "stuck";
      if (w[3] == "error")
        Run->error = w.size() > 4 ? w[4] : "unknown";
      return true;
    }
    if (!Run)
      return false;
    if (w[0] == "t" && w.size() > 2)
      return threadLog(w);
    if (w[0] == "m") {
      for (size_t i = 1; i < w.size(); ++i)
        Run->memory.push_back(parseInteger(w[i]).value_or(0));
      return true;
    }
    if (w[0] == "f" && w.size() == 4) {
      Run->findings.push_back({std::string(w[1]), operation(w[2]), operation(w[3])});
      return true;
    }
    if (w[0] == "x") {
      Run->incomplete.emplace_back(text.substr(1));
      return true;
    }
    return false;
  }
  bool threadLog(const std::vector<std::string_view> &w) {
    uint32_t thread = uint32_t(number(w[1]));
    Run->logs.resize(thread + 1);
    Run->ended.resize(thread + 1);
    Run->ended[thread] = w[2] == "ended";
    for (size_t i = 3; i < w.size(); ++i) {
      std::vector<std::string_view> f = split(w[i], ":");
      std::optional<int64_t> value = f.size() == 3 ? parseInteger(f[2]) : std::nullopt;
      if (!value)
        return false;
      Step s;
      s.thread = thread;
      s.instr = uint32_t(number(f[0]));
      s.wrote = f[1] == "1";
      s.read = s.written = *value;
      Run->logs[thread].push_back(s);
    }
    return true;
  }
  static uint64_t number(std::string_view text) {
    return uint64_t(parseInteger(text).value_or(-1));
  }
  static std::pair<uint32_t, uint32_t> operation(std::string_view text) {
    std::vector<std::string_view> parts = split(text, ".");
    if (parts.size() != 2)
      return {None, None};
    return {uint32_t(number(parts[0])), uint32_t(number(parts[1]))};
  }

  Observations O;
  ObservedRun *Run = nullptr;
};

} // namespace

Observations readObservations(const std::string &path) {
  std::ifstream in(path);
  if (!in) {
    Observations o;
    o.error = "cannot read '" + path + "'";
    return o;
  }
  return Reader().run(in, path);
}

} // namespace scopesan::litmus

#include "ProgramFile.h"

#include "Dat3M.h"
#include "RowParser.h"
#include "Text.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace scopesan::litmus {

namespace {

/// Collects the lines of our format in a row, so that both are parsed by the same code.
class Lines {
public:
  explicit Lines(const std::string &name) : Name(name) { R.id = name; }

  ProgramFile parse(std::string_view text) {
    uint32_t number = 0;
    for (size_t from = 0; from <= text.size() && F.error.empty();) {
      size_t end = std::min(text.find('\n', from), text.size());
      std::string_view line = text.substr(from, end - from);
      from = end + 1;
      ++number;
      line = line.substr(0, line.find('#'));
      if (trim(line).empty())
        continue;
      if (line[0] == ' ' || line[0] == '\t')
        continued(trim(line), number);
      else
        entry(trim(line), number);
    }
    if (F.error.empty() && Ops.empty())
      fail(number, "no thread; write for example 'T0 @ g0.b0: Ww x=1; Wrel@gpu y=1'");
    if (F.error.empty())
      finish();
    return std::move(F);
  }

private:
  void fail(uint32_t line, const std::string &what) {
    F.error = Name + ":" + std::to_string(line) + ": " + what;
  }
  void continued(std::string_view line, uint32_t number) {
    if (Ops.empty())
      return fail(number, "an indented line continues a thread, but there is none yet");
    Ops.back() += "; " + std::string(line);
  }
  void entry(std::string_view line, uint32_t number) {
    size_t colon = line.find(':');
    if (colon == std::string_view::npos)
      return fail(number, "expected 'key: value' or 'T0 @ position: operations'");
    std::string_view key = trim(line.substr(0, colon)), value = trim(line.substr(colon + 1));
    if (key == "name") {
      R.id = value;
    } else if (key == "init") {
      init(value, number);
    } else if (key == "alias") {
      alias(value, number);
    } else if (key == "loops") {
      if (std::optional<int64_t> n = parseInteger(value); !n || *n < 0)
        return fail(number, "loops: is a number, not '" + std::string(value) + "'");
      R.notes += " maxloop=" + std::string(value);
    } else if (key == "guard") {
      R.guard = "filter " + std::string(value);
    } else if (key == "expect") {
      if (value != "race" && value != "norace")
        return fail(number, "expect: is 'race' or 'norace', not '" + std::string(value) + "'");
      F.expectedRace = value == "race";
    } else {
      thread(key, value, number);
    }
  }
  /// "x=2 P0:r1=1".
  void init(std::string_view value, uint32_t number) {
    for (std::string_view word : split(value, " ")) {
      size_t eq = word.find('=');
      if (word.empty())
        continue;
      if (eq == std::string_view::npos || !parseInteger(word.substr(eq + 1)))
        return fail(number, "expected 'name=number', not '" + std::string(word) + "'");
      Initials.push_back({std::string(trim(word.substr(0, eq))), number});
    }
    R.notes += " init: " + std::string(value);
  }
  bool isUsed(std::string_view name) const {
    size_t colon = name.find(':');
    for (size_t t = 0; t < F.program.threads.size() && colon != name.npos; ++t)
      for (const std::string &r : F.program.threads[t].registers)
        if (name.substr(1, colon - 1) == std::to_string(t) && name.substr(colon + 1) == r)
          return true;
    for (const Location &l : F.program.locations)
      if (l.name == name)
        return true;
    return false;
  }
  /// "xa = x", "t = texture x".
  void alias(std::string_view value, uint32_t number) {
    std::vector<std::string_view> sides = split(value, "=");
    if (sides.size() != 2)
      return fail(number, "expected 'alias: new = old', 'alias: t = texture x' or 'surface', "
                          "'constant'");
    std::vector<std::string_view> words = split(sides[1], " ");
    std::string view = words.size() == 2 ? std::string(words[0]) : "generic";
    Aliases += (Aliases.empty() ? "" : ",") + std::string(sides[0]) + "=" + view + " view of " +
               std::string(words.back()) + (words.size() == 1 ? " (distinct VA)" : "");
  }
  void thread(std::string_view key, std::string_view value, uint32_t number) {
    std::vector<std::string_view> parts = split(key, "@");
    std::string name(parts[0]);
    for (char c : name)
      if (!isIdentifierChar(c))
        return fail(number, "unknown key '" + name + "'");
    if (std::find(Names.begin(), Names.end(), name) != Names.end())
      return fail(number, "a second thread '" + name + "'; indented lines continue one");
    std::string position =
        parts.size() == 2 ? std::string(parts[1]) : "g0.b" + std::to_string(Ops.size());
    R.placement += (R.placement.empty() ? "" : " ") + name + "=" + position;
    Ops.push_back(std::string(value));
    Names.push_back(name);
  }
  void finish() {
    for (size_t t = 0; t < Ops.size(); ++t)
      R.ops += (t ? " ## " : "") + Names[t] + ": " + Ops[t];
    if (!Aliases.empty())
      R.notes += " aliases: " + Aliases;
    F.program = parseRow(R);
    if (!F.program.notRunnable.empty())
      F.error = Name + ": " + F.program.notRunnable + "; docs/litmus.md lists what is understood";
    for (const auto &[name, line] : Initials)
      if (F.error.empty() && !isUsed(name))
        fail(line, "no operation uses '" + name + "'");
  }

  std::string Name;
  Row R;
  ProgramFile F;
  std::vector<std::string> Names, Ops;
  std::vector<std::pair<std::string, uint32_t>> Initials; ///< name, line
  std::string Aliases;
};

} // namespace

ProgramFile parseProgramText(std::string_view text, const std::string &name) {
  if (!looksLikeDat3M(text))
    return Lines(name).parse(text);
  ProgramFile f;
  Dat3MFile d = parseDat3M(text, name);
  f.error = d.error;
  if (!f.error.empty())
    return f;
  f.program = parseRow(d.row);
  if (!f.program.notRunnable.empty())
    f.error = name + ": " + f.program.notRunnable;
  return f;
}

ProgramFile readProgramFile(const std::string &path) {
  std::ifstream in(path);
  if (!in) {
    ProgramFile f;
    f.error = "cannot read '" + path + "'";
    return f;
  }
  std::stringstream all;
  all << in.rdbuf();
  return parseProgramText(all.str(), path);
}

} // namespace scopesan::litmus

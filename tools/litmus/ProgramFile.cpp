#include "ProgramFile.h"

#include "Dat3M.h"
#include "OpLine.h"
#include "Placement.h"
#include "RowParser.h"
#include "Text.h"

#include <algorithm>

namespace scopesan::litmus {

namespace {

/// Rows in words may leave threads out whose arrivals a count needs; files name all threads.
void everyThreadIsNamed(Program &p) {
  for (ThreadCode &t : p.threads)
    for (Instr &i : t.code)
      i.othersArrive = false;
}
/// Of what makes the program unrunnable; the first operation where it is about the whole.
uint32_t failureLine(const Program &p, const std::vector<OpLine> &lines, uint32_t guardLine) {
  if (p.failedThread != None)
    if (uint32_t line = lineOf(lines, p.failedThread, p.failedText))
      return line;
  if (guardLine && p.notRunnable.starts_with("unknown guard"))
    return guardLine;
  return lines.empty() ? 1 : lines[0].line;
}
std::string_view withoutMark(std::string_view text) {
  return text.starts_with(ByteOrderMark) ? text.substr(ByteOrderMark.size()) : text;
}

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
    OpLines.push_back({uint32_t(Ops.size() - 1), std::string(line), number});
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
      if (std::optional<int64_t> n = parseInteger(value); !n || *n < 0 || *n > MaxLoops)
        return fail(number, "loops: is a number up to " + std::to_string(MaxLoops) + ", not '" +
                                std::string(value) + "'");
      R.notes += " maxloop=" + std::string(value);
    } else if (key == "guard") {
      R.guard = "filter " + std::string(value);
      GuardLine = number;
    } else if (key == "expect") {
      if (value != "race" && value != "norace")
        return fail(number, "expect: is 'race' or 'norace', not '" + std::string(value) + "'");
      if (F.expectedRace)
        return fail(number, "a second expect:");
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
  bool isAccessed(std::string_view name) const {
    const Program &p = F.program;
    for (const ThreadCode &t : p.threads)
      for (const Instr &i : t.code)
        for (uint32_t l : {i.location, i.async.source, i.async.destination, i.async.mbarrier})
          if (l != None && p.locations[l].name == name)
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
    if (words.size() > 2 ||
        (words.size() == 2 && view != "texture" && view != "surface" && view != "constant"))
      return fail(number, "unknown view '" + std::string(sides[1]) + "' of an alias");
    std::string name(sides[0]), of(words.back());
    for (const auto &[other, line] : AliasNames)
      if (other == name || other == of)
        return fail(number, "'" + other + "' is an alias already");
    if (name == of)
      return fail(number, "'" + of + "' cannot be an alias of itself");
    AliasNames.push_back({name, number});
    Aliases += (Aliases.empty() ? "" : ",") + std::string(sides[0]) + "=" + view + " view of " +
               std::string(words.back()) + (words.size() == 1 ? " (distinct VA)" : "");
  }
  void thread(std::string_view key, std::string_view value, uint32_t number) {
    std::vector<std::string_view> parts = split(key, "@");
    std::string name(parts[0]);
    bool isKey = parts.size() == 1 && !(name.size() && name.back() >= '0' && name.back() <= '9');
    for (char c : name)
      isKey |= !isIdentifierChar(c);
    if (isKey)
      return fail(number, "unknown key '" + name + "'; a thread is written as 'T0 @ position: '");
    if (std::find(Names.begin(), Names.end(), name) != Names.end())
      return fail(number, "a second thread '" + name + "'; indented lines continue one");
    std::string position =
        parts.size() == 2 ? std::string(parts[1]) : "g0.b" + std::to_string(Ops.size());
    Position unused;
    for (std::string_view word : splitTop(position, ' '))
      if (!word.empty() && word[0] != '(' && !parsePosition(word, unused))
        return fail(number, "unknown placement '" + position + "'");
    R.placement += (R.placement.empty() ? "" : " ") + name + "=" + position;
    OpLines.push_back({uint32_t(Ops.size()), std::string(value), number});
    Ops.push_back(std::string(value));
    Names.push_back(name);
  }
  void finish() {
    for (size_t t = 0; t < Ops.size(); ++t)
      R.ops += (t ? " ## " : "") + Names[t] + ": " + Ops[t];
    if (!Aliases.empty())
      R.notes += " aliases: " + Aliases;
    F.program = parseRow(R);
    everyThreadIsNamed(F.program);
    if (!F.program.notRunnable.empty())
      F.error = Name + ":" + std::to_string(failureLine(F.program, OpLines, GuardLine)) + ": " +
                F.program.notRunnable + "; docs/litmus.md lists what is understood";
    for (const auto &[name, line] : AliasNames)
      if (F.error.empty() && !isAccessed(name))
        fail(line, "no operation uses the alias '" + name + "'");
    for (const auto &[name, line] : Initials)
      if (F.error.empty() && !isUsed(name))
        fail(line, "no operation uses '" + name + "'");
  }

  std::string Name;
  Row R;
  ProgramFile F;
  std::vector<std::string> Names, Ops;
  std::vector<std::pair<std::string, uint32_t>> Initials;   ///< name, line
  std::vector<std::pair<std::string, uint32_t>> AliasNames; ///< name, line
  std::string Aliases;
  std::vector<OpLine> OpLines;
  uint32_t GuardLine = 0;
};

} // namespace

ProgramFile parseProgramText(std::string_view text, const std::string &name) {
  text = withoutMark(text);
  if (!looksLikeDat3M(text))
    return Lines(name).parse(text);
  ProgramFile f;
  Dat3MFile d = parseDat3M(text, name);
  f.error = d.error;
  if (!f.error.empty())
    return f;
  f.program = parseRow(d.row);
  everyThreadIsNamed(f.program);
  if (!f.program.notRunnable.empty())
    f.error = name + ":" + std::to_string(failureLine(f.program, d.lines, d.guardLine)) + ": " +
              f.program.notRunnable;
  return f;
}

ProgramFile readProgramFile(const std::string &path) {
  std::optional<std::string> text = readText(path);
  if (!text) {
    ProgramFile f;
    f.error = "cannot read '" + path + "'";
    return f;
  }
  return parseProgramText(*text, path);
}

} // namespace scopesan::litmus

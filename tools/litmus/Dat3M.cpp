#include "Dat3M.h"

#include "PtxWords.h"
#include "Text.h"

#include <algorithm>

namespace scopesan::litmus {

namespace {

bool isInteger(std::string_view s) { return parseInteger(s).has_value(); }

/// One instruction in the neutral notation; empty when it is unknown.
class Instruction {
public:
  explicit Instruction(std::string_view text) {
    size_t space = text.find(' ');
    Parts = split(text.substr(0, space), ".");
    if (space != std::string_view::npos)
      Args = split(text.substr(space + 1), ",");
    Text = text;
  }
  std::string translate() const {
    std::string_view op = Parts[0];
    if (Text.ends_with(":"))
      return "L " + std::string(Text.substr(0, Text.size() - 1));
    if (op == "goto" && Args.size() == 1)
      return "goto " + std::string(Args[0]);
    if ((op == "beq" || op == "bne") && Args.size() == 3)
      return "if(" + arg(0) + (op == "beq" ? "==" : "!=") + arg(1) + ")goto " + arg(2);
    if ((op == "add" || op == "sub") && Args.size() == 3)
      return arg(0) + ":=" + arg(1) + (op == "add" ? "+" : "-") + arg(2);
    if ((op == "ld" || op == "mov") && Args.size() == 2 && isInteger(Args[1]))
      return arg(0) + ":=" + arg(1);
    std::optional<std::string> how = semantics(op);
    if (!how)
      return {};
    if (op == "ld" || op == "suld" || op == "tld" || op == "cold")
      return Args.size() == 2 ? "R" + *how + " " + arg(1) + "->" + arg(0) : "";
    if (op == "st" || op == "sust")
      return Args.size() == 2 ? "W" + *how + " " + arg(0) + "=" + arg(1) : "";
    if (op == "atom" || op == "red")
      return rmw(*how);
    if (op == "fence" || op == "membar")
      return fence(*how);
    if (op == "bar" || op == "barrier")
      return barrier();
    return {};
  }

private:
  /// PTX writes addresses in brackets, Dat3M does not.
  std::string arg(size_t i) const {
    std::string_view a = Args[i];
    return std::string(a.starts_with('[') && a.ends_with(']') ? a.substr(1, a.size() - 2) : a);
  }
  /// Order, size and scope; the view of loads and stores through other proxies.
  std::optional<std::string> semantics(std::string_view op) const {
    if (op == "suld" || op == "sust")
      return "surf";
    if (op == "tld" || op == "cold")
      return op == "tld" ? "tex" : "const";
    if (op == "ld" || op == "st")
      return ptxSemantics(Parts, "w");
    if (op == "atom" || op == "red")
      return ptxSemantics(Parts, "rlx");
    return op == "fence" && Parts.size() > 1 && Parts[1] != "proxy" ? ptxSemantics(Parts, "ar")
                                                                    : std::string();
  }
  std::string rmw(const std::string &how) const {
    bool returns = Parts[0] == "atom";
    size_t first = returns ? 1 : 0;
    if (Args.size() < first + 2)
      return {};
    std::string operands = arg(first + 1) + (Args.size() > first + 2 ? ";" + arg(first + 2) : "");
    return std::string(returns ? "U" : "U0") + "[" + ptxRmwKind(Parts) + "]" + how + " " +
           arg(first) + "(" + operands + ")" + (returns ? "->" + arg(0) : "");
  }
  std::string fence(const std::string &how) const {
    if (Parts.size() < 2)
      return {};
    if (Parts[1] == "proxy")
      return Parts.size() > 2 ? "PF." + std::string(Parts[2]) : "";
    if (Parts[0] == "membar")
      return Parts[1] == "cta" || Parts[1] == "gl" || Parts[1] == "sys"
                 ? std::string("Fsc@") + (Parts[1] == "gl" ? "gpu" : std::string(Parts[1]))
                 : "";
    return "F" + how;
  }
  std::string barrier() const {
    bool arrive = Parts.back() == "arrive";
    std::string ids;
    for (size_t i = 0; i < Args.size(); ++i)
      ids += (i ? ";" : "") + arg(i);
    return ids.empty() ? "" : (arrive ? "B.arrive(" : "B.sync(") + ids + ")";
  }

  std::string_view Text;
  std::vector<std::string_view> Parts, Args;
};

class Dat3MParser {
public:
  Dat3MParser(std::string_view text, const std::string &name) : Text(text), Name(name) {}

  Dat3MFile parse() {
    size_t open = Text.find('{'), close = Text.find('}', open);
    size_t condition = findCondition(close);
    if (open == std::string_view::npos || close == std::string_view::npos)
      return failed(Text.substr(0, 1), "expected '{ initial values }' after the title");
    std::string_view title = trim(Text);
    F.row.id = std::string(trim(title.substr(4, title.find('\n') - 4)));
    initial(Text.substr(open + 1, close - open - 1));
    if (!F.error.empty())
      return F;
    std::vector<std::string_view> rows = split(Text.substr(close + 1, condition - close - 1), ";");
    header(rows[0]);
    for (size_t r = 1; r < rows.size() && F.error.empty(); ++r)
      instructions(rows[r]);
    if (!F.error.empty())
      return F;
    guard(Text.substr(std::min(condition, Text.size())));
    for (size_t t = 0; t < Ops.size(); ++t)
      F.row.ops += (t ? " ## T" : "T") + std::to_string(t) + ": " + Ops[t];
    return F;
  }

private:
  /// `at` is a part of the text.
  uint32_t lineAt(std::string_view at) const {
    std::string_view before = Text.substr(0, size_t(at.data() - Text.data()));
    return 1 + uint32_t(std::count(before.begin(), before.end(), '\n'));
  }
  Dat3MFile failed(std::string_view at, const std::string &what) {
    if (F.error.empty())
      F.error = Name + ":" + std::to_string(lineAt(at)) + ": " + what;
    return F;
  }
  /// `word` as a word of its own.
  static size_t findWord(std::string_view text, std::string_view word, size_t from) {
    for (size_t at = text.find(word, from); at != text.npos; at = text.find(word, at + 1)) {
      size_t end = at + word.size();
      if ((at == 0 || !isIdentifierChar(text[at - 1])) &&
          (end >= text.size() || !isIdentifierChar(text[end])))
        return at;
    }
    return text.npos;
  }
  size_t findCondition(size_t from) const {
    size_t at = Text.size();
    for (std::string_view word : {"filter", "exists", "~exists", "forall"})
      at = std::min(at, findWord(Text, word, from == std::string_view::npos ? 0 : from));
    return at;
  }
  /// "x=0", "P1:r0=0", "y @ generic aliases x".
  void initial(std::string_view text) {
    std::string aliases;
    for (std::string_view line : split(text, "\n"))
      for (std::string_view item : split(line, ";")) {
        size_t at = item.find('@'), verb = item.find("aliases");
        if (item.empty())
          continue;
        if (at != std::string_view::npos && verb != std::string_view::npos) {
          std::string view(trim(item.substr(at + 1, verb - at - 1)));
          aliases += (aliases.empty() ? "" : ",") + std::string(trim(item.substr(0, at))) + "=" +
                     view + " view of " + std::string(trim(item.substr(verb + 7))) +
                     (view == "generic" ? " (distinct VA)" : "");
          continue;
        }
        std::vector<std::string_view> sides = split(item, "=");
        if (sides.size() != 2 || !isInteger(sides[1])) {
          failed(item, "unknown initial value '" + std::string(item) + "'");
          return;
        }
        F.row.notes += (F.row.notes.empty() ? "init: " : " ") + std::string(sides[0]) + "=" +
                       std::string(sides[1]);
      }
    if (!aliases.empty())
      F.row.notes += " aliases: " + aliases;
  }
  /// "P0@cta 0,gpu 0,clu 1 | P1@cta 1,gpu 0".
  void header(std::string_view text) {
    for (std::string_view cell : split(text, "|")) {
      size_t at = cell.find('@');
      std::string device = "g0", cluster, block = "b0", domain;
      for (std::string_view word :
           split(at == std::string_view::npos ? "" : cell.substr(at + 1), ",")) {
        std::vector<std::string_view> pair = split(word, " ");
        if (pair.size() != 2) {
          failed(cell, "unknown thread header '" + std::string(cell) + "'");
          return;
        }
        std::string number(pair[1]);
        if (pair[0] == "cta")
          block = "b" + number;
        else if (pair[0] == "gpu")
          device = "g" + number;
        else if (pair[0] == "clu")
          cluster = ".c" + number;
        else if (pair[0] == "dom")
          domain = ".dom" + number;
        else if (pair[0] != "sys") { // there is one system
          failed(cell, "unknown level '" + std::string(pair[0]) + "' in the thread header '" +
                           std::string(cell) + "'");
          return;
        }
      }
      for (std::string_view part : {std::string_view(device), std::string_view(block)})
        if (!parseInteger(part.substr(1)))
          failed(cell, "unknown thread header '" + std::string(cell) + "'");
      F.row.placement += (Ops.empty() ? "T" : " T") + std::to_string(Ops.size()) + "=" + device +
                         cluster + "." + block + domain;
      Ops.emplace_back();
    }
  }
  void instructions(std::string_view row) {
    std::vector<std::string_view> cells = split(row, "|");
    if (cells.size() > Ops.size()) {
      failed(cells[Ops.size()],
             "'" + std::string(trim(row)) + "' has more columns than there are threads");
      return;
    }
    for (size_t t = 0; t < cells.size(); ++t) {
      if (cells[t].empty())
        continue;
      std::string op = Instruction(cells[t]).translate();
      if (op.empty()) {
        failed(cells[t], "unknown instruction '" + std::string(cells[t]) + "'");
        return;
      }
      Ops[t] += (Ops[t].empty() ? "" : "; ") + op;
      F.lines.push_back({uint32_t(t), op, lineAt(cells[t])});
    }
  }
  /// "filter (P1:r0 == 1)" is the guard; the outcome after it is not judged.
  void guard(std::string_view text) {
    F.row.guard = "-";
    if (!text.starts_with("filter"))
      return;
    size_t end = text.size();
    for (std::string_view word : {"exists", "~exists", "forall"})
      end = std::min(end, findWord(text, word, 0));
    F.guardLine = lineAt(text);
    F.row.guard = std::string(trim(text.substr(0, end)));
  }

  std::string_view Text;
  std::string Name;
  Dat3MFile F;
  std::vector<std::string> Ops;
};

/// The text without "(* comments *)" and the quoted description; lines stay where they are.
std::string withoutComments(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t end = text.npos;
    if (text.substr(i, 2) == "(*")
      end = std::min(text.find("*)", i), text.size()) + 1;
    else if (text[i] == '"')
      end = std::min(text.find('"', i + 1), text.size());
    if (end == text.npos) {
      out += text[i];
      continue;
    }
    for (; i < std::min(end, text.size()); ++i)
      if (text[i] == '\n')
        out += '\n';
    i = end;
  }
  return out;
}

} // namespace

bool looksLikeDat3M(std::string_view text) { return trim(text).starts_with("PTX "); }

Dat3MFile parseDat3M(std::string_view text, const std::string &name) {
  std::string clean = withoutComments(text);
  return Dat3MParser(clean, name).parse();
}

} // namespace scopesan::litmus

#include "Table.h"

#include "Text.h"

#include <algorithm>
#include <map>

namespace scopesan::litmus {

namespace {
struct Column {
  std::string_view name;
  std::string Row::*field;
  bool required;
};
constexpr Column Columns[] = {
    {"id", &Row::id, true},
    {"placement", &Row::placement, true},
    {"ops", &Row::ops, true},
    {"guard", &Row::guard, false},
    {"ptx_race", &Row::ptxRace, true},
    {"hb_race", &Row::hbRace, false},
    {"freq", &Row::frequency, false},
    {"race_pair", &Row::racePairs, false},
    {"notes", &Row::notes, false},
};
/// Rows that are told by another one: "as API.2 + one cudaStreamQuery" (of the host), and "same
/// stream" after a row with two kernels.
void resolveReferences(Table &t) {
  for (size_t i = 0; i < t.rows.size(); ++i) {
    Row &r = t.rows[i];
    if (r.ops == "same stream" && i > 0) {
      r.ops = t.rows[i - 1].ops;
      r.placement = "same stream";
    }
    if (!r.ops.starts_with("as "))
      continue;
    std::vector<std::string_view> parts = split(std::string_view(r.ops).substr(3), " + ");
    for (const Row &other : t.rows)
      if (&other != &r && other.id.ends_with("." + std::string(parts[0]))) {
        std::string calls;
        for (size_t p = 1; p < parts.size(); ++p)
          calls += "; " + std::string(parts[p].substr(parts[p].rfind(' ') + 1));
        r.placement = other.placement;
        r.ops = other.ops + calls;
        break;
      }
  }
}

class TableParser {
public:
  explicit TableParser(const std::string &name) : Name(name) {}

  Table parse(std::string_view text) {
    for (size_t from = 0; from < text.size();) {
      size_t end = std::min(text.find('\n', from), text.size());
      std::string_view line = text.substr(from, end - from);
      from = end + 1;
      ++Line;
      if (trim(line).empty())
        continue;
      std::vector<std::string_view> cells = cellsOf(line);
      Layout.empty() ? header(cells) : row(cells);
      if (!T.error.empty())
        return std::move(T);
    }
    if (Layout.empty())
      T.error = Name + ": empty; expected a header line with the columns id, placement, ops, ...";
    else if (T.rows.empty())
      T.error = Name + ": a header line, but no rows";
    resolveReferences(T);
    return std::move(T);
  }

private:
  /// Those at the end of a row may be left out; those that are empty are not.
  static std::vector<std::string_view> cellsOf(std::string_view line) {
    std::vector<std::string_view> cells;
    for (size_t from = 0, tab = 0; tab != line.npos; from = tab + 1) {
      tab = line.find('\t', from);
      cells.push_back(trim(line.substr(from, tab == line.npos ? line.npos : tab - from)));
    }
    return cells;
  }
  void fail(const std::string &what) { T.error = Name + ":" + std::to_string(Line) + ": " + what; }
  void header(const std::vector<std::string_view> &cells) {
    for (std::string_view cell : cells) {
      const Column *found = nullptr;
      for (const Column &c : Columns)
        if (c.name == cell)
          found = &c;
      if (found && std::find(Layout.begin(), Layout.end(), found) != Layout.end())
        fail("the header line names the column '" + std::string(cell) + "' twice");
      Layout.push_back(found);
    }
    for (const Column &c : Columns)
      if (c.required && std::find(Layout.begin(), Layout.end(), &c) == Layout.end())
        fail("the header line lacks the column '" + std::string(c.name) + "'");
  }
  void row(const std::vector<std::string_view> &cells) {
    if (cells.size() > Layout.size())
      return fail(std::to_string(cells.size()) + " cells, but the header line names " +
                  std::to_string(Layout.size()) + " columns");
    for (size_t i = cells.size(); i < Layout.size(); ++i)
      if (Layout[i] && Layout[i]->required)
        return fail("the row ends before the column '" + std::string(Layout[i]->name) + "'");
    Row r;
    r.line = Line;
    for (size_t i = 0; i < cells.size(); ++i)
      if (Layout[i])
        r.*Layout[i]->field = cells[i];
    for (const std::string *verdict : {&r.ptxRace, &r.hbRace})
      if (*verdict != "race" && *verdict != "norace" && *verdict != "-" && !verdict->empty())
        return fail("the verdict '" + *verdict + "' is neither 'race' nor 'norace'");
    if (const std::string &f = r.frequency; !f.empty() && f != "-" && f != "always" &&
                                            f != "never" && f != "some" && !f.starts_with("some("))
      return fail("the frequency '" + f + "' is neither 'always' nor 'some' nor 'never'");
    if (r.id.empty())
      return fail("a row without an id");
    if (uint32_t &first = Ids[r.id])
      return fail("the id '" + r.id + "' is that of line " + std::to_string(first) + ", too");
    else
      first = Line;
    T.rows.push_back(r);
  }

  const std::string &Name;
  Table T;
  std::vector<const Column *> Layout;
  std::map<std::string, uint32_t> Ids; ///< line of each
  uint32_t Line = 0;
};
} // namespace

Table parseTable(std::string_view text, const std::string &name) {
  if (text.starts_with(ByteOrderMark))
    text.remove_prefix(ByteOrderMark.size());
  return TableParser(name).parse(text);
}

Table readTable(const std::string &path) {
  std::optional<std::string> text = readText(path);
  if (!text) {
    Table t;
    t.error = "cannot read '" + path + "'";
    return t;
  }
  return parseTable(*text, path);
}

} // namespace scopesan::litmus

#include "Table.h"

#include "Text.h"

#include <algorithm>
#include <fstream>
#include <sstream>

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
} // namespace

Table parseTable(std::string_view text, const std::string &name) {
  Table t;
  std::vector<const Column *> layout;
  uint32_t number = 0;
  for (std::string_view line : split(text, "\n")) {
    ++number;
    if (line.empty())
      continue;
    std::vector<std::string_view> cells = split(line, "\t");
    if (layout.empty()) {
      for (std::string_view cell : cells) {
        const Column *found = nullptr;
        for (const Column &c : Columns)
          if (c.name == cell)
            found = &c;
        layout.push_back(found);
      }
      for (const Column &c : Columns)
        if (c.required && std::find(layout.begin(), layout.end(), &c) == layout.end()) {
          t.error = name + ":1: the header line lacks the column '" + std::string(c.name) + "'";
          return t;
        }
      continue;
    }
    Row r;
    r.line = number;
    for (size_t i = 0; i < cells.size() && i < layout.size(); ++i)
      if (layout[i])
        r.*layout[i]->field = cells[i];
    t.rows.push_back(r);
  }
  resolveReferences(t);
  if (layout.empty())
    t.error = name + ": empty; expected a header line with the columns id, placement, ops, ...";
  return t;
}

Table readTable(const std::string &path) {
  std::ifstream in(path);
  if (!in) {
    Table t;
    t.error = "cannot read '" + path + "'";
    return t;
  }
  std::stringstream all;
  all << in.rdbuf();
  return parseTable(all.str(), path);
}

} // namespace scopesan::litmus

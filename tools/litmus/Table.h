// Tables of litmus facts in the format of litmus.tsv: tab separated, a header line names the
// columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace scopesan::litmus {

struct Row {
  uint32_t line = 0; ///< 1-based
  std::string id, placement, ops, guard, ptxRace, hbRace, frequency, racePairs, notes;
  /// "SPEC" of "SPEC/rlx-rlx-gpu".
  std::string collection() const { return id.substr(0, id.find('/')); }
};

struct Table {
  std::vector<Row> rows;
  std::string error; ///< what is wrong, with its line; empty = none
};

Table readTable(const std::string &path);
Table parseTable(std::string_view text, const std::string &name);

} // namespace scopesan::litmus

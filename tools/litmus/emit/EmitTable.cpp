#include "EmitTable.h"

#include "Needs.h"
#include "RowParser.h"
#include "Unit.h"

#include <algorithm>
#include <fstream>
#include <map>

namespace scopesan::litmus {

namespace {

class TableWriter {
public:
  TableWriter(const Table &table, const EmitOptions &options)
      : Rows(table.rows), Options(options) {}

  std::string run() {
    std::map<std::string, uint32_t> seen;
    for (uint32_t r = 0; r < Rows.size() && Error.empty(); ++r) {
      const std::vector<std::string> &wanted = Options.collections;
      std::string collection = Rows[r].collection();
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), collection) == wanted.end())
        continue;
      bool hasVerdict = !Rows[r].ptxRace.empty() || !Rows[r].hbRace.empty();
      if (!hasVerdict || seen[collection]++ % Options.every)
        continue;
      Program p = parseRow(Rows[r]);
      auto open = Open.try_emplace(needsOf(p)).first;
      std::string reason = open->second.unit.add(r, p);
      if (reason.empty())
        open->second.rows.push_back(r);
      else
        Manifest += "skip\t" + std::to_string(r) + "\t" + Rows[r].id + "\t" + reason + "\n";
      if (open->second.unit.rows() == Options.rowsPerUnit)
        flush(open->first, open->second);
    }
    for (auto &[needs, open] : Open)
      flush(needs, open);
    write("manifest.tsv", Manifest);
    return Error;
  }

private:
  /// A unit that still takes rows: all with the same needs.
  struct OpenUnit {
    UnitWriter unit;
    std::vector<uint32_t> rows;
  };

  void flush(const UnitNeeds &needs, OpenUnit &open) {
    const UnitWriter &unit = open.unit;
    if (!unit.rows())
      return;
    std::string number = std::to_string(Units++);
    std::string name = "unit_" + std::string(number.size() < 2 ? "0" : "") + number + ".cu";
    Manifest +=
        "unit\t" + name + "\t" + std::to_string(needs.devices) + "\t" + needs.compilerFlags + "\n";
    for (uint32_t r : open.rows)
      Manifest += "row\t" + name + "\t" + std::to_string(r) + "\t" + Rows[r].id + "\n";
    for (const EmittedSite &s : unit.sites())
      Manifest += "site\t" + name + "\t" + std::to_string(s.line) + "\t" + std::to_string(s.row) +
                  "\t" + std::to_string(s.thread) + "\t" + std::to_string(s.instr) + "\n";
    write(name, unit.text());
    open = OpenUnit();
  }
  void write(const std::string &name, const std::string &text) {
    std::ofstream out(Options.folder + "/" + name);
    out << text;
    out.flush();
    if (!out)
      Error = "cannot write '" + Options.folder + "/" + name + "'";
  }

  const std::vector<Row> &Rows;
  const EmitOptions &Options;
  std::map<UnitNeeds, OpenUnit> Open;
  uint32_t Units = 0;
  std::string Manifest, Error;
};

} // namespace

std::string emitTable(const Table &table, const EmitOptions &options) {
  return TableWriter(table, options).run();
}

} // namespace scopesan::litmus

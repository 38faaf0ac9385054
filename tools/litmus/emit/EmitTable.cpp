#include "EmitTable.h"

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
      std::string reason = Unit.add(r, parseRow(Rows[r]));
      if (reason.empty())
        InUnit.push_back(r);
      else
        Manifest += "skip\t" + std::to_string(r) + "\t" + Rows[r].id + "\t" + reason + "\n";
      if (Unit.rows() == Options.rowsPerUnit)
        flush();
    }
    flush();
    write("manifest.tsv", Manifest);
    return Error;
  }

private:
  void flush() {
    if (!Unit.rows())
      return;
    std::string number = std::to_string(Units++);
    std::string name = "unit_" + std::string(number.size() < 2 ? "0" : "") + number + ".cu";
    Manifest += "unit\t" + name + "\n";
    for (uint32_t r : InUnit)
      Manifest += "row\t" + name + "\t" + std::to_string(r) + "\t" + Rows[r].id + "\n";
    for (const EmittedSite &s : Unit.sites())
      Manifest += "site\t" + name + "\t" + std::to_string(s.line) + "\t" + std::to_string(s.row) +
                  "\t" + std::to_string(s.thread) + "\t" + std::to_string(s.instr) + "\n";
    write(name, Unit.text());
    Unit = UnitWriter();
    InUnit.clear();
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
  UnitWriter Unit;
  std::vector<uint32_t> InUnit;
  uint32_t Units = 0;
  std::string Manifest, Error;
};

} // namespace

std::string emitTable(const Table &table, const EmitOptions &options) {
  return TableWriter(table, options).run();
}

} // namespace scopesan::litmus

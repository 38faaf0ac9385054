// Programs as CUDA kernels: many rows of a table in one translation unit, with a `main` that runs
// them one after the other and prints what happened.
#pragma once

#include "ThreadCode.h"

namespace scopesan::litmus {

/// Where an operation of a row stands in a unit.
struct EmittedSite {
  uint32_t line = 0; ///< 1-based
  uint32_t row = 0, thread = 0, instr = 0;
};

class UnitWriter {
public:
  UnitWriter();
  /// Adds the program as row number `row`. Returns why it has no CUDA form; empty = added.
  std::string add(uint32_t row, const Program &p);
  /// The whole unit.
  std::string text() const;
  const std::vector<EmittedSite> &sites() const { return Sites; }
  uint32_t rows() const { return uint32_t(Rows.size()); }

private:
  std::string Text;
  uint32_t Line = 1;
  std::vector<EmittedSite> Sites;
  std::vector<uint32_t> Rows;
};

} // namespace scopesan::litmus
